#pragma once
// What the kernels get as parameters, and the shape of their tiles.

#include "kernels/arithmetic/dithered.h"
#include "kernels/cuda/plane.h"

namespace vfilter::cuda::dithered {

inline constexpr int threads = 256;
inline constexpr int tile_bytes = 32 * 8;  ///< of a row of the plane, by a warp
inline constexpr int tile_rows = 2 * threads / 32;

/// For both kernels. Of the planes, `dst` is the finer one when widening, and `src` when rounding; the rest is the
/// plane's own.
struct Launch {
    Picture picture;
    int bits;
    unsigned thresholds[dither_period];  ///< of each row's four pixels, the first in the lowest byte
};

}  // namespace vfilter::cuda::dithered
