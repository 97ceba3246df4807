#pragma once
// The arithmetic contract of a median: each sample becomes the middle one of those around it.
//
// The window of a sample at (x, y) are the samples at (x + i, y + j) of the same component with
//
//     square   |i| <= radius_x and |j| <= radius_y
//     cross    those of a square with i = 0 or j = 0
//
// of which `count` is odd, and the result is the one of rank count / 2, counted from 0, once they are sorted: one of
// the samples, so nothing is rounded. Equal samples are as many as they are. What the border puts outside of the
// picture counts like any other sample, the value of the constant border, too.

#include "kernels/arithmetic/arithmetic.h"

namespace vfilter {

/// Pixels of luma: of the largest window.
inline constexpr int max_median_size = 127;

enum class WindowShape { square, cross };

/// Immutable; may be shared by any number of threads.
struct MedianFilter {
    int depth = 8;     ///< 8 to 16
    int radius_x = 1;  ///< samples, 0 to max_median_size / 2
    int radius_y = 1;
    WindowShape shape = WindowShape::square;

    bool operator==(const MedianFilter&) const = default;
    [[nodiscard]] constexpr int max_value() const { return (1 << depth) - 1; }
    [[nodiscard]] constexpr int width() const { return 2 * radius_x + 1; }
    [[nodiscard]] constexpr int height() const { return 2 * radius_y + 1; }
    /// Samples of the window; odd, below 2^14.
    [[nodiscard]] constexpr int count() const {
        return shape == WindowShape::square ? width() * height() : width() + height() - 1;
    }
    [[nodiscard]] constexpr int rank() const { return count() / 2; }
    /// How far along x the row of the window goes that lies j rows from the middle.
    [[nodiscard]] constexpr int reach_in_row(int j) const {
        return shape == WindowShape::square || j == 0 ? radius_x : 0;
    }
};

}  // namespace vfilter
