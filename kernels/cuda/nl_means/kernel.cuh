#pragma once
// Non-local means. A block copies its tile with what surrounds it into shared memory: samples, and the guide as a word
// of four bytes side by side at every place. For each offset a thread walks down a column: the differences of a patch's
// row are one to three instructions on words, and the distance is a running sum of them. Sums of products and of
// weights stay in registers over all offsets.

#include <cstdint>

#include "kernels/cuda/load.cuh"
#include "kernels/cuda/nl_means/parameters.h"

namespace vfilter::cuda::nl_means {

/// The sample that stands at column x of a row, which is null where it is black.
template <class T>
__device__ __forceinline__ unsigned sample_at(const T* line, int x, const PlaneParams& plane, const Picture& picture,
                                              int component) {
    const bool inside = static_cast<unsigned>(x) < static_cast<unsigned>(plane.width);
    if (line == nullptr || (!inside && picture.border == Border::constant)) {
        return static_cast<unsigned>(plane.black);
    }
    const int from = inside ? x : fold(x, plane.width, plane.fold_x);
    return (static_cast<unsigned>(line[from * plane.step + component]) >> plane.lsb) & picture.max_value;
}

/// Sum of the differences between `patch` bytes from `a` and from `b` on.
template <int patch>
__device__ __forceinline__ unsigned row_difference(const std::uint32_t* a, const std::uint32_t* b) {
    constexpr int whole = patch / 4;
    constexpr std::uint32_t rest = (std::uint32_t{1} << 8 * (patch % 4)) - 1;
    unsigned sum = __vsadu4(a[4 * whole] & rest, b[4 * whole] & rest);
#pragma unroll
    for (int i = 0; i < whole; ++i) {
        sum += __vsadu4(a[4 * i], b[4 * i]);
    }
    return sum;
}

/// Results of one component.
template <class T, int patch>
__global__ void __launch_bounds__(threads) average(const __grid_constant__ Launch launch) {
    using Shape = Tile<patch>;
    __shared__ std::uint8_t bytes[Shape::guide_rows * Shape::byte_pitch];
    __shared__ std::uint32_t words[Shape::guide_rows * Shape::guide_columns];
    __shared__ T samples[Shape::sample_rows * Shape::sample_columns];
    const Picture& picture = launch.picture;
    const PlaneParams& plane = own_plane(picture);
    const NlMeans filter = launch.filters[plane.filter];
    const int tile = static_cast<int>(blockIdx.x) - plane.first_block;
    const int tile_row = tile / plane.tiles_x;
    const int place = tile - tile_row * plane.tiles_x;
    const int component = place % plane.step;
    const int left = place / plane.step * tile_columns;
    const int top = tile_row * tile_rows;
    const auto thread = static_cast<int>(threadIdx.x);
    const int lane = thread % tile_columns;
    const int first_row = thread / tile_columns * rows_of_thread;
    const int search = filter.search_radius();
    const int reach = filter.reach();
    // As if the largest search was meant: places in shared memory do not depend on it.
    const int beyond = Shape::reach - reach;

    for (int row = beyond + thread / tile_columns; row < Shape::guide_rows - beyond; row += threads / tile_columns) {
        const T* const line = reinterpret_cast<const T*>(row_at(plane, picture, top + row - Shape::reach));
        for (int column = beyond + lane; column < Shape::byte_pitch - beyond; column += tile_columns) {
            const unsigned sample = sample_at(line, left + column - Shape::reach, plane, picture, component);
            bytes[row * Shape::byte_pitch + column] = static_cast<std::uint8_t>(filter.guide(static_cast<int>(sample)));
            const int sample_row = row - patch / 2;
            const int sample_column = column - patch / 2;
            if (static_cast<unsigned>(sample_row) < Shape::sample_rows &&
                static_cast<unsigned>(sample_column) < Shape::sample_columns) {
                samples[sample_row * Shape::sample_columns + sample_column] = static_cast<T>(sample);
            }
        }
    }
    __syncthreads();
    for (int row = beyond + thread / tile_columns; row < Shape::guide_rows - beyond; row += threads / tile_columns) {
        for (int column = beyond + lane; column < Shape::guide_columns - beyond; column += tile_columns) {
            const std::uint8_t* const from = bytes + row * Shape::byte_pitch + column;
            words[row * Shape::guide_columns + column] = from[0] | static_cast<std::uint32_t>(from[1]) << 8 |
                                                         static_cast<std::uint32_t>(from[2]) << 16 |
                                                         static_cast<std::uint32_t>(from[3]) << 24;
        }
    }
    __syncthreads();

    std::uint32_t sums[rows_of_thread] = {};
    std::uint32_t weights[rows_of_thread] = {};
    const int first_own = (first_row + Shape::search_radius) * Shape::guide_columns + lane + Shape::search_radius;
    const int first_sample = (first_row + Shape::search_radius) * Shape::sample_columns + lane + Shape::search_radius;
    for (int dy = -search; dy <= search; ++dy) {
        for (int dx = -search; dx <= search; ++dx) {
            const std::uint32_t* const own = words + first_own;
            const std::uint32_t* const other = own + dy * Shape::guide_columns + dx;
            const T* const around = samples + first_sample + dy * Shape::sample_columns + dx;
            unsigned rows[patch];
            unsigned distance = 0;
#pragma unroll
            for (int row = 0; row < rows_of_thread + patch - 1; ++row) {
                const unsigned difference =
                    row_difference<patch>(own + row * Shape::guide_columns, other + row * Shape::guide_columns);
                distance += difference - (row < patch ? 0 : rows[row % patch]);
                rows[row % patch] = difference;
                if (row >= patch - 1) {
                    const int y = row - (patch - 1);
                    const unsigned weight = 255 - min(255U, distance << filter.doublings);
                    sums[y] += weight * around[y * Shape::sample_columns];
                    weights[y] += weight;
                }
            }
        }
    }
    if (left + lane >= plane.width) {
        return;
    }
#pragma unroll
    for (int y = 0; y < rows_of_thread; ++y) {
        const int row = top + first_row + y;
        if (row < plane.height) {
            T* const line = reinterpret_cast<T*>(plane.dst + plane.dst_pitch * row);
            line[(left + lane) * plane.step + component] =
                static_cast<T>(NlMeans::mean(sums[y], weights[y]) << plane.lsb);
        }
    }
}

}  // namespace vfilter::cuda::nl_means
