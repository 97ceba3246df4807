// Filters that look at the same place of several pictures.

#include <cmath>
#include <string>

#include "filters/filter_rows.h"
#include "filters/numbers.h"

namespace vfilter {

namespace {

constexpr int most_frames = max_neighbours / 2;

constexpr Parameter temporal_median_parameters[] = {
    frames_parameter(1, most_frames, 1),
    after_parameter(max_neighbours),
};

constexpr double no_limit = 255;
constexpr Parameter temporal_average_parameters[] = {
    frames_parameter(1, most_frames, 1),
    after_parameter(max_neighbours),
    {.name = "limit",
     .unit = "levels of 256",
     .minimum = 0,
     .maximum = no_limit,
     .help = "samples that differ by more from the one being filtered are left out, so that motion leaves no trail; "
             "255 means no limit",
     .fallback = no_limit},
};

TimeReach time_of(const FilterSpec& spec) {
    return time_reach_of(spec, 0);
}

std::string check_temporal(const FilterSpec& spec) {
    return check_time(spec, 0);
}

Operation make_temporal_median(const FilterSpec& spec, const TargetPlane& plane) {
    return TemporalMedian{.depth = plane.depth, .time = time_of(spec)};
}

Operation make_temporal_mean(const FilterSpec& spec, const TargetPlane& plane) {
    TemporalMean made{.depth = plane.depth, .time = time_of(spec), .limit = 0};
    made.limit =
        spec.value(2) == no_limit ? made.max_value() : static_cast<int>(std::ldexp(spec.value(2), plane.depth - 8));
    return made;
}

}  // namespace

TimeReach time_reach_of(const FilterSpec& spec, std::size_t first) {
    const int frames = static_cast<int>(spec.value(first));
    const int after = spec.given(first + 1) ? static_cast<int>(spec.value(first + 1)) : frames;
    return {2 * frames - after, after};
}

std::string check_time(const FilterSpec& spec, std::size_t first) {
    const double frames = spec.value(first);
    if (!spec.given(first + 1) || spec.value(first + 1) <= 2 * frames) {
        return "";
    }
    return "after=" + number_text(spec.value(first + 1)) + " is more than the " + number_text(2 * frames) +
           " other pictures of frames=" + number_text(frames);
}

FilterDef temporal_median_filter() {
    return {.name = "tmedian",
            .help = "median of the samples at the same place in several pictures: removes flicker and dirt",
            .formula =
                "out = median of s(t + k) over the pictures t + k of the window, 2 frames + 1 in all; "
                "at the ends of the video the window is mirrored",
            .source = "",
            .example = "2",
            .parameters = temporal_median_parameters,
            .chroma = Chroma::same,
            .has_width = false,
            .has_border = false,
            .alpha = false,
            .dithering = Dithering::none,
            .check = check_temporal,
            .make_own = make_temporal_median,
            .time = time_of};
}

FilterDef temporal_average_filter() {
    return {.name = "taverage",
            .help = "mean of the samples at the same place in several pictures: removes noise where nothing moves",
            .formula =
                "out = mean of s(t + k) over those pictures t + k of the window, 2 frames + 1 in all, "
                "for which |s(t + k) - s(t)| <= limit; at the ends of the video the window is mirrored",
            .source = "",
            .example = "2:limit=12",
            .parameters = temporal_average_parameters,
            .chroma = Chroma::same,
            .has_width = false,
            .has_border = false,
            .alpha = false,
            .check = check_temporal,
            .make_own = make_temporal_mean,
            .time = time_of};
}

}  // namespace vfilter
