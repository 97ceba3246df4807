#pragma once
// The rows of the filter table, by kind: for filters.cpp and the files that define them.

#include "filters/filters.h"

namespace vfilter {

// smoothing_filters.cpp
FilterDef gaussian_filter();
FilterDef box_filter();
FilterDef motion_filter();
FilterDef sharpen_filter();
FilterDef dog_filter();
FilterDef log_filter();
// edge_filters.cpp
FilterDef sobel_filter();
FilterDef scharr_filter();
FilterDef prewitt_filter();
FilterDef laplacian_filter();
FilterDef emboss_filter();
// matrix_filter.cpp
FilterDef kernel_filter();
FilterDef identity_filter();
// denoise_filters.cpp
FilterDef nl_means_filter();
FilterDef denoise_filter();
// edge_keeping_filters.cpp
FilterDef bilateral_filter();
FilterDef guided_filter();
// deband_filter.cpp
FilterDef deband_filter();
// block_filters.cpp
FilterDef pixelate_filter();
FilterDef fill_filter();
// rank_filters.cpp
FilterDef median_filter();
// temporal_filters.cpp
FilterDef temporal_median_filter();
FilterDef temporal_average_filter();

/// The parameters of filters with time: a window of `frames` pictures on either side, if `after` is not given.
constexpr Parameter frames_parameter(double least, double most, double usual) {
    return {.name = "frames",
            .unit = "pictures",
            .minimum = least,
            .maximum = most,
            .help = "half the number of pictures used besides the one being filtered",
            .fallback = usual,
            .whole = true};
}
constexpr Parameter after_parameter(double most) {
    return {
        .name = "after",
        .unit = "pictures",
        .minimum = 0,
        .maximum = most,
        .help =
            "how many of them come after it, for which the filter has to wait; default: frames, or 0 for live inputs",
        .whole = true};
}
/// By the two parameters at `first`, in that order.
TimeReach time_reach_of(const FilterSpec& spec, std::size_t first);
/// What is wrong with them; empty if nothing is.
std::string check_time(const FilterSpec& spec, std::size_t first);

/// Taps divided by their sum.
std::vector<double> normalised(std::vector<double> taps);

/// Biases and thresholds are given in levels of an 8-bit picture, whatever the depth.
inline constexpr double levels = 256;

/// Steps of Strength: sizes stay odd, amounts change by tenths, values that span decades by a factor.
inline constexpr double size_step = 2;
inline constexpr double amount_step = 0.1;
inline constexpr double factor_step = 1.25;

/// For filters whose arguments may be combined freely.
inline std::string no_check(const FilterSpec& /*spec*/) {
    return {};
}

}  // namespace vfilter
