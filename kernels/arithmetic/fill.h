#pragma once
// The arithmetic contract of a fill: every sample of a plane gets the same value, whatever it was.

#include <array>
#include <cstddef>

#include "kernels/plane.h"

namespace vfilter {

/// Immutable once made; may be shared by any number of threads.
struct Fill {
    int depth = 8;                       ///< 8 to 16
    std::array<int, max_step> values{};  ///< 0 to 2^depth - 1; a plane of n components has the first n in turn

    [[nodiscard]] int max_value() const { return (1 << depth) - 1; }
    /// Of the sample at that place of a row; `step` is the plane's.
    [[nodiscard]] int value(int sample, int step) const { return values[static_cast<std::size_t>(sample % step)]; }
};

}  // namespace vfilter
