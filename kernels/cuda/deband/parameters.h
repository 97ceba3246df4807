#pragma once
// What the kernel gets as parameters, and the shape of its tiles.

#include "kernels/arithmetic/deband.h"
#include "kernels/cuda/plane.h"

namespace vfilter::cuda::deband {

inline constexpr int threads = 256;
/// A warp to each row, and four pixels at a time to a thread: those that look at the row's four places.
inline constexpr int tile_columns = 256;
inline constexpr int tile_rows = 4 * threads / 32;

struct Launch {
    Picture picture;
    Deband filters[max_filters];
};

}  // namespace vfilter::cuda::deband
