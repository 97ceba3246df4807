#include "io/output/hidden_packets.h"

#include <utility>

#include "io/packet_times.h"

namespace vfilter {

void HiddenPackets::add(PacketPtr packet, AVRational clock, double preroll) {
    std::deque<PacketPtr>& hidden = packets_[packet->stream_index];
    hidden.push_back(std::move(packet));
    const std::int64_t latest = decoding_time(*hidden.back());
    const auto is_early = [&](const AVPacket& earlier) {
        return static_cast<double>(latest - decoding_time(earlier)) * av_q2d(clock) >= preroll;
    };
    while (!hidden.empty() && is_early(*hidden.front())) {
        hidden.pop_front();
    }
}

std::deque<PacketPtr> HiddenPackets::take(int stream) {
    shown_.insert(stream);
    const auto hidden = packets_.find(stream);
    if (hidden == packets_.end()) {
        return {};
    }
    std::deque<PacketPtr> taken = std::move(hidden->second);
    packets_.erase(hidden);
    for (const PacketPtr& packet : taken) {
        packet->flags &= ~AV_PKT_FLAG_DISCARD;
    }
    return taken;
}

}  // namespace vfilter
