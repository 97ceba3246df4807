#pragma once
// Bilateral filters of any samples and windows: a block copies its tile of one component with what surrounds it into
// shared memory, and a thread makes results below each other, a neighbour of each after the other.

#include <cstdint>

#include "kernels/cuda/bilateral/parameters.h"
#include "kernels/cuda/load.cuh"

namespace vfilter::cuda::bilateral {

template <class T>
__global__ void __launch_bounds__(sample_threads) average_samples(const __grid_constant__ SampleLaunch launch) {
    constexpr int pitch = sample_columns + 2 * max_bilateral_radius;
    constexpr int warps = sample_threads / sample_columns;
    constexpr int rows_of_thread = sample_rows / warps;
    __shared__ T samples[(sample_rows + 2 * max_bilateral_radius) * pitch];
    const Picture& picture = launch.picture;
    const PlaneParams& plane = own_plane(picture);
    const Bilateral& filter = launch.filters[plane.filter];
    const int tile = static_cast<int>(blockIdx.x) - plane.first_block;
    const int tile_row = tile / plane.tiles_x;
    const int place = tile - tile_row * plane.tiles_x;
    const int component = place % plane.step;
    const int left = place / plane.step * sample_columns;
    const int top = tile_row * sample_rows;
    const int lane = static_cast<int>(threadIdx.x) % sample_columns;
    const int warp = static_cast<int>(threadIdx.x) / sample_columns;
    const int radius_x = filter.radius_x;
    const int radius_y = filter.radius_y;
    for (int row = warp; row < sample_rows + 2 * radius_y; row += warps) {
        const T* const line = reinterpret_cast<const T*>(row_at(plane, picture, top + row - radius_y));
        for (int column = lane; column < sample_columns + 2 * radius_x; column += sample_columns) {
            const int from = source_of((left + column - radius_x) * plane.step + component, plane,
                                       picture.border == Border::constant);
            samples[row * pitch + column] = static_cast<T>(
                line == nullptr || from < 0 ? static_cast<unsigned>(plane.black)
                                            : (static_cast<unsigned>(line[from]) >> plane.lsb) & picture.max_value);
        }
    }
    __syncthreads();
    if (left + lane >= plane.width) {
        return;
    }
    const T* const own = samples + (warp + radius_y) * pitch + lane + radius_x;
    const int shift = filter.shift();
    int compared[rows_of_thread];
    unsigned sums[rows_of_thread] = {};
    unsigned weights[rows_of_thread] = {};
#pragma unroll
    for (int k = 0; k < rows_of_thread; ++k) {
        compared[k] = own[k * warps * pitch] >> shift;
    }
    for (int j = -radius_y; j <= radius_y; ++j) {
        for (int i = -radius_x; i <= radius_x; ++i) {
            const int reach = filter.reach(i, j);
            if (reach == 0) {
                continue;
            }
#pragma unroll
            for (int k = 0; k < rows_of_thread; ++k) {
                const int sample = own[(k * warps + j) * pitch + i];
                const int difference = (sample >> shift) - compared[k];
                const auto weight = static_cast<unsigned>(max(0, reach - max(difference, -difference)));
                sums[k] += weight * static_cast<unsigned>(sample);
                weights[k] += weight;
            }
        }
    }
#pragma unroll
    for (int k = 0; k < rows_of_thread; ++k) {
        const int y = top + warp + k * warps;
        if (y < plane.height) {
            T* const line = reinterpret_cast<T*>(plane.dst + plane.dst_pitch * y);
            line[(left + lane) * plane.step + component] =
                static_cast<T>(Bilateral::mean(sums[k], weights[k]) << plane.lsb);
        }
    }
}

}  // namespace vfilter::cuda::bilateral
