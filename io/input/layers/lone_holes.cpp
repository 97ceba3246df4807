#include "io/input/layers/lone_holes.h"

#include <algorithm>

#include "io/packet_times.h"

namespace vfilter {

namespace {

constexpr int behind_hole = 1 << 30;  // of AVPacket::flags, where FFmpeg has none

}  // namespace

bool is_behind_hole(const AVPacket& packet) {
    return (packet.flags & behind_hole) != 0;
}

int LoneHoles::seek(int stream, std::int64_t latest, int flags) {
    clocks_.clear();
    return PacketLayer::seek(stream, latest, flags);
}

// By the times of its packets, wherever between those of the video they lie: muxers write what they have.
bool LoneHoles::goes_on(std::size_t stream, Span hole) const {
    const Clock& clock = clocks_[stream];
    const std::int64_t length = hole.to - hole.from;
    return clock.last != AV_NOPTS_VALUE && clock.first <= hole.from + length / 2 &&
           clock.last >= hole.to - length / 2 && std::ranges::none_of(clock.steps, [&](const Span& step) {
               return step.to - step.from >= length / 4 && step.from < hole.to && step.to > hole.from;
           });
}

int LoneHoles::read(AVPacket& packet) {
    constexpr std::size_t max_steps = 16;
    const int got = inner().read(packet);
    const std::int64_t decoded = got < 0 ? AV_NOPTS_VALUE : decoding_time(packet);
    if (decoded == AV_NOPTS_VALUE) {
        return got;
    }
    clocks_.resize(std::max<std::size_t>(clocks_.size(), format().nb_streams));
    const auto number = static_cast<std::size_t>(packet.stream_index);
    Clock& clock = clocks_[number];
    const Span step{clock.last, microseconds(decoded, format().streams[number]->time_base)};
    const std::int64_t length = clock.last == AV_NOPTS_VALUE ? 0 : step.to - step.from;
    if (length >= min_set_clock && std::ranges::find(videos_, packet.stream_index) != videos_.end()) {
        for (std::size_t i = 0; i < clocks_.size(); ++i) {
            const bool sound = format().streams[i]->codecpar->codec_type == AVMEDIA_TYPE_AUDIO;
            packet.flags |= sound && goes_on(i, step) ? behind_hole : 0;
        }
    }
    if (length >= min_set_clock / 4) {
        clock.steps.push_back(step);
        if (clock.steps.size() > max_steps) {
            clock.steps.pop_front();
        }
    }
    clock.first = clock.first == AV_NOPTS_VALUE ? step.to : clock.first;
    clock.last = step.to;
    return got;
}

}  // namespace vfilter
