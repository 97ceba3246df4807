#pragma once
// Non-local means. A block copies its tile with what surrounds it into shared memory: samples, and the guide as a word
// of four bytes side by side at every place. For each offset a thread walks down a column: the differences of a patch's
// row are one to three instructions on words, and the distance is a running sum of them. Sums of products and of
// weights stay in registers over all offsets.

#include <cstdint>
#include <type_traits>

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

template <class Parameters>
inline constexpr bool in_time = std::is_same_v<Parameters, TimeLaunch>;

/// Between two pictures.
__device__ __forceinline__ void make_room(std::uint32_t& sum, std::uint32_t& weights) {
    weights += sum >> low_sum_bits << weight_bits;
    sum &= (1U << low_sum_bits) - 1;
}
template <class Parameters>
__device__ __forceinline__ std::uint32_t mean_of(std::uint32_t sum, std::uint32_t weights) {
    if constexpr (in_time<Parameters>) {
        const std::uint64_t upper = weights >> weight_bits;
        return NlMeans::mean((upper << low_sum_bits) + sum, weights & ((1U << weight_bits) - 1));
    } else {
        return NlMeans::mean(sum, weights);
    }
}

/// Rows of picture i of the window of a plane, 0 being the picture itself.
template <class Parameters>
__device__ __forceinline__ Rows rows_of(const Parameters& launch, int number, int i) {
    if constexpr (in_time<Parameters>) {
        if (i > 0) {
            return launch.windows.rows[number][i - 1];
        }
    }
    return {launch.picture.planes[number].src, launch.picture.planes[number].src_pitch};
}
template <class Parameters>
__device__ __forceinline__ int pictures_of(const Parameters& launch, int number) {
    if constexpr (in_time<Parameters>) {
        return launch.windows.counts[number] + 1;
    } else {
        return 1;
    }
}

/// Results of one component.
template <class T, int patch, class Parameters>
__global__ void __launch_bounds__(threads) average(const __grid_constant__ Parameters launch) {
    using Shape = Tile<patch>;
    // The own picture's words that patches around results are made of: the next picture's take the place of all.
    constexpr int kept_rows = tile_rows + patch - 1;
    constexpr int kept_columns = tile_columns + patch / 4 * 4;
    __shared__ std::uint32_t kept[in_time<Parameters> ? kept_rows * kept_columns : 1];
    __shared__ std::uint8_t bytes[Shape::guide_rows * Shape::byte_pitch];
    __shared__ std::uint32_t words[Shape::guide_rows * Shape::guide_columns];
    __shared__ T samples[Shape::sample_rows * Shape::sample_columns];
    const Picture& picture = launch.picture;
    const int number = own_plane_number(picture);
    const PlaneParams& plane = picture.planes[number];
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

    std::uint32_t sums[rows_of_thread] = {};
    std::uint32_t weights[rows_of_thread] = {};
    const int first_own = (first_row + Shape::search_radius) * Shape::guide_columns + lane + Shape::search_radius;
    const int first_sample = (first_row + Shape::search_radius) * Shape::sample_columns + lane + Shape::search_radius;
    for (int i = 0; i < pictures_of(launch, number); ++i) {
        const Rows source = rows_of(launch, number, i);
        if (i > 0) {
            __syncthreads();
#pragma unroll
            for (int y = 0; y < rows_of_thread; ++y) {
                make_room(sums[y], weights[y]);
            }
        }
        for (int row = beyond + thread / tile_columns; row < Shape::guide_rows - beyond;
             row += threads / tile_columns) {
            const T* const line = reinterpret_cast<const T*>(row_at(source, plane, picture, top + row - Shape::reach));
            for (int column = beyond + lane; column < Shape::byte_pitch - beyond; column += tile_columns) {
                const unsigned sample = sample_at(line, left + column - Shape::reach, plane, picture, component);
                bytes[row * Shape::byte_pitch + column] =
                    static_cast<std::uint8_t>(filter.guide(static_cast<int>(sample)));
                const int sample_row = row - patch / 2;
                const int sample_column = column - patch / 2;
                if (static_cast<unsigned>(sample_row) < Shape::sample_rows &&
                    static_cast<unsigned>(sample_column) < Shape::sample_columns) {
                    samples[sample_row * Shape::sample_columns + sample_column] = static_cast<T>(sample);
                }
            }
        }
        __syncthreads();
        for (int row = beyond + thread / tile_columns; row < Shape::guide_rows - beyond;
             row += threads / tile_columns) {
            for (int column = beyond + lane; column < Shape::guide_columns - beyond; column += tile_columns) {
                const std::uint8_t* const from = bytes + row * Shape::byte_pitch + column;
                words[row * Shape::guide_columns + column] = from[0] | static_cast<std::uint32_t>(from[1]) << 8 |
                                                             static_cast<std::uint32_t>(from[2]) << 16 |
                                                             static_cast<std::uint32_t>(from[3]) << 24;
            }
        }
        __syncthreads();
        const std::uint32_t* own = words + first_own;
        constexpr int own_pitch = in_time<Parameters> ? kept_columns : Shape::guide_columns;
        if constexpr (in_time<Parameters>) {
            if (i == 0) {
                for (int row = thread / tile_columns; row < kept_rows; row += threads / tile_columns) {
                    for (int column = lane; column < kept_columns; column += tile_columns) {
                        kept[row * kept_columns + column] =
                            words[(row + Shape::search_radius) * Shape::guide_columns + column + Shape::search_radius];
                    }
                }
                __syncthreads();
            }
            own = kept + first_row * kept_columns + lane;
        }
        for (int dy = -search; dy <= search; ++dy) {
            for (int dx = -search; dx <= search; ++dx) {
                const std::uint32_t* const other = words + first_own + dy * Shape::guide_columns + dx;
                const T* const around = samples + first_sample + dy * Shape::sample_columns + dx;
                unsigned rows[patch];
                unsigned distance = 0;
#pragma unroll
                for (int row = 0; row < rows_of_thread + patch - 1; ++row) {
                    const unsigned difference =
                        row_difference<patch>(own + row * own_pitch, other + row * Shape::guide_columns);
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
                static_cast<T>(mean_of<Parameters>(sums[y], weights[y]) << plane.lsb);
        }
    }
}

}  // namespace vfilter::cuda::nl_means
