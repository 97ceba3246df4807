#pragma once
// What the kernels get as parameters, and the shape of their tiles.

#include "kernels/arithmetic/bilateral.h"
#include "kernels/cuda/plane.h"

namespace vfilter::cuda::bilateral {

/// Of bytes in words of four neighbours: a column to a thread, which walks down.
inline constexpr int word_columns = 128;
inline constexpr int word_rows = 16;
inline constexpr int word_threads = word_columns;

/// Of any samples: a warp to a row.
inline constexpr int sample_columns = 32;
inline constexpr int sample_rows = 32;
inline constexpr int sample_threads = 256;

/// The reaches of words of four neighbours, the first in the lowest byte.
struct SmallWords {
    static constexpr int radius = 2;
    unsigned row;       ///< of the own row: -2, -1, 1, 2
    unsigned diagonal;  ///< (-1, -1), (1, -1), (-1, 1), (1, 1)
    unsigned column;    ///< of the own column: -2, -1, 1, 2
};
struct LargeWords {
    static constexpr int radius = 4;
    unsigned left[3];   ///< of the rows 0, 1 and 2 away: -4 to -1
    unsigned right[3];  ///< 1 to 4
    unsigned third;     ///< of those 3 away: -2, -1, 1, 2
    unsigned above;     ///< of the own column: -4 to -1
    unsigned below;     ///< 1 to 4
};
/// Filters whose windows are no larger.
SmallWords small_words(const Bilateral& filter);
LargeWords large_words(const Bilateral& filter);

template <class Words>
struct WordLaunch {
    Picture picture;
    Words words[max_filters];
    unsigned own_reach[max_filters];
};

struct SampleLaunch {
    Picture picture;
    Bilateral filters[max_filters];
};

}  // namespace vfilter::cuda::bilateral
