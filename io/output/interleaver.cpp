#include "io/output/interleaver.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "io/output/container_rules.h"

namespace vfilter {

namespace {

constexpr double max_wait = 10;  // seconds
constexpr std::size_t max_waiting = 4096;

}  // namespace

Interleaver::Interleaver(const AVFormatContext& output) : output_(output), counts_(output.nb_streams, 0) {}

double Interleaver::seconds(const AVPacket& packet) const {
    return static_cast<double>(packet.dts) * av_q2d(output_.streams[packet.stream_index]->time_base);
}

bool Interleaver::everybody_waits() const {
    for (unsigned i = 0; i < output_.nb_streams; ++i) {
        const AVMediaType type = output_.streams[i]->codecpar->codec_type;
        const bool steady = type == AVMEDIA_TYPE_AUDIO || type == AVMEDIA_TYPE_VIDEO;
        if (steady && !is_attached_picture(*output_.streams[i]) && counts_[i] == 0) {
            return false;
        }
    }
    return true;
}

void Interleaver::add(PacketPtr packet) {
    const auto before = [this](const PacketPtr& a, const PacketPtr& b) {
        return av_compare_ts(a->dts, output_.streams[a->stream_index]->time_base, b->dts,
                             output_.streams[b->stream_index]->time_base) < 0;
    };
    ++counts_[static_cast<std::size_t>(packet->stream_index)];
    const auto place = std::upper_bound(waiting_.begin(), waiting_.end(), packet, before);
    waiting_.insert(place, std::move(packet));
}

PacketPtr Interleaver::next(bool all) {
    const bool goes = !waiting_.empty() && (all || everybody_waits() || waiting_.size() > max_waiting ||
                                            seconds(*waiting_.back()) - seconds(*waiting_.front()) > max_wait);
    if (!goes) {
        return nullptr;
    }
    PacketPtr packet = std::move(waiting_.front());
    waiting_.pop_front();
    --counts_[static_cast<std::size_t>(packet->stream_index)];
    return packet;
}

}  // namespace vfilter
