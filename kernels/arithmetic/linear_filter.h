#pragma once
// The arithmetic contract of linear filters, and of what is made of their sums. Every implementation (scalar, SIMD,
// CUDA cores, tensor cores) computes exactly these integers, so that the bytes of a filtered picture depend on nothing
// but the picture and the filter.
//
// Samples s are unsigned integers of B = 8..16 bits; bits of the storage above or below the sample are ignored when
// read and written as zero. A filter is a sum of separable terms. For each term t, with half(n) = n > 0 ? 2^(n - 1) : 0
// and >> rounding down, the row pass, the column pass and the finish are
//
//     mid_t = ((sum_j R_tj * s[x + j - rx] + half(row_shift_t)) >> row_shift_t) - centre_t        the intermediate
//     v_t   = sum_j C_tj * mid_t[y + j - ry] + centre_t * sum_j C_tj                              in units of 2^-T
//
//     sum        v = sum_t v_t + gain * s;    out = |v - (s << T)| < threshold ? s : (v + bias + half(T)) >> T
//     absolute   v = |sum_t v_t + gain * s|;  out = (v + bias + half(T)) >> T
//     magnitude  a_t = clamp((v_t + half(T - 1)) >> (T - 1), -2^(B + 2), 2^(B + 2)), in halves;
//                out = ((isqrt(sum_t a_t^2) + 1) >> 1) + ((bias + half(T)) >> T),   isqrt the floor of the root
//
// with T = shift, and out clamped to [0, 2^B - 1] in the end. What the numbers fit is the filter's `arithmetic`:
//
// - int16: R, C and mid fit int16_t. Sums fit int32_t up to a multiple of 2^32, and the shifted result fits for
//   certain, so that wrapping 32-bit arithmetic in any order, of any width, is exact.
// - split: one term of a smoothing, mid fits int16_t, and taps are 2^l * H + L with H in int16_t and L in
//   [-2^(l - 1), 2^(l - 1)), where l = low_bits is 8 or 10. (2^l a + b) >> n == (a + (b >> l)) >> (n - l) for the sums
//   a over H and b over L: floor division nests, so each pass is two of int16. The sum b must not wrap: 2^(17 - l) - 1
//   taps are certain to fit int32_t, 511 or 127. Where there are more, b is carried into a on the way, which is exact
//   as well: a + (b >> l) and b & (2^l - 1) stand for the same sum.
// - int64: R, C and mid fit int32_t, sums int64_t.
//
// How a kernel of real numbers becomes such integers:
//
// - Quantisation errors are spread from tap to tap (error diffusion from the outside in), and taps keep their sum, not
//   dumped on the centre. Taps that are multiples of a power of two are exact, hence so are the masks of Sobel, Scharr,
//   Prewitt, Laplace and any matrix of whole numbers of rank 1. The gain takes what rounding has done to the sum over
//   everything, so that flat areas stay exact.
// - Taps of a box, all the same on either side, become two neighbouring integers, the larger ones next to each other in
//   the middle (but for the very middle one, where their number is even: see quantise_equal). No choice misses the real
//   ones by less, and sums over such taps can be made of a few sums that run.
// - A smoothing (one symmetric term, taps >= 0, sum 1, nothing added) has taps that sum to powers of two, and
//   mid is centred by 2^(B + F - 1), F its fraction bits. Where int16 cannot promise less than 1 LSB (large sizes above
//   10 bits of depth), split taps that sum to 2^24 are chosen, or to 2^26 (261 taps and more, at 16 bits).
// - A box is `uniform` instead if the promise can be kept so: R_j = 1, row_shift = 0 and C_j = m with 2^T / m nearest
//   to the number of samples. A sum of neighbours is then the same running sum in any order, whatever the size.
// - Any other filter is int16 if that promises 0.6 LSB or less, else int64.
// - The search over fraction bits and scales minimises error_bound: the most by which the number before its last
//   rounding can miss the real one, for the worst possible picture. It is below 1, so that no sample is ever off by
//   more than 1 (a threshold apart, at which the result jumps).

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "kernels/arithmetic/arithmetic.h"
#include "kernels/arithmetic/filter_kernel.h"

namespace vfilter {

/// The largest whole number whose square is not above n. 0 <= n < 2^62.
inline std::int64_t integer_root(std::int64_t n) {
    auto root = static_cast<std::int64_t>(std::sqrt(static_cast<double>(n)));
    while (root * root > n) {
        --root;
    }
    while ((root + 1) * (root + 1) <= n) {
        ++root;
    }
    return root;
}

enum class Arithmetic { int16, split, int64 };

/// One separable term. Both passes have an odd number of taps.
struct Term {
    std::vector<std::int32_t> rows;     ///< R, applied along x
    std::vector<std::int32_t> columns;  ///< C, applied along y
    int row_shift = 0;
    std::int32_t centre = 0;  ///< what is subtracted from the intermediate

