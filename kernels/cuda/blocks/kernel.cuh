#pragma once
// Pixelation: each block is summed up and written by one warp, or, where blocks are large, by all warps of a thread
// block. Fill: every thread writes eight bytes.

#include <cstdint>

#include "kernels/cuda/blocks/parameters.h"
#include "kernels/cuda/load.cuh"

namespace vfilter::cuda::blocks {

/// The samples of a block, in turn, for one of `count` threads.
template <int count>
__device__ __forceinline__ void for_each_sample(int thread, int width, int height, const auto& visit) {
    const int step_y = count / width;
    const int step_x = count - step_y * width;
    int y = thread / width;
    int x = thread - y * width;
    while (y < height) {
        visit(x, y);
        x += step_x;
        y += step_y;
        if (x >= width) {
            x -= width;
            ++y;
        }
    }
}

/// `warps` of a thread block make a block.
template <class T, int warps>
__global__ void __launch_bounds__(threads) pixelate(const __grid_constant__ PixelationLaunch launch) {
    constexpr int own_threads = 32 * warps;
    constexpr int blocks_at_once = threads / own_threads;
    __shared__ std::uint64_t sums[threads / 32];
    const Picture& picture = launch.picture;
    const int index = own_plane_number(picture);
    const PlaneParams& plane = picture.planes[index];
    const int task = (static_cast<int>(blockIdx.x) - plane.first_block) * blocks_at_once +
                     static_cast<int>(threadIdx.x) / own_threads;
    if (task >= launch.tasks[index]) {
        return;
    }
    const BlockGrid columns = launch.columns[plane.filter];
    const BlockGrid rows = launch.rows[plane.filter];
    const int row = task / plane.tiles_x;
    const int place = task - row * plane.tiles_x;
    const int column = place / plane.step;
    const int component = place - column * plane.step;
    const int left = columns.begin(column);
    const int top = rows.begin(row);
    const int width = min(columns.begin(column + 1), plane.width) - left;
    const int height = min(rows.begin(row + 1), plane.height) - top;
    if (width <= 0 || height <= 0) {
        return;
    }
    const int thread = static_cast<int>(threadIdx.x) % own_threads;
    const int first = left * plane.step + component;
    std::uint64_t sum = 0;
    for_each_sample<own_threads>(thread, width, height, [&](int x, int y) {
        const T* const from = reinterpret_cast<const T*>(plane.src + plane.src_pitch * (top + y));
        sum += (static_cast<unsigned>(from[first + x * plane.step]) >> plane.lsb) & picture.max_value;
    });
#pragma unroll
    for (int other = 16; other > 0; other /= 2) {
        sum += __shfl_xor_sync(0xffffffff, sum, other);
    }
    if constexpr (warps > 1) {
        sums[threadIdx.x / 32] = sum;
        __syncthreads();
        sum = 0;
#pragma unroll
        for (int i = 0; i < warps; ++i) {
            sum += sums[i];
        }
    }
    const auto count = static_cast<std::uint64_t>(width) * static_cast<std::uint64_t>(height);
    const auto mean = static_cast<T>(Pixelation::mean(sum, count) << plane.lsb);
    for_each_sample<own_threads>(thread, width, height, [&](int x, int y) {
        reinterpret_cast<T*>(plane.dst + plane.dst_pitch * (top + y))[first + x * plane.step] = mean;
    });
}

template <class T>
__global__ void __launch_bounds__(threads) fill(const __grid_constant__ FillLaunch launch) {
    constexpr int group = 8 / static_cast<int>(sizeof(T));
    const PlaneParams& plane = own_plane(launch.picture);
    const int tile = static_cast<int>(blockIdx.x) - plane.first_block;
    const int x = (tile % plane.tiles_x * 32 + static_cast<int>(threadIdx.x) % 32) * group;
    const int top = tile / plane.tiles_x * fill_rows;
    const int bottom = min(top + fill_rows, plane.height);
    if (x >= plane.samples) {
        return;
    }
    const int* const values = launch.values[plane.filter];
    std::uint64_t bytes = 0;
#pragma unroll
    for (int i = group - 1; i >= 0; --i) {
        const int value = values[plane.step == 1 ? 0 : i % 2] << plane.lsb;
        bytes = bytes << 8 * sizeof(T) | static_cast<std::uint64_t>(value);
    }
    for (int y = top + static_cast<int>(threadIdx.x) / 32; y < bottom; y += threads / 32) {
        *reinterpret_cast<std::uint64_t*>(plane.dst + plane.dst_pitch * y + x * static_cast<int>(sizeof(T))) = bytes;
    }
}

}  // namespace vfilter::cuda::blocks
