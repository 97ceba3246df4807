#pragma once
// Medians of small square windows by networks of minima and maxima, in registers alone. A thread makes tile_columns by
// tile_rows results twice: values are pairs of samples in the halves of a word, which instructions take together. The
// samples of a pair lie tile_columns apart, or, where they are interleaved, next to each other.

#include <algorithm>
#include <cstdint>
#include <utility>

#include "kernels/cuda/load.cuh"
#include "kernels/cuda/median/host.h"
#include "kernels/cuda/median/parameters.h"
#include "kernels/cuda/median/tile_network.h"

namespace vfilter::cuda::median {

/// Samples of a row of results that a thread makes.
inline constexpr int thread_samples = 2 * tile_columns;

template <int radius_x, int radius_y, std::size_t index>
__device__ __forceinline__ void network_step(std::uint32_t* values, const Ones& ones) {
    constexpr NetworkStep step = tile_network<radius_x, radius_y>.network.steps[index];
    const std::uint32_t low = values[step.low];
    const std::uint32_t high = values[step.high];
    if constexpr (step.copies()) {
        values[step.low] = high;
    } else if constexpr (step.minimum && step.maximum) {
        const std::uint32_t minimum = __vminu2(low, high);
        values[step.low] = minimum;
        // Minima and maxima share a pipe, products have another. No half of the result needs a carry.
        constexpr bool by_products = index % 4 != 0;
        values[step.high] = by_products ? minimum * ones.minus_one + (low * ones.one + high) : __vmaxu2(low, high);
    } else if constexpr (step.minimum) {
        values[step.low] = __vminu2(low, high);
    } else {
        values[step.high] = __vmaxu2(low, high);
    }
}

template <int radius_x, int radius_y, std::size_t first, std::size_t... index>
__device__ __forceinline__ void network_steps(std::uint32_t* values, const Ones& ones,
                                              std::index_sequence<index...> /*steps*/) {
    (network_step<radius_x, radius_y, first + index>(values, ones), ...);
}

template <int radius_x, int radius_y, std::size_t first = 0>
__device__ __forceinline__ void run_network(std::uint32_t* values, const Ones& ones) {
    constexpr std::size_t most = 64;  // compilers nest the steps of one expression
    constexpr auto count = static_cast<std::size_t>(tile_network<radius_x, radius_y>.network.count);
    if constexpr (first < count) {
        network_steps<radius_x, radius_y, first>(values, ones,
                                                 std::make_index_sequence<std::min(most, count - first)>());
        run_network<radius_x, radius_y, first + most>(values, ones);
    }
}

/// How a row's samples are loaded, and become pairs.
template <class T, int step>
struct RowSpan {
    static constexpr int per_word = 4 / static_cast<int>(sizeof(T));
    static constexpr int halo = 4 * step;  ///< samples on either side
    static constexpr int samples = thread_samples + 2 * halo;
    static constexpr int words = samples / per_word;
    static_assert(halo >= max_network_radius * step);

    /// The word that has sample i, and where in it.
    __device__ static constexpr unsigned selector(int low, int high) {
        const auto bytes = [](int sample) {
            const unsigned at = static_cast<unsigned>(sample % per_word) * sizeof(T);
            return sizeof(T) == 1 ? at | at << 4 : at | (at + 1) << 4;
        };
        return bytes(low) | (bytes(high) + 0x44) << 8;
    }
    /// Samples i of the row, counted from `halo` before the first result.
    template <int low, int high>
    __device__ static __forceinline__ std::uint32_t pair(const std::uint32_t (&row)[words]) {
        constexpr unsigned bytes = selector(low, high);
        return __byte_perm(row[low / per_word], row[high / per_word], bytes);
    }

