#pragma once
// The arithmetic contract of every filter that is not a plain smoothing: several separable terms with taps of any sign,
// a multiple of the sample itself, a bias, the magnitude of a gradient, a threshold. Integers, so that every
// implementation makes the same bytes; see convolution.h for the reasons, and for smoothings.
//
// Samples s are unsigned integers of B bits. For each term t
//
//     mid_t = ((sum_j R_tj * s[x + j - rx] + half(row_shift_t)) >> row_shift_t) - centre_t
//     v_t   = sum_j C_tj * mid_t[y + j - ry] + centre_t * sum_j C_tj                          (in units of 2^-T)
//
// and with T = scale, half(n) = n > 0 ? 2^(n - 1) : 0, >> rounding down, clamped to [0, 2^B - 1]:
//
//     sum        v = sum_t v_t + gain * s;    out = |v - (s << T)| < threshold ? s : (v + bias + half(T)) >> T
//     absolute   v = |sum_t v_t + gain * s|;  out = (v + bias + half(T)) >> T
//     magnitude  a_t = clamp((v_t + half(T - 1)) >> (T - 1), -2^(B + 2), 2^(B + 2)), in halves;
//                out = ((isqrt(sum_t a_t^2) + 1) >> 1) + ((bias + half(T)) >> T),   isqrt the floor of the root
//
// - Narrow: R, C and mid fit int16_t, row sums, v_t and v int32_t (up to multiples of 2^32 while they are summed).
// - Wide: R, C and mid fit int32_t, all sums int64_t. Chosen where narrow numbers cannot promise half of
//   a least significant bit: samples of 16 bits, sums far outside of the picture's range.
// - Taps that are multiples of a power of two are exact, hence so are the masks of Sobel, Scharr, Prewitt, Laplace and
//   any matrix of whole numbers of rank 1. Others are rounded with the error spread over their neighbours, and keep
//   their sum. The gain takes what rounding has done to the sum over everything, so that flat areas stay exact.
// - error_bound is the most by which the number before its last rounding can miss the real one, for the worst possible
//   picture. Below 1, so that no sample is ever off by more than 1 (a threshold apart, at which the result jumps).

#include <cstdint>
#include <vector>

#include "kernels/arithmetic/filter_kernel.h"

namespace vfilter {

struct CompositeTerm {
    std::vector<std::int32_t> rows;     ///< R, of odd length
    std::vector<std::int32_t> columns;  ///< C, of odd length
    int row_shift = 0;
    std::int32_t centre = 0;

    [[nodiscard]] int radius_x() const { return static_cast<int>(rows.size() / 2); }
    [[nodiscard]] int radius_y() const { return static_cast<int>(columns.size() / 2); }
    /// centre * sum of C.
    [[nodiscard]] std::int64_t centre_sum() const;
};

/// Immutable once made; may be shared by any number of threads.
struct Composite {
    int depth = 8;
    bool wide = false;
    Combine combine = Combine::sum;
    std::vector<CompositeTerm> terms;
    int scale = 1;          ///< T, 1 or more
    std::int64_t gain = 0;  ///< in units of 2^-T
    std::int64_t bias = 0;
    std::int64_t threshold = 0;  ///< 0 for none
    double error_bound = 0;
    FilterKernel exact;  ///< what it approximates, for the reference

    [[nodiscard]] int max_value() const { return (1 << depth) - 1; }
    /// Largest of any term.
    [[nodiscard]] int radius_x() const;
    [[nodiscard]] int radius_y() const;
    /// The limit of a_t.
    [[nodiscard]] std::int32_t magnitude_limit() const { return 1 << (depth + 2); }
};

/// Quantises a kernel. Throws std::invalid_argument for a depth outside 8..16, a kernel with taps that are not finite
/// or of even number, or one that the contract cannot hold.
Composite make_composite(const FilterKernel& kernel, int depth);

}  // namespace vfilter
