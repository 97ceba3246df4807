// Gaussians, boxes, and what is made of them.

#include <algorithm>
#include <cmath>
#include <numeric>

#include "filters/filter_rows.h"

namespace vfilter {

std::vector<double> normalised(std::vector<double> taps) {
    const double sum = std::accumulate(taps.begin(), taps.end(), 0.0);
    for (double& tap : taps) {
        tap /= sum;
    }
    return taps;
}

namespace {

constexpr double max_sigma = 100;  // 3 sigma on either side is max_kernel_size
constexpr double max_amount = 10;
constexpr double max_shown_scale = 100;

constexpr Parameter size_parameter{"size",          "pixels", 1,
                                   max_kernel_size, true,     "side of the kernel; default 2*ceil(3*sigma)+1"};
constexpr Parameter sigma_parameter{
    "sigma", "pixels",
    0.05,    max_sigma,
    false,   "standard deviation; default 0.3*((size-1)/2-1)+0.8, but OpenCV's dyadic taps for the sizes 3, 5 and 7"};

// ------------------------------------------------------------------------------------------------------- gaussian

int size_for_sigma(double sigma) {
    return 2 * static_cast<int>(std::ceil(3 * sigma)) + 1;
}
double sigma_for_size(double size) {
    return 0.3 * ((size - 1) * 0.5 - 1) + 0.8;
}

// OpenCV's small_gaussian_tab: binomial coefficients, and for 7 a dyadic approximation of sigma 1.4.
std::vector<double> dyadic_gaussian(int size) {
    switch (size) {
        case 3:
            return {0.25, 0.5, 0.25};
        case 5:
            return {0.0625, 0.25, 0.375, 0.25, 0.0625};
        case 7:
            return {0.03125, 0.109375, 0.21875, 0.28125, 0.21875, 0.109375, 0.03125};
        default:
            return {};
    }
}

std::vector<double> sampled_gaussian(int radius, double sigma) {
    std::vector<double> taps(static_cast<std::size_t>(2 * radius + 1));
    for (int i = 0; i <= radius; ++i) {
        const double tap = std::exp(-0.5 * (i / sigma) * (i / sigma));
        taps[static_cast<std::size_t>(radius - i)] = taps[static_cast<std::size_t>(radius + i)] = tap;
    }
    return normalised(std::move(taps));
}

/// A size, a sigma, or both.
struct Width {
    std::optional<double> size;
    std::optional<double> sigma;
};

std::vector<double> gaussian_taps(const Width& width, double pitch) {
    const auto size = static_cast<int>(width.size ? *width.size : size_for_sigma(*width.sigma));
    if (pitch == 1 && !width.sigma) {
        if (auto taps = dyadic_gaussian(size); !taps.empty()) {
            return taps;
        }
    }
    const int whole_radius = size / 2;
    const int radius = static_cast<int>(std::ceil(whole_radius / pitch));
    return sampled_gaussian(radius, (width.sigma ? *width.sigma : sigma_for_size(size)) / pitch);
}

SeparableKernel gaussian_kernel(const Width& width, double pitch_x, double pitch_y) {
    return {gaussian_taps(width, pitch_x), gaussian_taps(width, pitch_y)};
}

constexpr Parameter gaussian_parameters[] = {size_parameter, sigma_parameter};
// Where both are given, the size only says where the Gaussian is cut off.
constexpr Strength gaussian_strengths[] = {{1, factor_step, true}, {0, size_step, false}};

std::string check_gaussian(const FilterSpec& spec) {
    return spec.given(0) || spec.given(1) ? "" : "a size or a sigma is needed";
}

FilterKernel make_gaussian(const FilterSpec& spec, double pitch_x, double pitch_y) {
    return {.terms = {gaussian_kernel({spec.values[0], spec.values[1]}, pitch_x, pitch_y)}};
}

// ------------------------------------------------------------------------------------------------------------ box

constexpr Parameter box_parameters[] = {
    {"size", "pixels", 1, max_kernel_size, true, "side of the square that is averaged"},
};

constexpr Strength size_strength[] = {{0, size_step, false}};

std::string check_size(const FilterSpec& spec) {
    return spec.given(0) ? "" : "a size is needed";
}

std::vector<double> box_taps(double size, double pitch) {
    // A box of `size` pixels covers size / pitch samples: whole ones inside, a fraction of one at either end.
    const double extent = size / pitch;
    const int radius = static_cast<int>(std::ceil((extent - 1) / 2));
    std::vector<double> taps(static_cast<std::size_t>(2 * radius + 1), 1.0);
    if (radius > 0) {
        taps.front() = taps.back() = (extent - (2 * radius - 1)) / 2;
    }
    return normalised(std::move(taps));
}

FilterKernel make_box(const FilterSpec& spec, double pitch_x, double pitch_y) {
    return {.terms = {{box_taps(*spec.values[0], pitch_x), box_taps(*spec.values[0], pitch_y)}}};
}

// --------------------------------------------------------------------------------------------------------- motion

constexpr std::string_view axes[] = {"x", "y"};

constexpr Parameter motion_parameters[] = {
    {"size", "pixels", 1, max_kernel_size, true, "length of the streak"},
    {"direction", "", 0, 0, false, "axis of the motion, in the picture as stored", 0, axes},
};

FilterKernel make_motion(const FilterSpec& spec, double pitch_x, double pitch_y) {
    if (spec.value(1) == 0) {
        return {.terms = {{box_taps(*spec.values[0], pitch_x), {1}}}};
    }
    return {.terms = {{{1}, box_taps(*spec.values[0], pitch_y)}}};
}

// -------------------------------------------------------------------------------------------------------- sharpen

enum : std::size_t { sharpen_amount, sharpen_size, sharpen_sigma, sharpen_threshold };

constexpr Parameter sharpen_parameters[] = {
    {"amount", "times", 0, max_amount, false, "how much of the detail is added", 1},
    {"size", "pixels", 1, max_kernel_size, true,
     "side of the Gaussian that separates detail; default 5 if sigma is not given either"},
    sigma_parameter,
    {"threshold", "levels of 256", 0, 255, false, "samples with less detail than this keep their value", 0},
};

constexpr Strength sharpen_strength[] = {{sharpen_amount, amount_step, false}};

FilterKernel make_sharpen(const FilterSpec& spec, double pitch_x, double pitch_y) {
    constexpr double default_size = 5;
    const double amount = spec.value(sharpen_amount);
    Width width{spec.values[sharpen_size], spec.values[sharpen_sigma]};
    if (!width.size && !width.sigma) {
        width.size = default_size;
    }
    SeparableKernel blur = gaussian_kernel(width, pitch_x, pitch_y);
    for (double& tap : blur.columns) {
        tap *= -amount;
    }
    return {
        .terms = {std::move(blur)}, .gain = 1 + amount, .threshold = amount * spec.value(sharpen_threshold) / levels};
}

// ------------------------------------------------------------------------------------------------------------ dog

// Signed results are shown as absolute values, or around a bias if one is given.
FilterKernel show(std::vector<SeparableKernel> terms, double gain, double scale, const std::optional<double>& bias) {
    for (SeparableKernel& term : terms) {
        for (double& tap : term.columns) {
            tap *= scale;
        }
    }
    return {.terms = std::move(terms),
            .combine = bias ? Combine::sum : Combine::absolute,
            .gain = gain * scale,
            .bias = bias.value_or(0) / levels};
}

enum : std::size_t { dog_sigma, dog_sigma2, dog_scale, dog_bias };

constexpr Parameter shown_scale_parameter{"scale", "times", 0, max_shown_scale, false, "factor applied to the result",
                                          1};
constexpr Parameter shown_bias_parameter{
    "bias", "levels of 256", -255, 255, false, "level that stands for zero; without it the absolute value is shown"};

constexpr Parameter dog_parameters[] = {
    {"sigma", "pixels", 0.05, max_sigma, false, "standard deviation of the narrow Gaussian", 1},
    {"sigma2", "pixels", 0.05, max_sigma, false,
     "standard deviation of the wide Gaussian; default 1.6 times that of the narrow one"},
    shown_scale_parameter,
    shown_bias_parameter,
};

constexpr Strength dog_strength[] = {{dog_scale, factor_step, true}};

constexpr double default_ratio = 1.6;  // where the difference is nearest to a Laplacian of Gaussian

std::string check_dog(const FilterSpec& spec) {
    const double wide = spec.values[dog_sigma2].value_or(default_ratio * spec.value(dog_sigma));
    return wide <= max_sigma ? "" : "sigma2 would be above 100 pixels: sigma is at most 62.5 without it";
}

FilterKernel make_dog(const FilterSpec& spec, double pitch_x, double pitch_y) {
    const double sigma = spec.value(dog_sigma);
    const double sigma2 = spec.values[dog_sigma2].value_or(default_ratio * sigma);
    SeparableKernel wide = gaussian_kernel({{}, sigma2}, pitch_x, pitch_y);
    for (double& tap : wide.columns) {
        tap = -tap;
    }
    return show({gaussian_kernel({{}, sigma}, pitch_x, pitch_y), std::move(wide)}, 0, spec.value(dog_scale),
                spec.values[dog_bias]);
}

// ------------------------------------------------------------------------------------------------------------ log

enum : std::size_t { log_sigma, log_scale, log_bias };

constexpr double max_log_sigma = 75;  // 4 sigma on either side

constexpr Parameter log_parameters[] = {
    {"sigma", "pixels", 0.3, max_log_sigma, false, "standard deviation of the Gaussian", 1.4},
    shown_scale_parameter,
    shown_bias_parameter,
};

constexpr Strength log_strength[] = {{log_scale, factor_step, true}};

struct SecondDerivative {
    std::vector<double> smooth;
    std::vector<double> second;  ///< times sigma^2; its sum is 0
};

SecondDerivative second_derivative(double sigma) {
    const int radius = static_cast<int>(std::ceil(4 * sigma));
    SecondDerivative made{sampled_gaussian(radius, sigma), {}};
    double sum = 0;
    for (int i = -radius; i <= radius; ++i) {
        const double u = i / sigma;
        made.second.push_back((u * u - 1) * made.smooth[static_cast<std::size_t>(i + radius)]);
        sum += made.second.back();
    }
    // Sampling and truncation leave a small sum, which would show as grey in flat areas.
    for (int i = -radius; i <= radius; ++i) {
        made.second[static_cast<std::size_t>(i + radius)] -= sum * made.smooth[static_cast<std::size_t>(i + radius)];
    }
    return made;
}

FilterKernel make_log(const FilterSpec& spec, double pitch_x, double pitch_y) {
    const SecondDerivative x = second_derivative(spec.value(log_sigma) / pitch_x);
    const SecondDerivative y = second_derivative(spec.value(log_sigma) / pitch_y);
    return show({{x.second, y.smooth}, {x.smooth, y.second}}, 0, spec.value(log_scale), spec.values[log_bias]);
}

}  // namespace

FilterDef gaussian_filter() {
    return {
        .name = "gaussian",
        .help = "Gaussian blur",
        .formula =
            "tap(i) = exp(-i^2 / (2 sigma^2)), normalised; the sizes 3, 5 and 7 without sigma use the dyadic taps (1 "
            "2 1)/4, (1 4 6 4 1)/16 and (2 7 14 18 14 7 2)/64",
        .source = "OpenCV, getGaussianKernel",
        .example = "5",
        .parameters = gaussian_parameters,
        .strengths = gaussian_strengths,
        .check = check_gaussian,
        .make = make_gaussian};
}

FilterDef box_filter() {
    return {.name = "box",
            .help = "box blur: the mean of a square",
            .formula = "tap(i) = 1 / size",
            .source = "OpenCV, blur",
            .example = "5",
            .parameters = box_parameters,
            .strengths = size_strength,
            .check = check_size,
            .make = make_box};
}

FilterDef motion_filter() {
    return {.name = "motion",
            .help = "motion blur: the mean along one axis",
            .formula = "tap(i) = 1 / size along the axis, 1 across it",
            .source = "OpenCV, blur with a side of 1",
            .example = "15:direction=y",
            .parameters = motion_parameters,
            .strengths = size_strength,
            .check = check_size,
            .make = make_motion};
}

FilterDef sharpen_filter() {
    return {.name = "sharpen",
            .help = "sharpen: unsharp mask",
            .formula = "out = s + amount (s - G s), G the Gaussian; s where |s - G s| < threshold, within a level",
            .source = "R. C. Gonzalez, R. E. Woods, Digital Image Processing, unsharp masking",
            .example = "0.8:sigma=1.2:threshold=3",
            .parameters = sharpen_parameters,
            .strengths = sharpen_strength,
            .check = no_check,
            .make = make_sharpen};
}

FilterDef dog_filter() {
    return {
        .name = "dog",
        .help = "difference of Gaussians: edges and blobs of one size",
        .formula =
            "out = |scale (G(sigma) s - G(sigma2) s)|, or without the bars, plus bias; each Gaussian is cut off at 3 "
            "sigma, rounded up",
        .source = "D. Marr, E. Hildreth, Theory of edge detection, 1980",
        .example = "1:sigma2=2:scale=4",
        .parameters = dog_parameters,
        .strengths = dog_strength,
        .chroma = Chroma::neutral,
        .alpha = false,
        .check = check_dog,
        .make = make_dog};
}

FilterDef log_filter() {
    return {.name = "log",
            .help = "Laplacian of Gaussian: edges and blobs of one size",
            .formula =
                "out = |scale sigma^2 (d2/dx2 + d2/dy2) G(sigma) s|, or without the bars, plus bias; "
                "tap''(i) = (i^2/sigma^2 - 1 - c) tap(i), |i| <= ceil(4 sigma), with c for a sum of 0",
            .source = "D. Marr, E. Hildreth, Theory of edge detection, 1980; scale-normalised after T. Lindeberg, 1998",
            .example = "1.4:scale=4",
            .parameters = log_parameters,
            .strengths = log_strength,
            .chroma = Chroma::neutral,
            .alpha = false,
            .check = no_check,
            .make = make_log};
}

}  // namespace vfilter
