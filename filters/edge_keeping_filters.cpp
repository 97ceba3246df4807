// Smoothings that stop at edges.

#include <algorithm>
#include <cmath>

#include "filters/filter_rows.h"

namespace vfilter {

namespace {

constexpr int most_bilateral_size = 2 * max_bilateral_radius + 1;

// The places of bilateral's parameters.
enum BilateralParameter : std::size_t { value_sigma_at, size_at, space_at };

constexpr Parameter bilateral_parameters[] = {
    {.name = "sigma",
     .unit = "levels of 256",
     .minimum = 1,
     .maximum = 200,
     .help = "standard deviation in value: how different samples may be and still count; to reduce noise, three to "
             "four times that of the noise"},
    {.name = "size",
     .unit = "pixels",
     .minimum = 3,
     .maximum = most_bilateral_size,
     .odd = true,
     .help = "diameter of the window; default 5, or 2 round(1.5 space) + 1, at most 25, if space is given"},
    {.name = "space",
     .unit = "pixels",
     .minimum = 0.3,
     .maximum = 100,
     .help = "standard deviation in space; default: a quarter of size"},
};
constexpr Strength bilateral_strengths[] = {{value_sigma_at, factor_step, true}, {size_at, size_step, false}};

std::string check_bilateral(const FilterSpec& spec) {
    return spec.given(value_sigma_at) ? "" : "a standard deviation in value is needed, as in sigma=25";
}

int bilateral_radius(const FilterSpec& spec) {
    constexpr double radius_of_sigma = 1.5;  // as OpenCV has it
    if (spec.given(size_at)) {
        return static_cast<int>(*spec.values[size_at]) / 2;
    }
    return spec.given(space_at) ? static_cast<int>(std::clamp(std::round(radius_of_sigma * *spec.values[space_at]), 1.0,
                                                              double{max_bilateral_radius}))
                                : 2;
}

Operation make_bilateral_operation(const FilterSpec& spec, const TargetPlane& plane) {
    const int radius = bilateral_radius(spec);
    const double space = spec.given(space_at) ? *spec.values[space_at] : (2 * radius + 1) / 4.0;
    // As with medians: no narrower than luma's, and odd.
    return make_bilateral(plane.depth, *spec.values[value_sigma_at],
                          {.radius_x = ceil_div(radius, plane.pitch_x),
                           .radius_y = ceil_div(radius, plane.pitch_y),
                           .sigma_x = space / plane.pitch_x,
                           .sigma_y = space / plane.pitch_y});
}

constexpr int most_guided_size = 2 * max_guided_radius + 1;

// The places of guided's parameters.
enum GuidedParameter : std::size_t { guided_sigma_at, guided_size_at };

constexpr Parameter guided_parameters[] = {
    {.name = "sigma",
     .unit = "levels of 256",
     .minimum = 0.5,
     .maximum = max_guided_sigma,
     .help = "windows with a larger standard deviation stay, those with a smaller one become their mean; the square "
             "root of epsilon"},
    {.name = "size",
     .unit = "pixels",
     .minimum = 3,
     .maximum = most_guided_size,
     .odd = true,
     .help = "side of the window; larger windows take no longer",
     .fallback = 9},
};
constexpr Strength guided_strengths[] = {{guided_sigma_at, factor_step, true}, {guided_size_at, size_step, false}};

std::string check_guided(const FilterSpec& spec) {
    return spec.given(guided_sigma_at) ? "" : "a standard deviation is needed, as in sigma=10";
}

Operation make_guided_operation(const FilterSpec& spec, const TargetPlane& plane) {
    const int radius = static_cast<int>(spec.value(guided_size_at)) / 2;
    return make_guided(plane.depth, *spec.values[guided_sigma_at], ceil_div(radius, plane.pitch_x),
                       ceil_div(radius, plane.pitch_y));
}

}  // namespace

FilterDef guided_filter() {
    return {.name = "guided",
            .help = "smooths, but keeps edges with their slopes: flat windows become their mean, others stay",
            .formula =
                "out(p) = s(p) A(p) + B(p), with A and B the means of a and b over the windows that p is in; "
                "a = v / (v + sigma^2), b = (1 - a) m, with m the mean of a window and v its variance",
            .source =
                "K. He, J. Sun, X. Tang, Guided image filtering, 2010; here each plane is its own guide, and some "
                "samples are one level off the rounded result: hardly any up to 10 bits, more at 12 to 16",
            .example = "10:size=9",
            .parameters = guided_parameters,
            .strengths = guided_strengths,
            .alpha = false,
            .check = check_guided,
            .make_own = make_guided_operation};
}

FilterDef bilateral_filter() {
    return {
        .name = "bilateral",
        .help = "smooths, but keeps edges: the mean of those samples nearby that have similar values",
        .formula =
            "out(p) = sum of w(o) s(p + o) / sum of w(o), over the offsets o = (i, j) with "
            "i^2 + j^2 <= ((size - 1) / 2)^2; "
            "w(o) = max(0, 1 - (i^2 + j^2) / (2.4 space)^2 - |s(p + o) - s(p)| / (2.7 sigma))",
        .source =
            "C. Tomasi, R. Manduchi, Bilateral filtering for gray and color images, 1998; here with linearly falling "
            "weights, in steps of up to 1/127 and, above sigma 47, of two to eight levels; at 9 to 16 bits only the "
            "upper 8 bits are compared",
        .example = "25:size=9",
        .parameters = bilateral_parameters,
        .strengths = bilateral_strengths,
        .alpha = false,
        .check = check_bilateral,
        .make_own = make_bilateral_operation};
}

}  // namespace vfilter
