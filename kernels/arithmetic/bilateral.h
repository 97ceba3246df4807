#pragma once
// The arithmetic contract of a bilateral filter: each sample becomes a mean of the samples around it, those counting
// most that are near to it in place and in value. The plane goes on outside of the picture as its border says,
// everywhere below.
//
// What is compared are bytes, made of each sample s by
//
//     g = s >> (depth - 8 + coarse)
//
// For a sample at p, each offset o = (i, j) with |i| <= radius_x and |j| <= radius_y has a reach, 0 to 127: how far in
// value it looks. The weight and the result are
//
//     w(o) = max(0, reach(o) - |g(p + o) - g(p)|)
//     out  = (sum over o of w(o) * s(p + o) + W / 2) / W,  W = sum of w(o)  both divisions rounded down
//
// so that out is the mean, rounded half up. reach(0) is at least 1: W is never 0. Sums of weights fit 16 bits, those of
// products 32, both unsigned.
//
// The reaches stand for two standard deviations: sigma in value, in steps of an 8-bit picture, and in space, in
// samples, (sx, sy):
//
//     reach(i, j) = round(2.7 sigma 2^-coarse (1 - ((i / sx)^2 + (j / sy)^2) / 2.4^2))    0 where that is below 0
//
// within the ellipse (i / radius_x)^2 + (j / radius_y)^2 <= 1, and 0 outside of it; reach(0) is 1 if that is 0, and
// `coarse` is the least for which it does not exceed 127. docs/lab-notes/bilateral.md has why it is these weights and
// no Gaussians, whose results they have.

#include <array>
#include <cstddef>
#include <cstdint>

#include "kernels/arithmetic/arithmetic.h"

namespace vfilter {

/// Samples on either side: 441 lie in the largest window, and sums of 127 times 65535 for each of them fit 32 bits.
inline constexpr int max_bilateral_radius = 12;
inline constexpr int max_bilateral_reach = 127;

/// Immutable once made; may be shared by any number of threads.
struct Bilateral {
    static constexpr int pitch = max_bilateral_radius + 1;

    int depth = 8;     ///< 8 to 16
    int radius_x = 0;  ///< samples, 0 to max_bilateral_radius
    int radius_y = 0;
    int coarse = 0;                                                  ///< 0 to 3
    std::array<std::uint8_t, std::size_t{pitch} * pitch> reaches{};  ///< of the offset (i, j) at |j| * pitch + |i|

    bool operator==(const Bilateral&) const = default;
    [[nodiscard]] constexpr int max_value() const { return (1 << depth) - 1; }
    [[nodiscard]] constexpr int reach(int i, int j) const {
        return reaches[static_cast<std::size_t>((j < 0 ? -j : j) * pitch + (i < 0 ? -i : i))];
    }
    /// From a sample at bit 0 to what is compared.
    [[nodiscard]] constexpr int shift() const { return depth - 8 + coarse; }
    /// Of samples at bit 0: the one that is filtered, and one at an offset of that reach.
    [[nodiscard]] constexpr int weight(int own, int other, int reach) const {
        const int difference = (other >> shift()) - (own >> shift());
        const int left = reach - (difference < 0 ? -difference : difference);
        return left < 0 ? 0 : left;
    }
    [[nodiscard]] static constexpr std::uint32_t mean(std::uint32_t sum, std::uint32_t weights) {
        // The sample that is filtered weighs something, however far the others are.
        return (sum + weights / 2) / weights;  // NOLINT(clang-analyzer-core.DivideZero)
    }
};

/// Standard deviations and radii in space, along x and along y.
struct BilateralWindow {
    int radius_x = 0;
    int radius_y = 0;
    double sigma_x = 1;  ///< samples, above 0
    double sigma_y = 1;
};

/// `sigma` is above 0 and at most 200, in steps of an 8-bit picture, whatever the depth.
Bilateral make_bilateral(int depth, double sigma, const BilateralWindow& window);

}  // namespace vfilter
