#pragma once
// Medians of any window, bit by bit: the result has a bit if no more samples than its rank are below the value that has
// it and the bits found before. A thread reads its sample's window once for each bit.

#include <cstdint>

#include "kernels/cuda/load.cuh"
#include "kernels/cuda/median/parameters.h"

namespace vfilter::cuda::median {

/// How many samples of a window are below `value`.
template <class T>
__device__ __forceinline__ int count_below(int value, const MedianFilter& window, const PlaneParams& plane,
                                           const Picture& picture, int x, int y, bool inside) {
    int count = 0;
    for (int j = -window.radius_y; j <= window.radius_y; ++j) {
        const int reach = window.reach_in_row(j);
        const T* const row = reinterpret_cast<const T*>(row_at(plane, picture, y + j));
        const auto stored = [&](int place) {
            return static_cast<int>((static_cast<unsigned>(row[place]) >> plane.lsb) & picture.max_value);
        };
        if (row == nullptr) {
            count += plane.black < value ? 2 * reach + 1 : 0;
        } else if (inside) {
#pragma unroll 4
            for (int i = -reach; i <= reach; ++i) {
                count += stored(x + i * plane.step) < value ? 1 : 0;
            }
        } else {
            for (int i = -reach; i <= reach; ++i) {
                const int place = source_of(x + i * plane.step, plane, picture.border == Border::constant);
                count += (place < 0 ? plane.black : stored(place)) < value ? 1 : 0;
            }
        }
    }
    return count;
}

template <class T>
__global__ void __launch_bounds__(threads) count_bits(const __grid_constant__ Launch launch) {
    const Picture& picture = launch.picture;
    const PlaneParams& plane = own_plane(picture);
    const MedianFilter window = launch.window;
    const int tile = static_cast<int>(blockIdx.x) - plane.first_block;
    const int lane = static_cast<int>(threadIdx.x) % counted_columns;
    const int x = tile % plane.tiles_x * counted_columns + lane;
    const int top = tile / plane.tiles_x * counted_rows;
    if (x >= plane.samples) {
        return;
    }
    const int reach = window.radius_x * plane.step;
    const bool inside = x >= reach && x + reach < plane.samples;
    for (int y = top + static_cast<int>(threadIdx.x) / counted_columns; y < min(top + counted_rows, plane.height);
         y += threads / counted_columns) {
        int found = 0;
        for (int bit = window.depth - 1; bit >= 0; --bit) {
            const int tried = found | 1 << bit;
            found = count_below<T>(tried, window, plane, picture, x, y, inside) <= window.rank() ? tried : found;
        }
        reinterpret_cast<T*>(plane.dst + plane.dst_pitch * y)[x] = static_cast<T>(found << plane.lsb);
    }
}

}  // namespace vfilter::cuda::median
