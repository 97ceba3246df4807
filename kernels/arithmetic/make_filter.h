#pragma once
// The two searches for integers that keep the promise of linear_filter.h. Not for others than linear_filter.cpp.

#include <optional>

#include "kernels/arithmetic/linear_filter.h"

namespace vfilter {

/// A bound of the error that nobody sees. Below it more fraction bits for the intermediate are worth more than more
/// bits for the taps.
constexpr double comfortable_bound = 0.25;

// smoothing.cpp
/// Of a smoothing: uniform, int16 or split, the first that misses by less than `max_error`.
std::optional<LinearFilter> make_smoothing(const FilterKernel& kernel, int depth, double max_error);

// sum_of_terms.cpp
/// Of any kernel: int16 or int64, by its terms or by the direct ones.
std::optional<LinearFilter> make_sum_of_terms(const FilterKernel& kernel, int depth);

}  // namespace vfilter
