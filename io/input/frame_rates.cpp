#include "io/input/frame_rates.h"

#include <cmath>

#include "io/packet_times.h"

namespace vfilter {

namespace {

// 60000/1001 where a container whose clock counts nanoseconds had it rounded.
AVRational without_rounding(AVRational rate) {
    constexpr double rounding = 1e-6;
    constexpr int largest = 1000;
    if (av_cmp_q(rate, {largest, 1}) > 0) {
        return rate;
    }
    const AVRational usual{static_cast<int>(std::lround(av_q2d(rate) * 1.001)) * 1000, 1001};
    return std::abs(av_q2d(usual) / av_q2d(rate) - 1) < rounding ? usual : rate;
}

}  // namespace

AVRational usual_frame_rate(AVFormatContext& format, AVStream& stream) {
    const AVRational rate = av_guess_frame_rate(&format, &stream, nullptr);
    return rate.num > 0 && rate.den > 0 ? without_rounding(rate) : AVRational{25, 1};
}

double average_frame_rate(const AVStream& stream, AVRational usual) {
    constexpr double rounding = 0.02;  // of the times of a few pictures
    const AVRational average = stream.avg_frame_rate;
    const bool varies = average.num > 0 && average.den > 0 && std::abs(av_q2d(average) / av_q2d(usual) - 1) > rounding;
    return av_q2d(varies ? average : usual);
}

std::int64_t indexed_key_frames(const AVFormatContext& format, int stream) {
    AVStream& of = *format.streams[stream];
    const int entries = avformat_index_get_entries_count(&of);
    const bool by_chance = (format.iformat->flags & AVFMT_TS_DISCONT) != 0;
    if (entries == 0 || by_chance || format.duration == AV_NOPTS_VALUE) {
        return 0;
    }
    const std::int64_t span =
        avformat_index_get_entry(&of, entries - 1)->timestamp - avformat_index_get_entry(&of, 0)->timestamp;
    if (microseconds(span, of.time_base) < format.duration / 2) {
        return 0;
    }
    std::int64_t keys = 0;
    for (int i = 0; i < entries; ++i) {
        keys += (avformat_index_get_entry(&of, i)->flags & AVINDEX_KEYFRAME) != 0 ? 1 : 0;
    }
    return keys;
}

}  // namespace vfilter
