#pragma once
// The column pass of the fused kernels: from a tile's intermediate rows to its results.

#include "kernels/cuda/fused_shape.h"
#include "kernels/cuda/launch.h"

namespace vfilter::cuda {

__device__ __forceinline__ std::uint32_t pack(std::uint32_t low, std::uint32_t high) {
    return __byte_perm(low, high, 0x5410);
}

/// Neighbouring results to where they belong. Bytes: the upper one of each sum.
template <int count>
__device__ __forceinline__ void store(std::uint8_t* to, const std::uint32_t (&sums)[count], const PlaneParams&,
                                      const Picture&) {
    const std::uint32_t low = __byte_perm(sums[0], sums[1], 0x0073);
    if constexpr (count == 2) {
        *reinterpret_cast<std::uint16_t*>(to) = static_cast<std::uint16_t>(low);
    } else {
        const std::uint32_t high = __byte_perm(sums[2], sums[3], 0x0073);
        *reinterpret_cast<std::uint32_t*>(to) = __byte_perm(low, high, 0x5410);
    }
}
template <int count>
__device__ __forceinline__ void store(std::uint16_t* to, const std::uint32_t (&sums)[count], const PlaneParams& plane,
                                      const Picture& picture) {
    std::uint32_t pairs[count / 2];
#pragma unroll
    for (int i = 0; i < count / 2; ++i) {
        pairs[i] = pack(sums[2 * i] >> picture.result_shift << plane.lsb,
                        sums[2 * i + 1] >> picture.result_shift << plane.lsb);
    }
    if constexpr (count == 2) {
        *reinterpret_cast<std::uint32_t*>(to) = pairs[0];
    } else {
        *reinterpret_cast<uint2*>(to) = make_uint2(pairs[0], pairs[1]);
    }
}

/// Intermediate samples of `count` neighbouring columns.
template <int count>
__device__ __forceinline__ void fetch(std::uint32_t (&samples)[count], const std::uint16_t* mid) {
    std::uint32_t pairs[count / 2];
    if constexpr (count == 2) {
        pairs[0] = *reinterpret_cast<const std::uint32_t*>(mid);
    } else {
        const uint2 two = *reinterpret_cast<const uint2*>(mid);
        pairs[0] = two.x;
        pairs[1] = two.y;
    }
#pragma unroll
    for (int i = 0; i < count; ++i) {
        samples[i] = i % 2 == 0 ? pairs[i / 2] & 0xffff : pairs[i / 2] >> 16;
    }
}

/// The column pass for rows [row, row + rows) of a tile, of which the first `count` are wanted.
template <class T, int R>
__device__ __forceinline__ void filter_columns(const std::uint16_t* mid, unsigned char* to, int wanted,
                                               const Taps<T, R>& taps, const PlaneParams& plane,
                                               const Picture& picture) {
    using S = Shape<T, R>;
    constexpr int rows = S::rows;
    constexpr int columns = S::columns;
    std::uint32_t sums[rows][columns];
    // Two windows on the intermediate rows, at distance j above and below the rows that are made: each slides by one
    // row from step to step, and row i of a window lies in slot i % rows.
    std::uint32_t above[rows][columns];
    std::uint32_t below[rows][columns];
#pragma unroll
    for (int i = 0; i < rows; ++i) {
#pragma unroll
        for (int c = 0; c < columns; ++c) {
            sums[i][c] = taps.column_half;
        }
        if (i + 1 < rows) {
            fetch(above[i], mid + i * tile_columns);
            fetch(below[(2 * R + 1 + i) % rows], mid + (2 * R + 1 + i) * tile_columns);
        }
    }
#pragma unroll
    for (int j = R; j >= 1; --j) {
        fetch(above[(R - j + rows - 1) % rows], mid + (R - j + rows - 1) * tile_columns);
        fetch(below[(R + j) % rows], mid + (R + j) * tile_columns);
#pragma unroll
        for (int i = 0; i < rows; ++i) {
#pragma unroll
            for (int c = 0; c < columns; ++c) {
                sums[i][c] += taps.column[j] * (above[(R - j + i) % rows][c] + below[(R + j + i) % rows][c]);
            }
        }
    }
    fetch(above[(R + rows - 1) % rows], mid + (R + rows - 1) * tile_columns);
#pragma unroll
    for (int i = 0; i < rows; ++i) {
#pragma unroll
        for (int c = 0; c < columns; ++c) {
            sums[i][c] += taps.column[0] * above[(R + i) % rows][c];
        }
    }
    if (wanted >= rows) {
#pragma unroll
        for (int i = 0; i < rows; ++i) {
            store(reinterpret_cast<T*>(to), sums[i], plane, picture);
            to += plane.dst_pitch;
        }
        return;
    }
#pragma unroll
    for (int i = 0; i < rows; ++i) {
        if (i < wanted) {
            store(reinterpret_cast<T*>(to), sums[i], plane, picture);
            to += plane.dst_pitch;
        }
    }
}

/// filter_columns, two columns in one word: see word_column.
template <int R>
__device__ __forceinline__ void filter_column_words(const std::uint16_t* mid, unsigned char* to, int wanted,
                                                    const Taps<std::uint8_t, R>& taps, const PlaneParams& plane) {
    constexpr int rows = Shape<std::uint8_t, R>::rows;
    static_assert(Shape<std::uint8_t, R>::columns == 4);
    constexpr std::uint32_t half = 0x00800080;
    uint2 lines[rows + 2 * R];
#pragma unroll
    for (int i = 0; i < rows + 2 * R; ++i) {
        lines[i] = *reinterpret_cast<const uint2*>(mid + i * tile_columns);
    }
#pragma unroll
    for (int i = 0; i < rows; ++i) {
        uint2 sum =
            make_uint2(half + taps.word_column[0] * lines[i + R].x, half + taps.word_column[0] * lines[i + R].y);
#pragma unroll
        for (int j = 1; j <= R; ++j) {
            sum.x += taps.word_column[j] * (lines[i + R - j].x + lines[i + R + j].x);
            sum.y += taps.word_column[j] * (lines[i + R - j].y + lines[i + R + j].y);
        }
        if (i < wanted) {
            *reinterpret_cast<std::uint32_t*>(to) = __byte_perm(sum.x, sum.y, 0x7531);
            to += plane.dst_pitch;
        }
    }
}

}  // namespace vfilter::cuda
