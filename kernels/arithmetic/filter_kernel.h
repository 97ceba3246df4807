#pragma once
// A filter as real numbers: what is meant, before it is rounded to integers.

#include <vector>

namespace vfilter {

/// Largest side of a kernel, in pixels.
inline constexpr int max_kernel_size = 601;

/// One row and one column of taps, each of odd length. Their outer product is what a sample's neighbourhood is
/// multiplied with (correlated, as in OpenCV's filter2D: taps are not mirrored).
struct SeparableKernel {
    std::vector<double> rows;     ///< applied along x
    std::vector<double> columns;  ///< applied along y
};

/// How the sums v_t over the terms become one number.
enum class Combine {
    sum,        ///< sum of v_t, plus gain * s
    absolute,   ///< |sum of v_t, plus gain * s|
    magnitude,  ///< sqrt(sum of v_t^2); gain is 0
};

/// result = combine(gain * s, terms) + bias, then rounded (half up) and clamped to the samples' range. With a
/// threshold, a sample that `sum` would change by less keeps its value.
struct FilterKernel {
    std::vector<SeparableKernel> terms{};
    std::vector<SeparableKernel> direct{};  ///< other terms of the same sum, for when those are not exact enough
    Combine combine = Combine::sum;
    double gain = 0;
    double bias = 0;       ///< as a share of 2^depth
    double threshold = 0;  ///< as a share of 2^depth; with Combine::sum and no bias only

    [[nodiscard]] bool identity() const { return terms.empty() && gain == 1 && bias == 0; }
};

}  // namespace vfilter
