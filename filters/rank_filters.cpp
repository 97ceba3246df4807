// Filters that pick one of the samples around.

#include <cmath>

#include "filters/filter_rows.h"

namespace vfilter {

namespace {

constexpr std::string_view window_shapes[] = {"square", "cross"};  // in the order of WindowShape

constexpr Parameter median_parameters[] = {
    {.name = "size",
     .unit = "pixels",
     .minimum = 3,
     .maximum = max_median_size,
     .odd = true,
     .help = "side of the window"},
    {.name = "shape",
     .help = "cross: only the middle row and middle column of the square, which keeps corners and thin lines",
     .fallback = 0,
     .choices = window_shapes},
};
constexpr Strength median_strengths[] = {{0, size_step, false}};

std::string check_median(const FilterSpec& spec) {
    return spec.given(0) ? "" : "a size is needed";
}

Operation make_median(const FilterSpec& spec, const TargetPlane& plane) {
    const int radius = static_cast<int>(*spec.values[0]) / 2;
    // As with Gaussians: no narrower than luma's, and odd.
    return MedianFilter{.depth = plane.depth,
                        .radius_x = ceil_div(radius, plane.pitch_x),
                        .radius_y = ceil_div(radius, plane.pitch_y),
                        .shape = static_cast<WindowShape>(static_cast<int>(spec.value(1)))};
}

}  // namespace

FilterDef median_filter() {
    return {.name = "median",
            .help = "median of the surrounding samples: removes specks, keeps edges",
            .formula =
                "out = median of s(x + i, y + j) over the window; "
                "square: |i|, |j| <= (size - 1) / 2; cross: those with i = 0 or j = 0",
            .source = "J. W. Tukey, Exploratory Data Analysis, 1977",
            .example = "5",
            .parameters = median_parameters,
            .strengths = median_strengths,
            .dithering = Dithering::none,
            .check = check_median,
            .make_own = make_median};
}

}  // namespace vfilter
