#include "io/input/frame_rates.h"

#include <cmath>

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

}  // namespace vfilter
