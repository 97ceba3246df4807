#pragma once
// Medians of small square windows by networks of minima and maxima, in registers alone. A thread makes tile_columns by
// tile_rows results twice: values are pairs of samples in the halves of a word, which instructions take together. The
// samples of a pair lie tile_columns apart, or, where they are interleaved, next to each other.

#include <algorithm>
#include <cstdint>
#include <utility>

#include "kernels/cuda/load.cuh"
#include "kernels/cuda/median/bands.cuh"
#include "kernels/cuda/median/host.h"
#include "kernels/cuda/median/parameters.h"
#include "kernels/cuda/median/tile_network.h"

namespace vfilter::cuda::median {

/// Samples of a row of results that a thread makes.
inline constexpr int thread_samples = 2 * tile_columns;

/// Minima and maxima share a pipe, products have another. No half of the result needs a carry.
__device__ __forceinline__ std::uint32_t maximum_by_products(std::uint32_t a, std::uint32_t b, std::uint32_t minimum,
                                                             const Ones& ones) {
    return minimum * ones.minus_one + (a * ones.one + b);
}

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
        // How many pay was measured: docs/lab-notes/medians.md.
        constexpr bool by_products = index % (radius_x + radius_y > 5 ? 2 : 4) != 0;
        values[step.high] = by_products ? maximum_by_products(low, high, minimum, ones) : __vmaxu2(low, high);
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

    /// `first` is the first result's sample.
    __device__ static __forceinline__ void load(std::uint32_t (&row)[words], const unsigned char* first) {
        load_words<halo / per_word, thread_samples* static_cast<int>(sizeof(T))>(
            row, first - halo * static_cast<int>(sizeof(T)));
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
__device__ __forceinline__ void store_results(const std::uint32_t (&pairs)[tile_columns], const Launch& launch,
                                              const Tile& tile, int x, int y) {
    unsigned char* const to = result_at(launch, tile, y) + static_cast<std::int64_t>(x) * static_cast<int>(sizeof(T));
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
        if (x + thread_samples / 2 < tile.plane.samples) {
            *reinterpret_cast<uint2*>(to + 8) = make_uint2(halves[2], halves[3]);
        }
    }
}

/// All samples that a tile needs, as pairs. `first` is the sample of the first result in the row `radius_y` above it.
template <class T, int radius_x, int radius_y, int step>
__device__ __forceinline__ void load_tile(std::uint32_t* values, const Picture& picture, const PlaneParams& plane,
                                          const unsigned char* first) {
    using Tile = TileNetwork<radius_x, radius_y>;
    using Span = RowSpan<T, step>;
    const std::uint32_t mask = picture.max_value << plane.lsb;
#pragma unroll
    for (int j = 0; j < Tile::rows; ++j) {
        std::uint32_t row[Span::words];
        Span::load(row, first + j * Band<T, radius_y>::pitch);
        if constexpr (sizeof(T) == 2) {
#pragma unroll
            for (std::uint32_t& word : row) {
                word &= mask << 16 | mask;
            }
        }
        pair_row<T, step, radius_x>(row, values + j * Tile::columns, std::make_index_sequence<Tile::columns>());
    }
}

template <int radius_x, int radius_y, std::size_t... result>
__device__ __forceinline__ void take_results(const std::uint32_t* values, std::uint32_t* results,
                                             std::index_sequence<result...> /*results*/) {
    // A constant by itself: nvcc 13.5 sees a use of the whole network in an index.
    ((results[result] =
          values[std::integral_constant<int, tile_network<radius_x, radius_y>.results.at[result]>::value]),
     ...);
}

/// Size 3: of each column of three the least, the middle and the largest sample; the median is the middle one of the
/// largest of the least ones, the middle of the middle ones, and the least of the largest ones (Paeth, Graphics Gems,
/// 1990). The two rows that both rows of results see are compared once.
__device__ __forceinline__ void select_of_nine(const std::uint32_t* values,
                                               std::uint32_t (&results)[tile_rows][tile_columns], const Ones& ones) {
    constexpr int columns = tile_columns + 2;
    std::uint32_t low[columns];
    std::uint32_t high[columns];
#pragma unroll
    for (int i = 0; i < columns; ++i) {
        const std::uint32_t a = values[columns + i];
        const std::uint32_t b = values[2 * columns + i];
        low[i] = __vminu2(a, b);
        high[i] = maximum_by_products(a, b, low[i], ones);
    }
#pragma unroll
    for (int j = 0; j < tile_rows; ++j) {
        std::uint32_t least[columns];
        std::uint32_t middle[columns];
        std::uint32_t largest[columns];
#pragma unroll
        for (int i = 0; i < columns; ++i) {
            const std::uint32_t added = values[j * 3 * columns + i];
            const std::uint32_t lower = __vminu2(added, high[i]);
            largest[i] = maximum_by_products(added, high[i], lower, ones);
            least[i] = __vminu2(added, low[i]);
            middle[i] = __vmaxu2(low[i], lower);
        }
#pragma unroll
        for (int i = 0; i < tile_columns; i += 2) {
            const std::uint32_t lower = __vminu2(middle[i + 1], middle[i + 2]);
            const std::uint32_t upper = maximum_by_products(middle[i + 1], middle[i + 2], lower, ones);
#pragma unroll
            for (int k = 0; k < 2; ++k) {
                const int at = i + k;
                const std::uint32_t from_least = __vmaxu2(__vmaxu2(least[at], least[at + 1]), least[at + 2]);
                const std::uint32_t from_largest = __vminu2(__vminu2(largest[at], largest[at + 1]), largest[at + 2]);
                const std::uint32_t from_middle = __vmaxu2(lower, __vminu2(upper, middle[i + 3 * k]));
                const std::uint32_t small = __vminu2(from_least, from_middle);
                const std::uint32_t large = maximum_by_products(from_least, from_middle, small, ones);
                results[j][at] = __vmaxu2(small, __vminu2(large, from_largest));
            }
        }
    }
}

template <int radius_x, int radius_y>
__device__ __forceinline__ void select_tile(std::uint32_t* values, std::uint32_t (&results)[tile_rows][tile_columns],
                                            const Ones& ones) {
    if constexpr (radius_x == 1 && radius_y == 1) {
        select_of_nine(values, results, ones);
    } else {
        run_network<radius_x, radius_y>(values, ones);
        take_results<radius_x, radius_y>(values, results[0], std::make_index_sequence<tile_rows * tile_columns>());
    }
}

/// Of as few registers as a network does with, for as many blocks as then fit a multiprocessor.
constexpr int min_blocks(int radius_y) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
    constexpr int most = 8;  // all that Turing takes
#else
    constexpr int most = 10;
#endif
    return radius_y == 1 ? most : radius_y == 2 ? 6 : 4;
}

