#pragma once
// Operations with time: what they see of the pictures before and after, and the contract of the two that look at
// nothing else.
//
// A picture's window is `before` pictures before it, itself, and `after` pictures after it. At the ends of the video it
// is mirrored: the picture before the first one is the second, the one after the last one the one before it. Where the
// mirror shows a picture that is not in the window, the nearest one stands for it that is (picture_in_time). So a
// picture may stand in its own window more than once, and each time it counts.
//
// With s the sample of the picture and t those at the same place of its window, itself among them, n of them in all:
//
//     median   the t of rank n / 2, counted from 0, once they are sorted; n is odd
//     mean     (sum of t + m / 2) / m, both divisions rounded down, over the m of them with |t - s| <= limit
//
// Nothing outside the picture is looked at. Where pictures are interlaced their fields are looked at apart, as the
// picture in the middle has them.

#include <algorithm>
#include <cstdint>

#include "kernels/arithmetic/arithmetic.h"

namespace vfilter {

/// Pictures before and after that decide a result.
struct TimeReach {
    int before = 0;
    int after = 0;

    bool operator==(const TimeReach&) const = default;
    [[nodiscard]] constexpr int neighbours() const { return before + after; }
    [[nodiscard]] constexpr int pictures() const { return neighbours() + 1; }
};

/// Of a window, besides the picture in its middle.
inline constexpr int max_neighbours = 16;

/// The picture that stands for the one `offset` after picture `middle`, -before <= offset <= after, in a video of
/// `count` pictures, of which at least the window's have to be known: `count` may be less than there will be as long as
/// it is more than middle + after.
constexpr std::int64_t picture_in_time(std::int64_t middle, int offset, TimeReach reach, std::int64_t count) {
    const std::int64_t wanted = middle + offset;
    if (wanted >= 0 && wanted < count) {
        return wanted;
    }
    const std::int64_t mirrored = wanted < 0 ? -wanted : 2 * (count - 1) - wanted;
    return std::clamp(mirrored, std::max<std::int64_t>(middle - reach.before, 0),
                      std::min(middle + reach.after, count - 1));
}

/// Calls visit(picture) with the pictures of a window but for the middle one, in their order: see picture_in_time.
constexpr void for_each_neighbour(std::int64_t middle, TimeReach reach, std::int64_t count, const auto& visit) {
    for (int offset = -reach.before; offset <= reach.after; ++offset) {
        if (offset != 0) {
            visit(picture_in_time(middle, offset, reach, count));
        }
    }
}

/// Immutable; may be shared by any number of threads.
struct TemporalMedian {
    int depth = 8;     ///< 8 to 16
    TimeReach time{};  ///< an even number of neighbours, at most max_neighbours

    [[nodiscard]] constexpr int max_value() const { return (1 << depth) - 1; }
    [[nodiscard]] constexpr int rank() const { return time.pictures() / 2; }
};

/// Immutable; may be shared by any number of threads.
struct TemporalMean {
    int depth = 8;     ///< 8 to 16
    TimeReach time{};  ///< at most max_neighbours
    int limit = 255;   ///< 0 to max_value(), which is no limit

    [[nodiscard]] constexpr int max_value() const { return (1 << depth) - 1; }
    /// Of at most 17 samples.
    [[nodiscard]] static constexpr int mean(int sum, int count) { return (sum + count / 2) / count; }
};

}  // namespace vfilter
