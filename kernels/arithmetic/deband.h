#pragma once
// The arithmetic contract of debanding: where four samples around one are like it, it becomes their mean, which goes on
// from band to band in steps that are too small to be seen.
//
// A sample of the pixel (x, y), both counted from the plane's first one (from the field's, where there are two), looks
// at those of the same component at (x + i, y + j), (x - i, y + j), (x + i, y - j) and (x - i, y - j); the plane goes
// on outside of the picture as its border says. With unsigned integers of 32 bits and n = 4 (y mod 64) + c,
//
//     i = ((0x8000 + 49471 n) mod 2^16) (radius_x + 1) >> 16        0 to radius_x
//     j = ((0x8000 + 37345 n) mod 2^16) (radius_y + 1) >> 16        0 to radius_y
//     c = (x ^ h) mod 4,  h = the upper 2 bits of hash(16 (y mod 64) + (x mod 64) / 4)
//     hash(k) = (a ^ a >> 15) 0x85ebca6b,  a = k 0x9e3779b1
//
// so that a row has four places to look at, each of four samples side by side takes another, in an order that changes,
// and the places of some rows together lie evenly in the rectangle (49471 and 37345 are 2^16 / g and 2^16 / g^2 with
// g^3 = g + 1: M. Roberts, The unreasonable effectiveness of quasirandom sequences, 2018). Then
//
//     out = (the sum of the four + d) >> 2       d = 0 2
//                                                    3 1  at (x mod 2, y mod 2), or 2 without dither
//
// if none of the four differs from the sample by more than `threshold`, and otherwise the sample. With `blur` it is the
// mean of the four, rounded half up, that must not differ by more. The mean of d is 3/2, so that the mean of all
// results is that of the sums over 4, exactly. Nothing depends on the picture's number: what stands still does not
// flicker.

#include <algorithm>
#include <cstdint>

#include "kernels/arithmetic/arithmetic.h"

namespace vfilter {

inline constexpr int max_deband_radius = 64;
/// Pixels after which everything that depends on the place begins anew.
inline constexpr int deband_period = 64;
/// Places to look at in one row.
inline constexpr int deband_places = 4;

/// Immutable; may be shared by any number of threads.
struct Deband {
    int depth = 8;      ///< 8 to 16
    int radius_x = 16;  ///< samples, 0 to max_deband_radius
    int radius_y = 16;
    int threshold = 1;  ///< steps of that depth, 0 to the largest sample
    bool blur = false;
    bool dither = true;

    bool operator==(const Deband&) const = default;
    [[nodiscard]] constexpr int max_value() const { return (1 << depth) - 1; }

    struct Place {
        int x = 0;  ///< i
        int y = 0;  ///< j
    };
    /// The place of that number, 0 to deband_places - 1, of a row.
    [[nodiscard]] constexpr Place place(int number, int y) const {
        const auto n = static_cast<std::uint32_t>(deband_places * (y % deband_period) + number);
        const auto of = [&](std::uint32_t step, int radius) {
            return static_cast<int>(((0x8000U + step * n) & 0xffffU) * static_cast<std::uint32_t>(radius + 1) >> 16);
        };
        return {of(49471, radius_x), of(37345, radius_y)};
    }
    /// c: which of them a pixel takes.
    [[nodiscard]] static constexpr int choice(int x, int y) {
        const auto group = static_cast<std::uint32_t>(y % deband_period * (deband_period / 4) + x % deband_period / 4);
        const std::uint32_t a = group * 0x9e3779b1U;
        return (x ^ static_cast<int>((a ^ a >> 15) * 0x85ebca6bU >> 30)) & 3;
    }
    /// d of a pixel.
    [[nodiscard]] constexpr int added(int x, int y) const {
        const int even = x % 2 == 0 ? 0 : 2;
        const int odd = x % 2 == 0 ? 3 : 1;
        return !dither ? 2 : y % 2 == 0 ? even : odd;
    }
    /// Of a sample and the four, all at bit 0, with added().
    [[nodiscard]] constexpr int result(int own, int first, int second, int third, int fourth, int added) const {
        const int sum = first + second + third + fourth;
        const int least = blur ? (sum + 2) >> 2 : std::min(std::min(first, second), std::min(third, fourth));
        const int most = blur ? least : std::max(std::max(first, second), std::max(third, fourth));
        return most - own <= threshold && own - least <= threshold ? (sum + added) >> 2 : own;
    }
};

}  // namespace vfilter
