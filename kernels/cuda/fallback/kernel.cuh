#pragma once
// Any linear filter: the contract as it is written, in loops. A block makes a tile term by term: intermediate rows in
// shared memory, then every thread its sums. Sums of int16 wrap at 32 bits, which the contract allows; all others have
// 64, which need no splitting of taps.

#include <cstdint>
#include <type_traits>

#include "kernels/cuda/fallback/parameters.h"
#include "kernels/cuda/load.cuh"

namespace vfilter::cuda::fallback {

/// Whether the intermediate is centred, as 32-bit sums want it. sum C (mid - centre) + centre * sum C is sum C mid,
/// whatever the centre, and 64-bit sums hold it: mid has 32 bits then, as its span, which holds 0, is below 2^31.
template <class Sum>
inline constexpr bool centred = sizeof(Sum) == 4;

/// The intermediate sample of one position. `sample(i)` is that under tap i.
template <class Sum>
__device__ std::int32_t row_sum(const std::int32_t* taps, const TermParams& term, const auto& sample) {
    using Signed = std::make_signed_t<Sum>;
    Sum sum = centred<Sum> ? term.row_start : half<Sum>(term.row_shift);
#pragma unroll 4
    for (int i = 0; i < term.rows.count; ++i) {
        sum += static_cast<Sum>(static_cast<Signed>(taps[i])) * static_cast<Sum>(sample(i));
    }
    return static_cast<std::int32_t>(static_cast<Signed>(sum) >> term.row_shift);
}

/// Intermediate rows of one term, the first at mid[0], for the tile's rows from `top` on and the column of samples x.
template <class T, class Sum, class Tile>
__device__ void row_pass(std::int32_t* mid, const std::int32_t* taps, const TermParams& term, const PlaneParams& plane,
                         const Picture& picture, int x, int top, int wanted) {
    const int pixel = x / plane.step;
    const int component = x - pixel * plane.step;
    const int left = pixel + term.rows.first;
    const bool inside = left >= 0 && left + term.rows.count <= plane.width;
    for (int row = static_cast<int>(threadIdx.x) / Tile::columns; row < wanted + term.columns.count - 1;
         row += rows_at_once<Tile>) {
        const int from_row = border_index(top + row + term.columns.first, plane.height, picture.border);
        const T* const line = reinterpret_cast<const T*>(plane.src + plane.src_pitch * max(from_row, 0));
        const auto stored = [&](int index) {
            return (static_cast<unsigned>(line[index * plane.step + component]) >> plane.lsb) & picture.max_value;
        };
        const auto bordered = [&](int i) {
            const int from = from_row < 0 ? -1 : border_index(left + i, plane.width, picture.border);
            return from < 0 ? static_cast<unsigned>(plane.black) : stored(from);
        };
        mid[row * Tile::columns] = inside && from_row >= 0
                                       ? row_sum<Sum>(taps, term, [&](int i) { return stored(left + i); })
                                       : row_sum<Sum>(taps, term, bordered);
    }
}

__device__ std::int64_t root_of(std::int64_t n) {
    auto root = static_cast<std::int64_t>(__dsqrt_rn(static_cast<double>(n)));
    // n is below 2^53, so that the root's rounding alone can put it off.
    root -= root * root > n ? 1 : 0;
    root += (root + 1) * (root + 1) <= n ? 1 : 0;
    return root;
}

/// From the sum over all terms, of squares for a magnitude, to the result.
__device__ std::int64_t combine(const FilterParams& filter, std::int64_t v, std::int64_t sample) {
    switch (filter.combine) {
        case Combine::sum:
            v += filter.gain * sample;
            return llabs(v - (sample << filter.shift)) < filter.threshold ? sample : (v + filter.bias) >> filter.shift;
        case Combine::absolute:
            v += filter.gain * sample;
            return (llabs(v) + filter.bias) >> filter.shift;
        case Combine::magnitude:
            return ((root_of(v) + 1) >> 1) + (filter.bias >> filter.shift);
    }
    __trap();
    return 0;
}

template <class T, class Sum, class Tile>
__global__ void __launch_bounds__(threads) filter_tiles(const __grid_constant__ Launch launch) {
    using Signed = std::make_signed_t<Sum>;
    constexpr int tile_columns = Tile::columns;
    constexpr int max_taps = Tile::max_taps;
    constexpr int rows_of_thread = Tile::rows / rows_at_once<Tile>;
    extern __shared__ std::int32_t shared[];
    std::int32_t* const row_taps = shared;
    std::int32_t* const column_taps = shared + max_taps;
    std::int32_t* const mid = shared + 2 * max_taps;

    const Picture& picture = launch.picture;
    const PlaneParams& plane = own_plane(picture);
    const FilterParams& filter = launch.filters[plane.filter];
    const int tile = static_cast<int>(blockIdx.x) - plane.first_block;
    const int column = static_cast<int>(threadIdx.x) % tile_columns;
    const int first = static_cast<int>(threadIdx.x) / tile_columns;
    const int x = tile % plane.tiles_x * tile_columns + column;
    const int top = tile / plane.tiles_x * picture.tile_rows;
    const int wanted = min(picture.tile_rows, plane.height - top);
    const bool inside = x < plane.samples;
    const bool magnitude = filter.combine == Combine::magnitude;

    std::int64_t squares[rows_of_thread] = {};
    Sum sums[rows_of_thread] = {};
    for (int t = 0; t < filter.terms; ++t) {
        const TermParams term = launch.terms[filter.first_term + t];
        __syncthreads();  // the last term's sums are made
        for (int i = static_cast<int>(threadIdx.x); i < max_taps; i += threads) {
            row_taps[i] = i < term.rows.count ? launch.taps[term.rows.taps + i] : 0;
            column_taps[i] = i < term.columns.count ? launch.taps[term.columns.taps + i] : 0;
        }
        __syncthreads();
        if (inside) {
            row_pass<T, Sum, Tile>(mid + column, row_taps, term, plane, picture, x, top, wanted);
        }
        __syncthreads();
        if (!inside) {
            continue;
        }
        if constexpr (centred<Sum>) {
#pragma unroll
            for (Sum& sum : sums) {
                sum += term.centre_sum;
            }
        }
        for (int j = 0; j < term.columns.count; ++j) {
            const auto tap = static_cast<Sum>(static_cast<Signed>(column_taps[j]));
#pragma unroll
            for (int i = 0; i < rows_of_thread; ++i) {
                const int row = first + i * rows_at_once<Tile>;
                if (row < wanted) {
                    sums[i] += tap * static_cast<Sum>(static_cast<Signed>(mid[(row + j) * tile_columns + column]));
                }
            }
        }
        if (magnitude) {
            const int shift = filter.shift - 1;
#pragma unroll
            for (int i = 0; i < rows_of_thread; ++i) {
                const std::int64_t halves = (std::int64_t{static_cast<Signed>(sums[i])} + half(shift)) >> shift;
                const std::int64_t limited = min(max(halves, -filter.magnitude_limit), filter.magnitude_limit);
                squares[i] += limited * limited;
                sums[i] = 0;
            }
        }
    }
    if (!inside) {
        return;
    }
#pragma unroll
    for (int i = 0; i < rows_of_thread; ++i) {
        const int row = first + i * rows_at_once<Tile>;
        if (row < wanted) {
            const T* const from = reinterpret_cast<const T*>(plane.src + plane.src_pitch * (top + row));
            const unsigned sample = (static_cast<unsigned>(from[x]) >> plane.lsb) & picture.max_value;
            const std::int64_t v = magnitude ? squares[i] : std::int64_t{static_cast<Signed>(sums[i])};
            const std::int64_t out =
                min(max(combine(filter, v, sample), std::int64_t{0}), std::int64_t{picture.max_value});
            reinterpret_cast<T*>(plane.dst + plane.dst_pitch * (top + row))[x] = static_cast<T>(out << plane.lsb);
        }
    }
}

}  // namespace vfilter::cuda::fallback
