#pragma once
// What the kernels get as parameters.

#include "kernels/arithmetic/pixelation.h"
#include "kernels/cuda/plane.h"

namespace vfilter::cuda::blocks {

inline constexpr int threads = 256;

struct PixelationLaunch {
    Picture picture;
    BlockGrid columns[max_filters];
    BlockGrid rows[max_filters];
    int tasks[max_planes];  ///< blocks of each plane, those of interleaved components apart
};

inline constexpr int fill_columns = 32 * 8;  // bytes of a tile's row
inline constexpr int fill_rows = 32;

struct FillLaunch {
    Picture picture;
    int values[max_planes][2];
};

}  // namespace vfilter::cuda::blocks
