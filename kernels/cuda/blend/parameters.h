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
inline constexpr int weights_unit = 16;  // boxes begin at multiples of so many pixels, and have as many to a row

/// A WeightBox on the device: widened to whole units by weights of 0.
struct Box {
    int left;  ///< pixels of the plane
    int right;
    int top;
    int bottom;
    std::int64_t first;  ///< of its weights
};

struct Weights {
    const Box* boxes;
    int count;
    int first;  ///< row y of the plane has the weights of row first + y * step
    int step;
    const std::uint8_t* samples;  ///< of all boxes
};

struct Launch {
    Picture picture;
    Weights weights[max_planes];
};

}  // namespace vfilter::cuda::blend
