#pragma once
// The arithmetic contract of a guided filter that is its own guide: in each window the samples are thought of as the
// mean plus a slope times what they differ from it, a slope near 1 where they vary more than sigma and near 0 where
// they vary less. The plane goes on outside of the picture as its border says, everywhere below.
//
// A window has N = (2 radius_x + 1) (2 radius_y + 1) samples. For the one around each place k
//
//     S = sum of s,  V = N (sum of s^2) - S^2            N^2 times the variance
//     v = V >> coarse
//     a = (2^15 v + (v + e) / 2) / (v + e)               the slope, in units of 2^-15; divisions rounded down
//
// and for the sample s at p, with the sums over the places k of the window around p,
//
//     out = (N s (sum of a) + sum of (2^15 - a) S + D / 2) / D,  D = N^2 2^15
//
// which is s (mean of a) + mean of (1 - a) (mean of s), rounded half up; nothing else is rounded but a. Sums of slopes
// and means are those of K. He, J. Sun, X. Tang, Guided image filtering, 2010, with their epsilon as
//
//     e = max(1, round(N^2 sigma^2 4^(depth - 8) 2^-coarse))
//
// where `coarse` is the least for which v stays below 2^37. All numbers fit 53 bits, so that doubles hold them; and
// quotients of doubles, rounded down, are exact, as a and out have so few bits that what is near to a whole number but
// below it stays below.

#include <cstdint>

#include "kernels/arithmetic/arithmetic.h"

namespace vfilter {

/// Samples on either side.
inline constexpr int max_guided_radius = 18;
inline constexpr double max_guided_sigma = 100;
inline constexpr int guided_slope_bits = 15;

/// Immutable once made; may be shared by any number of threads.
struct Guided {
    int depth = 8;     ///< 8 to 16
    int radius_x = 1;  ///< samples, 0 to max_guided_radius
    int radius_y = 1;
    int coarse = 0;
    std::int64_t epsilon = 1;  ///< e

    bool operator==(const Guided&) const = default;
    [[nodiscard]] constexpr int max_value() const { return (1 << depth) - 1; }
    /// N.
    [[nodiscard]] constexpr std::int64_t samples() const { return std::int64_t{2 * radius_x + 1} * (2 * radius_y + 1); }
    /// D.
    [[nodiscard]] constexpr std::int64_t divisor() const { return samples() * samples() << guided_slope_bits; }
    /// a, of a window's sums.
    [[nodiscard]] constexpr std::int64_t slope(std::int64_t sum, std::int64_t squares) const {
        const std::int64_t v = (samples() * squares - sum * sum) >> coarse;
        return ((v << guided_slope_bits) + (v + epsilon) / 2) / (v + epsilon);
    }
    /// (2^15 - a) S.
    [[nodiscard]] static constexpr std::int64_t rest(std::int64_t slope, std::int64_t sum) {
        return ((1 << guided_slope_bits) - slope) * sum;
    }
    /// Of a sample and the sums over its window.
    [[nodiscard]] constexpr int result(std::int64_t sample, std::int64_t slopes, std::int64_t rests) const {
        return static_cast<int>((samples() * sample * slopes + rests + divisor() / 2) / divisor());
    }
};

/// `sigma` is above 0 and at most max_guided_sigma, in steps of an 8-bit picture, whatever the depth.
Guided make_guided(int depth, double sigma, int radius_x, int radius_y);

}  // namespace vfilter
