#pragma once
// What the kernels get as parameters.

#include "kernels/cuda/plane.h"
#include "kernels/cuda/windows.h"

namespace vfilter::cuda::temporal {

inline constexpr int threads = 256;
inline constexpr int group_bytes = 8;                ///< of a row, that a thread makes at a time: see load_group()
inline constexpr int tile_bytes = 32 * group_bytes;  ///< of a row, by a warp
inline constexpr int tile_rows = 2 * threads / 32;

struct Launch {
    Picture picture;
    Windows windows;
    int limits[max_filters];  ///< of means
};

}  // namespace vfilter::cuda::temporal