template <class T, int radius_x, int radius_y>
__global__ void __launch_bounds__(network_threads, min_blocks(radius_y))
    select_tiles(const __grid_constant__ Launch launch) {
    using Rows = Band<T, radius_y>;
    extern __shared__ uint4 shared[];
    auto* const bands = reinterpret_cast<unsigned char*>(shared);  // two
    const Tile tile = own_tile(launch);
    const PlaneParams& plane = tile.plane;
    const int own_column = static_cast<int>(threadIdx.x) % 32 * thread_samples;
    const int own_row = static_cast<int>(threadIdx.x) / 32 * tile_rows;
    Filler<T, radius_x, radius_y> filler(launch, tile);
    filler.fill(bands);
    const unsigned char* own = bands + own_row * Rows::pitch + Rows::lead + own_column * static_cast<int>(sizeof(T));
    int to_other = Rows::bytes;
#pragma unroll 1
    for (int first = tile.top; first < tile.bottom; first += network_rows) {
        wait_for_copies();
        // All have done with the band of the step before, too.
        __syncthreads();
        if (first + network_rows < tile.bottom) {
            filler.fill(bands + max(to_other, 0));
        }
        const int x = tile.left + own_column;
        const int y = first + own_row;
        if (x < plane.samples && y < plane.height) {
            std::uint32_t values[tile_network<radius_x, radius_y>.network.places];
            if (plane.step == 1) {
                load_tile<T, radius_x, radius_y, 1>(values, launch.picture, plane, own);
            } else {
                load_tile<T, radius_x, radius_y, 2>(values, launch.picture, plane, own);
            }
            std::uint32_t results[tile_rows][tile_columns];
            select_tile<radius_x, radius_y>(values, results, launch.ones);
#pragma unroll
            for (int j = 0; j < tile_rows; ++j) {
                if (y + j < plane.height) {
                    if (plane.step == 1) {
                        store_results<T, 1>(results[j], launch, tile, x, y + j);
                    } else {
                        store_results<T, 2>(results[j], launch, tile, x, y + j);
                    }
                }
            }
        }
        own += to_other;
        to_other = -to_other;
    }
}

/// Sizes 3, 5 and 7, and what they are where chroma is subsampled along x only.
template <class T, int radius_x, int radius_y>
inline constexpr NetworkInstance network{radius_x, radius_y, 1, 2 * Band<T, radius_y>::bytes,
                                         select_tiles<T, radius_x, radius_y>};
template <class T>
inline constexpr NetworkInstance network_instances[] = {
    network<T, 1, 1>, network<T, 2, 2>, network<T, 3, 3>, network<T, 1, 2>, network<T, 2, 3>,
};

}  // namespace vfilter::cuda::median