    /// Words of a row all of which are there.
    __device__ static __forceinline__ void load(std::uint32_t (&row)[words], const unsigned char* from) {
        load_words<halo / per_word, thread_samples* static_cast<int>(sizeof(T))>(row, from);
    }
    /// Of any row, sample by sample.
    __device__ static __forceinline__ void gather(std::uint32_t* row, const PlaneParams& plane, const Picture& picture,
                                                  int x, int y) {
        const T* const from = reinterpret_cast<const T*>(row_at(plane, picture, y));
        const std::uint32_t black = black_word<T>(plane);
#pragma unroll 1
        for (int i = 0; i < words; ++i) {
            std::uint32_t word = black;
#pragma unroll
            for (int j = 0; j < per_word && from != nullptr; ++j) {
                const int place = source_of(x - halo + i * per_word + j, plane, picture.border == Border::constant);
                const std::uint32_t sample = place < 0 ? black >> (32 - 8 * sizeof(T)) : std::uint32_t{from[place]};
                word = word >> 8 * sizeof(T) | sample << (32 - 8 * sizeof(T));
            }
            row[i] = word;
        }
    }
};

template <class T, int step, int radius_x, std::size_t... column>
__device__ __forceinline__ void pair_row(const std::uint32_t (&row)[RowSpan<T, step>::words], std::uint32_t* values,
                                         std::index_sequence<column...> /*columns*/) {
    using Span = RowSpan<T, step>;
    constexpr int first = Span::halo - radius_x * step;
    constexpr int apart = step == 1 ? tile_columns : 1;
    ((values[column] =
          Span::template pair<first + static_cast<int>(column) * step, first + static_cast<int>(column) * step + apart>(
              row)),
     ...);
}

/// Four pairs of results to where their samples belong; of the second half only what is in the row.
template <class T, int step>
__device__ __forceinline__ void store_results(const std::uint32_t (&pairs)[tile_columns], const PlaneParams& plane,
                                              int x, int y) {
    unsigned char* const to =
        plane.dst + plane.dst_pitch * y + static_cast<std::int64_t>(x) * static_cast<int>(sizeof(T));
    // Words of samples in the order of memory.
    constexpr unsigned low_halves = 0x5410;
    constexpr unsigned high_halves = 0x7632;
    std::uint32_t halves[4];  // the samples, two to a word
    if constexpr (step == 2) {
        halves[0] = pairs[0];
        halves[1] = pairs[1];
        halves[2] = pairs[2];
        halves[3] = pairs[3];
    } else {
        halves[0] = __byte_perm(pairs[0], pairs[1], low_halves);
        halves[1] = __byte_perm(pairs[2], pairs[3], low_halves);
        halves[2] = __byte_perm(pairs[0], pairs[1], high_halves);
        halves[3] = __byte_perm(pairs[2], pairs[3], high_halves);
    }
    if constexpr (sizeof(T) == 1) {
        constexpr unsigned upper_bytes = 0x7531;
        *reinterpret_cast<uint2*>(to) =
            make_uint2(__byte_perm(halves[0], halves[1], upper_bytes), __byte_perm(halves[2], halves[3], upper_bytes));
    } else {
        *reinterpret_cast<uint2*>(to) = make_uint2(halves[0], halves[1]);
        if (x + thread_samples / 2 < plane.samples) {
            *reinterpret_cast<uint2*>(to + 8) = make_uint2(halves[2], halves[3]);
        }
    }
}

/// All samples that the tile at (x, y) needs, as pairs.
template <class T, int radius_x, int radius_y, int step>
__device__ __forceinline__ void load_tile(std::uint32_t* values, const Picture& picture, const PlaneParams& plane,
                                          int x, int y) {
    using Tile = TileNetwork<radius_x, radius_y>;
    using Span = RowSpan<T, step>;
    // All of it is asked for before any of it is used.
    std::uint32_t words[Tile::rows][Span::words];
    const bool inside = x >= Span::halo && x + thread_samples + Span::halo <= plane.samples && y >= radius_y &&
                        y + tile_rows + radius_y <= plane.height;
    if (inside) {
        const unsigned char* from = plane.src + plane.src_pitch * (y - radius_y) +
                                    static_cast<std::int64_t>(x - Span::halo) * static_cast<int>(sizeof(T));
#pragma unroll
        for (auto& row : words) {
            Span::load(row, from);
            from += plane.src_pitch;
        }
    } else {
        std::uint32_t gathered[Tile::rows * Span::words];  // in local memory
#pragma unroll 1
        for (int j = 0; j < Tile::rows; ++j) {
            Span::gather(gathered + j * Span::words, plane, picture, x, y + j - radius_y);
        }
#pragma unroll
        for (int j = 0; j < Tile::rows; ++j) {
#pragma unroll
            for (int i = 0; i < Span::words; ++i) {
                words[j][i] = gathered[j * Span::words + i];
            }
        }
    }
    if constexpr (sizeof(T) == 2) {
        const std::uint32_t mask = picture.max_value << plane.lsb;
#pragma unroll
        for (auto& row : words) {
#pragma unroll
            for (std::uint32_t& word : row) {
                word &= mask << 16 | mask;
            }
        }
    }
#pragma unroll
    for (int j = 0; j < Tile::rows; ++j) {
        pair_row<T, step, radius_x>(words[j], values + j * Tile::columns, std::make_index_sequence<Tile::columns>());
    }
}

template <int radius_x, int radius_y, std::size_t... result>
__device__ __forceinline__ void take_results(const std::uint32_t* values, std::uint32_t* results,
                                             std::index_sequence<result...> /*results*/) {
    ((results[result] = values[tile_network<radius_x, radius_y>.results.at[result]]), ...);
}

template <class T, int radius_x, int radius_y>
__global__ void __launch_bounds__(network_threads) select_tiles(const __grid_constant__ Launch launch) {
    const Picture& picture = launch.picture;
    const PlaneParams& plane = own_plane(picture);
    const int block = static_cast<int>(blockIdx.x) - plane.first_block;
    const int x = block % plane.tiles_x * network_columns + static_cast<int>(threadIdx.x) % 32 * thread_samples;
    const int y = block / plane.tiles_x * network_rows + static_cast<int>(threadIdx.x) / 32 * tile_rows;
    if (x >= plane.samples || y >= plane.height) {
        return;
    }
    std::uint32_t values[tile_network<radius_x, radius_y>.network.places];
    if (plane.step == 1) {
        load_tile<T, radius_x, radius_y, 1>(values, picture, plane, x, y);
    } else {
        load_tile<T, radius_x, radius_y, 2>(values, picture, plane, x, y);
    }
    run_network<radius_x, radius_y>(values, launch.ones);
    std::uint32_t results[tile_rows][tile_columns];
    take_results<radius_x, radius_y>(values, results[0], std::make_index_sequence<tile_rows * tile_columns>());
#pragma unroll
    for (int j = 0; j < tile_rows; ++j) {
        if (y + j < plane.height) {
            if (plane.step == 1) {
                store_results<T, 1>(results[j], plane, x, y + j);
            } else {
                store_results<T, 2>(results[j], plane, x, y + j);
            }
        }
    }
}

/// Sizes 3, 5 and 7, and what they are where chroma is subsampled along x only.
template <class T>
inline constexpr NetworkInstance network_instances[] = {
    {1, 1, select_tiles<T, 1, 1>}, {2, 2, select_tiles<T, 2, 2>}, {3, 3, select_tiles<T, 3, 3>},
    {1, 2, select_tiles<T, 1, 2>}, {2, 3, select_tiles<T, 2, 3>},
};

}  // namespace vfilter::cuda::median