    [[nodiscard]] int radius_x() const { return static_cast<int>(rows.size() / 2); }
    [[nodiscard]] int radius_y() const { return static_cast<int>(columns.size() / 2); }
    /// centre * sum of C.
    [[nodiscard]] std::int64_t centre_sum() const;
};

/// What the sums of the terms go through.
struct Finish {
    Combine combine = Combine::sum;
    int shift = 1;          ///< T, 1 or more
    std::int64_t gain = 0;  ///< in units of 2^-T, as all that follows
    std::int64_t bias = 0;
    std::int64_t threshold = 0;  ///< 0 for none

    /// Nothing but the shift: no gain, no bias, no threshold, no sign to lose.
    [[nodiscard]] bool plain() const { return combine == Combine::sum && gain == 0 && bias == 0 && threshold == 0; }
    [[nodiscard]] std::int64_t rounded_bias() const { return bias + half(shift); }
};

/// A linear filter for samples of one depth. Immutable once made; may be shared by any number of threads.
struct LinearFilter {
    int depth = 8;  ///< B, 8..16
    Arithmetic arithmetic = Arithmetic::int16;
    int low_bits = 0;         ///< l of split taps, else 0
    bool uniform = false;     ///< one term, whose taps are the same in either pass, and more than one sample
    std::vector<Term> terms;  ///< none: every result is made of the sample itself and the bias
    Finish finish;
    double error_bound = 0;  ///< in LSB; below 1, or below what it was made for
    FilterKernel exact;      ///< what it approximates, for the reference

    [[nodiscard]] int max_value() const { return (1 << depth) - 1; }
    /// The largest of any term.
    [[nodiscard]] int radius_x() const;
    [[nodiscard]] int radius_y() const;
    [[nodiscard]] int radius() const { return std::max(radius_x(), radius_y()); }
    /// The limit of a_t.
    [[nodiscard]] std::int32_t magnitude_limit() const { return 1 << (depth + 2); }
    /// One term of taps >= 0 with a plain finish of which no picture can make a result outside the range: nothing has
    /// to be clamped. Smoothings are.
    [[nodiscard]] bool bounded() const;
    /// Every result is the same.
    [[nodiscard]] bool constant() const { return terms.empty() && finish.gain == 0 && finish.threshold == 0; }

    // The finish, as written above.
    /// a_t^2 of a term's v_t.
    [[nodiscard]] std::int64_t square(std::int64_t v) const {
        const std::int64_t limit = magnitude_limit();
        const std::int64_t halves = std::clamp((v + half(finish.shift - 1)) >> (finish.shift - 1), -limit, limit);
        return halves * halves;
    }
    /// The sample made of `v`, the sum of all v_t, or of all a_t^2 for magnitudes; `sample` is the one that was there.
    [[nodiscard]] int result(std::int64_t v, std::int64_t sample) const {
        return static_cast<int>(std::clamp<std::int64_t>(unclamped(v, sample), 0, max_value()));
    }
    [[nodiscard]] std::int64_t unclamped(std::int64_t v, std::int64_t sample) const {
        const std::int64_t added = finish.rounded_bias();
        if (finish.combine == Combine::magnitude) {
            return ((integer_root(v) + 1) >> 1) + (added >> finish.shift);
        }
        v += finish.gain * sample;
        if (finish.combine == Combine::absolute) {
            return (std::abs(v) + added) >> finish.shift;
        }
        const bool kept = std::abs(v - (sample << finish.shift)) < finish.threshold;
        return kept ? sample : (v + added) >> finish.shift;
    }
};

/// Whether a kernel is a smoothing: one term, nothing added, both sides symmetric, of odd length, at least 0
/// everywhere, and of sum 1.
bool is_smoothing(const FilterKernel& kernel);

/// Quantises a kernel. `max_error` is what error_bound has to be less than: 1, or more, in LSB, where the result of a
/// smoothing is a number on the way to a coarser one. Throws std::invalid_argument for a depth outside 8..16, a kernel
/// with taps that are not finite or of even number, or one that the contract cannot hold.
LinearFilter make_linear_filter(const FilterKernel& kernel, int depth, double max_error = 1);

}  // namespace vfilter
