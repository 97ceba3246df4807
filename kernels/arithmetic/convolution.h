#pragma once
// The arithmetic contract of smoothings: one separable kernel with taps >= 0 that sum to 1. Every implementation
// (scalar, SIMD, CUDA) computes exactly these integers, so that the bytes of a filtered picture depend on nothing but
// the picture and the filter. composite.h has the contract of all other filters.
//
// Samples s are unsigned integers of B = 8..16 bits; bits of the storage above or below the sample are ignored when
// read and written as zero. A filter is one row pass and one column pass:
//
//     mid = ((sum_j R_j * s[x + j - rx] + half(row_shift)) >> row_shift) - 2^(B + F - 1)
//     out = clamp((sum_j C_j * mid[y + j - ry] + 2^(B + F - 1) * sum_j C_j + half(column_shift)) >> column_shift,
//                 0, 2^B - 1)
//
//     half(n) = n > 0 ? 2^(n - 1) : 0,   >> rounds down
//
// - Taps R, C are integers >= 0 that sum to exactly 2^row_scale and 2^column_scale, row_shift = row_scale - F,
//   column_shift = column_scale + F. The quantisation error is spread from tap to tap (error diffusion from the outside
//   in, mirrored), not dumped on the centre.
// - Where all real taps of either side are the same, as a box's, so are the integers, if the promise below can be kept:
//   R_j = 1, row_shift = 0, and C_j = m with 2^column_shift / m nearest to the number of samples. A sum of neighbours
//   is then the same running sum in any order, whatever the size.
// - mid, the intermediate, keeps F fraction bits, is centred on zero and fits int16_t, whatever the samples.
// - Taps fit int16_t, or (`wide`) are 2^l * H + L with H in int16_t and L in [-2^(l - 1), 2^(l - 1)), where l, which is
//   `low_bits`, is 8 or 10. Sums of taps times samples (of wide ones those over H) then fit int32_t up to a multiple of
//   2^32, and the shifted result fits for certain, so that wrapping 32-bit arithmetic in any order, of any width, is
//   exact. With wide taps  (2^l a + b) >> n  ==  (a + (b >> l)) >> (n - l)  for the sums a over H and b over L: floor
//   division nests. b itself must not wrap: 2^(17 - l) - 1 taps are certain to fit int32_t, 511 or 127. Where there are
//   more, b is carried into a on the way, which is exact as well: a + (b >> l) and b & (2^l - 1) stand for the same
//   sum.
// - F and the scales come from a search that bounds the error against the real-valued taps for the worst possible
//   picture: quantisation of both passes and rounding of mid together stay under one least significant bit before the
//   last rounding, hence never more than 1 LSB after it. Where 16-bit taps cannot promise that (large sizes above 10
//   bits of depth), wide taps that sum to 2^24 are chosen, or to 2^26 (261 taps and more, at 16 bits): their low
//   parts have 8 and 10 bits. Where those cannot either, construction throws.

#include <cstdint>
#include <numeric>
#include <vector>

#include "kernels/arithmetic/filter_kernel.h"

namespace vfilter {

/// One pass as integers. `taps.size()` is odd.
struct Pass {
    std::vector<std::int32_t> taps;
    int scale = 0;      ///< log2 of the sum of the taps; 0 if the convolution is uniform
    int shift = 0;      ///< right shift after the sum
    bool wide = false;  ///< taps need more than 16 bits
    int low_bits = 0;   ///< of wide taps: bits of their low part, 8 or 10
    double unit = 1;    ///< what one unit of a tap is worth

    [[nodiscard]] int radius() const { return static_cast<int>(taps.size() / 2); }
    [[nodiscard]] std::int64_t sum() const { return std::accumulate(taps.begin(), taps.end(), std::int64_t{0}); }
};

/// A filter for one depth as integers. Immutable once made; may be shared by any number of threads.
struct Convolution {
    int depth = 8;  ///< B, 8..16
    Pass rows;
    Pass columns;
    int fraction_bits = 0;   ///< F
    double error_bound = 0;  ///< most by which the unrounded result can miss the real one, in LSB; below 1, or what it
                             ///< was made for
    SeparableKernel exact;   ///< what it approximates, for the reference

    /// All taps of a side are the same, and nothing is rounded before the end.
    [[nodiscard]] bool uniform() const { return rows.scale == 0 && rows.taps.size() * columns.taps.size() > 1; }
    [[nodiscard]] int max_value() const { return (1 << depth) - 1; }
    /// What is subtracted from the intermediate so that it fits int16_t.
    [[nodiscard]] int centre() const { return 1 << (depth + fraction_bits - 1); }
};

/// Whether a kernel is a smoothing: both sides symmetric, of odd length, at least 0 everywhere, and of sum 1.
bool is_smoothing(const SeparableKernel& kernel);

/// Quantises a smoothing. Throws std::invalid_argument for a depth outside 8..16, a kernel that is none, or one that
/// the contract cannot hold. `most_error` is what error_bound has to be less than; 1 or more, in LSB, where the result
/// is a number on the way to a coarser one.
Convolution make_convolution(const SeparableKernel& kernel, int depth, double most_error = 1);

}  // namespace vfilter
