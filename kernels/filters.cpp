#include "kernels/filters.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace vfilter {

namespace {

std::vector<double> normalised(std::vector<double> taps) {
    const double sum = std::accumulate(taps.begin(), taps.end(), 0.0);
    for (double& tap : taps) {
        tap /= sum;
    }
    return taps;
}

// ------------------------------------------------------------------------------------------------------- gaussian

enum GaussianParameter : std::size_t { gaussian_size, gaussian_sigma };

constexpr double max_sigma = 42;  // 3 sigma on either side is 253 taps

constexpr Parameter gaussian_parameters[] = {
    {"size", "pixels", 1, max_kernel_size, true, "side of the kernel; without it 2*ceil(3*sigma)+1"},
    {"sigma", "pixels", 0.05, max_sigma, false,
     "standard deviation; without it 0.3*((size-1)/2-1)+0.8, and OpenCV's dyadic taps for the sizes 3, 5 and 7"},
};

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

std::string check_gaussian(const ParameterValues& values) {
    return values[gaussian_size] || values[gaussian_sigma] ? "" : "a size or a sigma is needed";
}

SeparableKernel make_gaussian(const ParameterValues& values, double pitch_x, double pitch_y) {
    const auto size =
        static_cast<int>(values[gaussian_size] ? *values[gaussian_size] : size_for_sigma(*values[gaussian_sigma]));
    const double sigma = values[gaussian_sigma] ? *values[gaussian_sigma] : sigma_for_size(size);
    const auto side = [&](double pitch) {
        if (pitch == 1 && !values[gaussian_sigma]) {
            if (auto taps = dyadic_gaussian(size); !taps.empty()) {
                return taps;
            }
        }
        const int whole_radius = size / 2;
        const int radius = static_cast<int>(std::ceil(whole_radius / pitch));
        return sampled_gaussian(radius, sigma / pitch);
    };
    return {side(pitch_x), side(pitch_y)};
}

// ------------------------------------------------------------------------------------------------------------ box

constexpr Parameter box_parameters[] = {
    {"size", "pixels", 1, max_kernel_size, true, "side of the square that is averaged"},
};

std::string check_box(const ParameterValues& values) {
    return values[0] ? "" : "a size is needed";
}

SeparableKernel make_box(const ParameterValues& values, double pitch_x, double pitch_y) {
    const auto side = [&](double pitch) {
        // Samples that are pitch apart cover size / pitch of themselves: whole ones inside, a part of one at either
        // end.
        const double extent = *values[0] / pitch;
        const int radius = static_cast<int>(std::ceil((extent - 1) / 2));
        std::vector<double> taps(static_cast<std::size_t>(2 * radius + 1), 1.0);
        if (radius > 0) {
            taps.front() = taps.back() = (extent - (2 * radius - 1)) / 2;
        }
        return normalised(std::move(taps));
    };
    return {side(pitch_x), side(pitch_y)};
}

// ---------------------------------------------------------------------------------------------------------- table

constexpr FilterDef table[] = {
    {"gaussian", "Gaussian blur",
     "tap(i) = exp(-i^2 / (2 sigma^2)), normalised; sizes and sigma as in OpenCV's GaussianBlur", "5",
     gaussian_parameters, check_gaussian, make_gaussian},
    {"box", "box blur: the mean of a square", "tap(i) = 1 / size; as OpenCV's blur", "5", box_parameters, check_box,
     make_box},
};

}  // namespace

std::span<const FilterDef> filter_table() {
    return table;
}

const FilterDef* find_filter(std::string_view name) {
    const auto* const found = std::ranges::find(table, name, &FilterDef::name);
    return found == std::end(table) ? nullptr : found;
}

}  // namespace vfilter
