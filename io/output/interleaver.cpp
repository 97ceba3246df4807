#include "io/output/interleaver.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "io/stream_facts.h"

namespace vfilter {

namespace {

// For each ten seconds of patience.
constexpr double max_waiting = 4096;

}  // namespace

Interleaver::Interleaver(const AVFormatContext& output, InterleaverPatience patience)
    : output_(output), patience_(patience) {
    for (unsigned i = 0; i < output_.nb_streams; ++i) {
        const AVMediaType type = output_.streams[i]->codecpar->codec_type;
        const bool steady = type == AVMEDIA_TYPE_AUDIO || type == AVMEDIA_TYPE_VIDEO;
        streams_.push_back({steady && !is_attached_picture(*output_.streams[i]) ? type : AVMEDIA_TYPE_UNKNOWN});
    }
}

double Interleaver::seconds(const AVPacket& packet) const {
    return static_cast<double>(packet.dts) * av_q2d(output_.streams[packet.stream_index]->time_base);
}

bool Interleaver::is_awaited(const Stream& stream) const {
    return stream.type != AVMEDIA_TYPE_UNKNOWN && stream.waiting == 0 && !stream.is_late;
}

bool Interleaver::everybody_waits() const {
    return std::ranges::none_of(streams_, [this](const Stream& stream) { return is_awaited(stream); });
}

double Interleaver::patience() const {
    return std::ranges::any_of(
               streams_,
               [this](const Stream& stream) { return is_awaited(stream) && stream.type == AVMEDIA_TYPE_VIDEO; })
               ? patience_.for_pictures
               : patience_.for_sound;
}

void Interleaver::add(PacketPtr packet) {
    // At one time by their streams, as in FFmpeg's queue, and not by which came first: the file is the same each time.
    const auto before = [this](const PacketPtr& a, const PacketPtr& b) {
        const int order = av_compare_ts(a->dts, output_.streams[a->stream_index]->time_base, b->dts,
                                        output_.streams[b->stream_index]->time_base);
        return order != 0 ? order < 0 : a->stream_index < b->stream_index;
    };
    Stream& stream = streams_[static_cast<std::size_t>(packet->stream_index)];
    ++stream.waiting;
    stream.is_late = stream.is_late && seconds(*packet) < passed_;
    const auto place = std::upper_bound(waiting_.begin(), waiting_.end(), packet, before);
    waiting_.insert(place, std::move(packet));
}

PacketPtr Interleaver::next(bool all) {
    if (waiting_.empty()) {
        return nullptr;
    }
    const double most = max_waiting * std::max(1.0, patience() / patience_of_files.for_pictures);
    if (!all && !everybody_waits() && static_cast<double>(waiting_.size()) <= most) {
        if (waiting_.front()->dts != AV_NOPTS_VALUE &&
            seconds(*waiting_.back()) - seconds(*waiting_.front()) <= patience()) {
            return nullptr;
        }
        for (Stream& stream : streams_) {
            stream.is_late = stream.is_late || (patience_.once && is_awaited(stream));
        }
    }
    PacketPtr packet = std::move(waiting_.front());
    waiting_.pop_front();
    --streams_[static_cast<std::size_t>(packet->stream_index)].waiting;
    passed_ = std::max(passed_, seconds(*packet));
    return packet;
}

}  // namespace vfilter
