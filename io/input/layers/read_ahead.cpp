#include "io/input/layers/read_ahead.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace vfilter {

int ReadAhead::read(AVPacket& packet) {
    if (waiting_.empty()) {
        return inner().read(packet);
    }
    av_packet_move_ref(&packet, waiting_.front().get());
    waiting_.pop_front();
    return 0;
}

int ReadAhead::seek(int stream, std::int64_t latest, int flags) {
    waiting_.clear();
    return PacketLayer::seek(stream, latest, flags);
}

void ReadAhead::put_back(std::deque<PacketPtr> packets) {
    waiting_.insert(waiting_.begin(), std::make_move_iterator(packets.begin()), std::make_move_iterator(packets.end()));
}

const AVPacket* ReadAhead::peek(int stream) const {
    const auto found =
        std::ranges::find(waiting_, stream, [](const PacketPtr& packet) { return packet->stream_index; });
    return found == waiting_.end() ? nullptr : found->get();
}

bool ReadAhead::timed(int stream) const {
    constexpr std::int64_t worth_it = 4;
    const AVPacket* const first = peek(stream);
    const auto count = [&](bool untimed_alone) {
        return std::ranges::count_if(waiting_, [&](const PacketPtr& packet) {
            return packet->stream_index == stream && (!untimed_alone || packet->pts == AV_NOPTS_VALUE);
        });
    };
    return first == nullptr || (first->pts != AV_NOPTS_VALUE && worth_it * count(true) < count(false));
}

}  // namespace vfilter
