#pragma once
// What the kernels get as parameters, and the shape of their tiles.

#include <cstdint>

#include "kernels/cuda/plane.h"

namespace vfilter::cuda::blend {

inline constexpr int group_bytes = 8;  // of one thread; as many after a row's last sample may be written but for one
inline constexpr int lanes = 32;       // groups of a tile's row
template <class T>
inline constexpr int tile_columns = lanes* group_bytes / static_cast<int>(sizeof(T));
inline constexpr int tile_rows = 32;
inline constexpr int threads = 256;
inline constexpr int weights_unit = 16;  // rows of weights begin at multiples of it

struct Weights {
    const std::uint8_t* first;
    std::int64_t pitch;  ///< from one of the plane's rows to the next
};

struct Launch {
    Picture picture;
    Weights weights[max_planes];
};

}  // namespace vfilter::cuda::blend
