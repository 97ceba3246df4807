// First and second differences.

#include <cmath>
#include <numbers>

#include "filters/filter_rows.h"

namespace vfilter {

namespace {

constexpr double max_scale = 100;

constexpr std::string_view directions[] = {"both", "x", "y"};

constexpr Parameter direction_parameter{
    "direction",
    "",
    0,
    0,
    false,
    "both: the magnitude of the gradient; x or y: the absolute value of one derivative, in the picture as "
    "stored",
    0,
    directions};
constexpr Parameter scale_parameter{"scale", "times", 0, max_scale, false, "factor applied to the result", 1};
constexpr Parameter gradient_scale_parameter{
    "scale",
    "times",
    0,
    max_scale,
    false,
    "factor applied to the result; a step from black to white just reaches white with 0.25 for sobel 3, 0.33 "
    "for prewitt, 0.06 for scharr",
    1};
constexpr Parameter bias_parameter{
    "bias", "levels of 256", -255,
    255,    false,           "added to the result; with direction=both in whole levels of the picture's depth",
    0};

std::vector<double> scaled(std::vector<double> taps, double factor) {
    for (double& tap : taps) {
        tap *= factor;
    }
    return taps;
}

// sqrt(x^2 + y^2) of the two derivatives, or one of them alone.
FilterKernel gradient(const std::vector<double>& smooth, const std::vector<double>& difference, const FilterSpec& spec,
                      std::size_t direction) {
    const double scale = spec.value(direction + 1);
    const SeparableKernel x{difference, scaled(smooth, scale)};
    const SeparableKernel y{smooth, scaled(difference, scale)};
    const double bias = spec.value(direction + 2) / levels;
    const double which = spec.value(direction);
    if (which == 0) {
        return {.terms = {x, y}, .combine = Combine::magnitude, .bias = bias};
    }
    return {.terms = {which == 1 ? x : y}, .combine = Combine::absolute, .bias = bias};
}

// ---------------------------------------------------------------------------------- sobel, scharr, prewitt

constexpr Parameter sobel_parameters[] = {{"size", "pixels", 3, 7, true, "side of the kernel", 3},
                                          direction_parameter,
                                          gradient_scale_parameter,
                                          bias_parameter};
constexpr Parameter gradient_parameters[] = {direction_parameter, gradient_scale_parameter, bias_parameter};
constexpr Strength sobel_strength[] = {{2, factor_step, true}};
constexpr Strength gradient_strength[] = {{1, factor_step, true}};

// Taps convolved with (1 1) so many times: binomial smoothing.
std::vector<double> smoothed(std::vector<double> taps, int times) {
    for (; times > 0; --times) {
        taps.push_back(0);
        for (std::size_t i = taps.size() - 1; i > 0; --i) {
            taps[i] += taps[i - 1];
        }
    }
    return taps;
}

FilterKernel make_sobel(const FilterSpec& spec, double /*pitch_x*/, double /*pitch_y*/) {
    const int size = static_cast<int>(spec.value(0));
    return gradient(smoothed({1}, size - 1), smoothed({-1, 0, 1}, size - 3), spec, 1);
}

FilterKernel make_scharr(const FilterSpec& spec, double /*pitch_x*/, double /*pitch_y*/) {
    return gradient({3, 10, 3}, {-1, 0, 1}, spec, 0);
}

FilterKernel make_prewitt(const FilterSpec& spec, double /*pitch_x*/, double /*pitch_y*/) {
    return gradient({1, 1, 1}, {-1, 0, 1}, spec, 0);
}

// ------------------------------------------------------------------------------------------------------ laplacian

enum : std::size_t { laplacian_neighbours, laplacian_scale, laplacian_bias };

constexpr std::string_view neighbours[] = {"4", "8"};

constexpr Parameter laplacian_parameters[] = {
    {"neighbours", "", 0, 0, false, "4: those across the sides; 8: those across the corners, too", 0, neighbours},
    scale_parameter,
    {"bias", "levels of 256", -255, 255, false, "level that stands for zero; without it the absolute value is shown"},
};

constexpr Strength laplacian_strength[] = {{laplacian_scale, factor_step, true}};

FilterKernel make_laplacian(const FilterSpec& spec, double /*pitch_x*/, double /*pitch_y*/) {
    const double scale = spec.value(laplacian_scale);
    const std::optional<double>& bias = spec.values[laplacian_bias];
    FilterKernel kernel{.combine = bias ? Combine::sum : Combine::absolute, .bias = bias.value_or(0) / levels};
    if (spec.value(laplacian_neighbours) == 0) {
        kernel.terms = {{{1, -2, 1}, {scale}}, {{1}, scaled({1, -2, 1}, scale)}};
    } else {
        kernel.terms = {{{1, 1, 1}, scaled({1, 1, 1}, scale)}};
        kernel.gain = -9 * scale;
    }
    return kernel;
}

// --------------------------------------------------------------------------------------------------------- emboss

enum : std::size_t { emboss_strength, emboss_angle, emboss_style };

constexpr std::string_view styles[] = {"picture", "relief"};

constexpr Parameter emboss_parameters[] = {
    {"strength", "times", 0, 10, false, "steepness of the relief", 1},
    {"angle", "degrees", -360, 360, false, "where the shade falls, in the picture as stored: 0 right, 90 down", 45},
    {"style", "", 0, 0, false, "picture: the relief on the picture; relief: the relief alone, on grey", 0, styles},
};

constexpr Strength emboss_steps[] = {{emboss_strength, amount_step, false}};

FilterKernel make_emboss(const FilterSpec& spec, double /*pitch_x*/, double /*pitch_y*/) {
    const double angle = spec.value(emboss_angle) * std::numbers::pi / 180;
    // With sqrt 2, 45 degrees is the emboss matrix of image editors.
    const double strength = spec.value(emboss_strength) * std::numbers::sqrt2;
    const auto tidy = [](double value) {
        return std::abs(value) < 1e-12 ? 0 : std::abs(value - std::round(value)) < 1e-12 ? std::round(value) : value;
    };
    const double x = tidy(strength * std::cos(angle));
    const double y = tidy(strength * std::sin(angle));
    FilterKernel kernel;
    if (x != 0) {
        kernel.terms.push_back({{-1, 0, 1}, scaled({1, 1, 1}, x)});
    }
    if (y != 0) {
        kernel.terms.push_back({{1, 1, 1}, scaled({-1, 0, 1}, y)});
    }
    const bool relief = spec.value(emboss_style) == 1;
    kernel.gain = relief ? 0 : 1;
    kernel.bias = relief ? 0.5 : 0;
    return kernel;
}

FilterDef gradient_filter(std::string_view name, std::string_view help, std::string_view formula,
                          std::string_view source, std::span<const Parameter> parameters,
                          std::span<const Strength> strengths,
                          FilterKernel (*make)(const FilterSpec&, double, double)) {
    return {.name = name,
            .help = help,
            .formula = formula,
            .source = source,
            .example = "direction=x:scale=2",
            .parameters = parameters,
            .strengths = strengths,
            .chroma = Chroma::neutral,
            .has_width = false,
            .alpha = false,
            .check = no_check,
            .make = make};
}

}  // namespace

FilterDef sobel_filter() {
    return gradient_filter(
        "sobel", "edges: Sobel's gradient",
        "out = scale sqrt(gx^2 + gy^2) + bias, or scale |gx| + bias; gx = (-1 0 1) x (1 2 1)^T, gy its "
        "transpose; 5 and 7 pixels by binomial smoothing",
        "I. Sobel, G. Feldman, 1968; OpenCV, Sobel", sobel_parameters, sobel_strength, make_sobel);
}

FilterDef scharr_filter() {
    return gradient_filter(
        "scharr", "edges: Scharr's gradient, equally strong in all directions",
        "out = scale sqrt(gx^2 + gy^2) + bias, or scale |gx| + bias; gx = (-1 0 1) x (3 10 3)^T, gy its "
        "transpose",
        "H. Scharr, Optimal operators in digital image processing, 2000; OpenCV, Scharr", gradient_parameters,
        gradient_strength, make_scharr);
}

FilterDef prewitt_filter() {
    return gradient_filter(
        "prewitt", "edges: Prewitt's gradient",
        "out = scale sqrt(gx^2 + gy^2) + bias, or scale |gx| + bias; gx = (-1 0 1) x (1 1 1)^T, gy its "
        "transpose",
        "J. M. S. Prewitt, Object enhancement and extraction, 1970", gradient_parameters, gradient_strength,
        make_prewitt);
}

FilterDef laplacian_filter() {
    return {.name = "laplacian",
            .help = "edges: the second derivative",
            .formula =
                "out = |scale (0 1 0; 1 -4 1; 0 1 0) s|, with 8 neighbours (1 1 1; 1 -8 1; 1 1 1); or without the "
                "bars, plus bias",
            .source = "OpenCV, Laplacian with ksize 1",
            .example = "8:scale=0.5",
            .parameters = laplacian_parameters,
            .strengths = laplacian_strength,
            .chroma = Chroma::neutral,
            .has_width = false,
            .alpha = false,
            .check = no_check,
            .make = make_laplacian};
}

FilterDef emboss_filter() {
    return {.name = "emboss",
            .help = "relief, lit from one side",
            .formula =
                "out = s + sqrt(2) strength (cos(angle) px + sin(angle) py), px = (-1 0 1) x (1 1 1)^T, py its "
                "transpose; at 45 degrees (-2 -1 0; -1 1 1; 0 1 2); with style=relief 128 instead of s",
            .source = "the emboss matrix of image editors; derivatives after Prewitt, 1970",
            .example = "1:angle=135",
            .parameters = emboss_parameters,
            .strengths = emboss_steps,
            .chroma = Chroma::off,
            .has_width = false,
            .alpha = false,
            .check = no_check,
            .make = make_emboss};
}

}  // namespace vfilter
