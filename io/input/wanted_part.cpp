#include "io/input/wanted_part.h"

#include <algorithm>
#include <cmath>

#include "config/error.h"
#include "io/packet_times.h"

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

// Where a part begins or ends, and how much earlier: a number means the picture that has it, too.
struct Limit {
    std::int64_t at = 0;
    std::int64_t margin = 0;
};

std::int64_t margin_of(const Position& position, double rate) {
    return ticks(position.frames ? 0.5 / rate : 0.001);
}

// Frames are counted from the first picture, which sound may precede.
Limit limit_at(const Position& position, const InputClock& clock) {
    return {.at = (position.frames ? clock.first_picture : clock.begin) + ticks(position.seconds(clock.average_rate)),
            .margin = margin_of(position, clock.average_rate)};
}

// A chapter may begin before anything is there.
Limit begin_at(const Position& position, const InputClock& clock, const std::vector<ChapterPlace>& chapters) {
    if (!position.chapter) {
        return limit_at(position, clock);
    }
    const ChapterPlace& chapter = find_chapter("start", position, chapters, clock.begin);
    return {.at = std::max(chapter.begin, clock.begin), .margin = chapter.margin};
}

std::optional<Limit> end_at(const InputOptions& options, const InputClock& clock,
                            const std::vector<ChapterPlace>& chapters) {
    if (!options.end || !options.end->chapter) {
        return options.end ? std::optional(limit_at(*options.end, clock)) : std::nullopt;
    }
    const ChapterPlace& chapter = find_chapter("end", *options.end, chapters, clock.begin);
    return chapter.end ? std::optional(Limit{.at = *chapter.end, .margin = chapter.margin}) : std::nullopt;
}

}  // namespace

bool InputClock::is_regular() const {
    constexpr double tolerance = 1e-6;
    return std::abs(average_rate / av_q2d(rate) - 1) < tolerance;
}

WantedPart wanted_part(const InputOptions& options, const InputClock& clock, bool live,
                       const std::vector<ChapterPlace>& chapters) {
    const double rate = clock.average_rate;
    WantedPart part;
    part.input_begin = clock.begin;
    part.first_picture = clock.first_picture;
    part.max_frames = options.frames;
    part.shift = live ? clock.begin : 0;
    std::int64_t from = clock.begin;
    if (options.start) {
        const Limit limit = begin_at(*options.start, clock, chapters);
        from = part.shift = limit.at;
        part.start = from - limit.margin;
    }
    part.first_wanted_picture = first_picture_from(clock, part.start);
    if (const std::optional<Limit> limit = end_at(options, clock, chapters)) {
        if (options.end->chapter && limit->at <= from) {
            throw Error(ExitCode::usage, "--end is not after --start");
        }
        part.exact_end = limit->at;
        part.end = limit->at - limit->margin;
    } else if (options.duration) {
        const bool counted = !options.start && options.duration->frames;
        part.exact_end = (counted ? clock.first_picture : from) + ticks(options.duration->seconds(rate));
        part.end = *part.exact_end - margin_of(*options.duration, rate);
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
