#pragma once
// The arithmetic contract of large smoothings: the picture is decimated, filtered by a smaller LinearFilter, and
// interpolated. Each sample costs a few operations, whatever the size. Every implementation makes the same bytes.
//
// Samples s are unsigned integers of B = 8..15 bits, and the picture goes on for ever, as its border says: outside of
// it s[y][x] is the sample at border_index, or black. D = 2^d = 4 or 8 is the factor. Sample (k, l) of the decimated
// picture stands at row kD and column lD, whatever the picture's size; k and l begin below 0 and end after the
// picture's end, as far as results need them, so that the decimated picture has no border of its own.
//
//     t[k][x]   = (sum_i S_i * s[kD + i][x]       + half(4d - F)) >> (4d - F)         decimated rows, 16 bits
//     p[k][l]   = (sum_i S_i * t[k][lD + i]       + half(4d))     >> 4d               the decimated picture, 16 bits
//     q         = p filtered with `inner`, for 16 bits
//     u[k][x]   = (sum_i S_i * q[k][(x - i) / D]  + half(3d))     >> 3d               interpolated along x
//     out[y][x] = (sum_i S_i * u[(y - i) / D][x]  + half(3d + F)) >> (3d + F)         and along y
//
//     F = 16 - B,   half(n) = n > 0 ? 2^(n - 1) : 0,   >> rounds down,   i = -(2D - 2)..2D - 2, in the last two sums
//     only those i for which the division leaves no rest: four or less
//
// - S, the spline, is what four boxes of D ones give when they are convolved with each other: 4D - 3 integers of sum
//   D^4, of which every D-th ones sum to D^3. It is the discrete cubic B-spline (M. Unser, A. Aldroubi, M. Eden,
//   B-spline signal processing, 1993), hence smooth enough to interpolate, and exact: taps are rounded nowhere but in
//   `inner`.
// - Flat pictures stay what they are: each pass multiplies by a power of two exactly. No tap is below 0, so no sum is
//   larger than for a picture that is at its maximum everywhere: nothing has to be clamped, all of t, p, q and u fit 16
//   bits, and all sums 32.
// - The taps of `inner` come from a fit: S, decimated taps and S again, with an effect that differs in each of D x D
//   phases, are to be as near as taps >= 0 of sum 1 get to the real kernel, by least squares of the differences and of
//   their running sums. The latter is what smooth pictures, which is most of any picture, see of them.
// - error_bound is the most by which a result can miss the real one before its last rounding, for the worst possible
//   picture: the sum of the absolute differences in the worst phase, the quantisation of `inner`, and every rounding
//   to 16 bits on the way. It is what decides: without a promise of less than one least significant bit, and for sizes
//   that are cheap as they are, make_decimated_filter makes nothing.

#include <cstdint>
#include <optional>
#include <vector>

#include "kernels/arithmetic/linear_filter.h"

namespace vfilter {

/// Samples of the decimated picture along one axis.
struct DecimatedSpan {
    int first = 0;
    int count = 0;
};

/// A large smoothing for one depth as integers. Immutable once made; may be shared by any number of threads.
struct DecimatedFilter {
    int depth = 8;           ///< B, 8..15
    int factor_bits = 2;     ///< d, 2 or 3
    LinearFilter inner;      ///< of the decimated picture, 16 bits: one term
    double error_bound = 0;  ///< in LSB; below 1
    FilterKernel exact;      ///< what it approximates, for the reference

    static constexpr int inner_depth = 16;

    [[nodiscard]] int factor() const { return 1 << factor_bits; }
    [[nodiscard]] int max_value() const { return (1 << depth) - 1; }
    [[nodiscard]] int fraction_bits() const { return inner_depth - depth; }  ///< F

    // The shifts of t, p, u and out.
    [[nodiscard]] int decimate_rows_shift() const { return 4 * factor_bits - fraction_bits(); }
    [[nodiscard]] int decimate_columns_shift() const { return 4 * factor_bits; }
    [[nodiscard]] int interpolate_columns_shift() const { return 3 * factor_bits; }
    [[nodiscard]] int interpolate_rows_shift() const { return 3 * factor_bits + fraction_bits(); }

    /// Which decimated samples the results [first, last) are interpolated from: all k with |y - kD| < 2D, and one more.
    [[nodiscard]] DecimatedSpan span_of_results(int first, int last) const {
        return {(first >> factor_bits) - 1, ((last - 1) >> factor_bits) - (first >> factor_bits) + 4};
    }
    /// The same before they are filtered along an axis on which `inner` has that radius.
    [[nodiscard]] DecimatedSpan span_of_decimated(int first, int last, int inner_radius) const {
        const DecimatedSpan inside = span_of_results(first, last);
        return {inside.first - inner_radius, inside.count + 2 * inner_radius};
    }
};

/// S, from -(2D - 2) to 2D - 2.
std::vector<std::int32_t> decimation_spline(int factor);

/// A smoothing by way of a decimated picture; nothing where that is not worth it, or where an error below 1 LSB cannot
/// be promised. `kernel` is a smoothing. Throws std::invalid_argument as make_linear_filter does.
std::optional<DecimatedFilter> make_decimated_filter(const FilterKernel& kernel, int depth);

}  // namespace vfilter
