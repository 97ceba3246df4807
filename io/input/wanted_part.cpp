#include "io/input/wanted_part.h"

#include <algorithm>
#include <cmath>

#include "io/input/packet_times.h"

namespace vfilter {

namespace {

std::int64_t ticks(double seconds) {
    static constexpr double longest = 1e9;  // seconds; a clock in nanoseconds holds it, and no video is that long
    return static_cast<std::int64_t>(std::min(seconds, longest) * AV_TIME_BASE);
}

std::int64_t first_picture_from(const InputClock& clock, const std::optional<std::int64_t>& start) {
    if (!start || *start <= clock.first_picture) {
        return clock.first_picture;
    }
    const AVRational picture = av_inv_q(clock.rate);
    const std::int64_t before = av_rescale_q_rnd(*start - clock.first_picture, microseconds_base, picture, AV_ROUND_UP);
    return clock.first_picture + microseconds(before, picture);
}

}  // namespace

bool InputClock::is_regular() const {
    constexpr double tolerance = 1e-6;
    return std::abs(average_rate / av_q2d(rate) - 1) < tolerance;
}

WantedPart wanted_part(const InputOptions& options, const InputClock& clock, bool live) {
    const double rate = clock.average_rate;
    // Limits lie early by this, so that a number means the frame that has it, too.
    const auto margin = [&](const Position& position) { return ticks(position.frames ? 0.5 / rate : 0.001); };
    // Frames are counted from the first picture, which sound may precede.
    const auto at = [&](const Position& position) {
        return (position.frames ? clock.first_picture : clock.begin) + ticks(position.seconds(rate));
    };
    WantedPart part;
    part.input_begin = clock.begin;
    part.first_picture = clock.first_picture;
    part.max_frames = options.frames;
    part.shift = live ? clock.begin : 0;
    std::int64_t from = clock.begin;
    if (options.start) {
        from = part.shift = at(*options.start);
        part.start = from - margin(*options.start);
    }
    part.first_wanted_picture = first_picture_from(clock, part.start);
    if (options.end) {
        part.exact_end = at(*options.end);
        part.end = *part.exact_end - margin(*options.end);
    } else if (options.duration) {
        const bool counted = !options.start && options.duration->frames;
        part.exact_end = (counted ? clock.first_picture : from) + ticks(options.duration->seconds(rate));
        part.end = *part.exact_end - margin(*options.duration);
    }
    part.picture_end = part.end;
    if (options.frames) {
        const std::int64_t begin =
            options.start ? std::max(from, clock.is_regular() ? part.first_wanted_picture : from) : clock.first_picture;
        const auto pictures = static_cast<double>(*options.frames);
        part.end = std::min(begin + ticks((pictures - 0.5) / rate), part.end.value_or(INT64_MAX));
        part.exact_end = std::min(begin + ticks(pictures / rate), part.exact_end.value_or(INT64_MAX));
    }
    part.knows_end = part.exact_end && (!options.frames || clock.is_regular());
    return part;
}

}  // namespace vfilter
