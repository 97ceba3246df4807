#pragma once
// Bilateral filters of bytes. A block copies its tile with what surrounds it into shared memory. A thread walks down a
// column and keeps the rows of its window in registers, as words of four neighbours: the weights of four are
// three instructions on words, and two dp4a add them up.

#include <cstdint>

#include "kernels/cuda/bilateral/parameters.h"
#include "kernels/cuda/load.cuh"
#include "kernels/cuda/ptx.cuh"

namespace vfilter::cuda::bilateral {

/// The four bytes from column x of a row on; the row is null where it is black.
__device__ __forceinline__ unsigned word_at(const unsigned char* line, int x, const PlaneParams& plane,
                                            const Picture& picture) {
    if (line == nullptr) {
        return black_word<std::uint8_t>(plane);
    }
    if (x >= 0 && x + 4 <= plane.width) {
        return *reinterpret_cast<const unsigned*>(line + x);
    }
    unsigned word = 0;
    for (int i = 0; i < 4; ++i) {
        const int from = source_of(x + i, plane, picture.border == Border::constant);
        word |= static_cast<unsigned>(from < 0 ? plane.black : line[from]) << 8 * i;
    }
    return word;
}

/// Copies the rows from `top` on and the words from column `left` on.
template <int rows, int pitch>
__device__ __forceinline__ void copy_tile(const PlaneParams& plane, const Picture& picture, int left, int top,
                                          unsigned* words) {
    constexpr int at_once = word_threads / pitch;  // rows
    const int first = static_cast<int>(threadIdx.x) / pitch;
    const int word = static_cast<int>(threadIdx.x) - first * pitch;
    if (first >= at_once) {
        return;
    }
    const int x = left + 4 * word;
    if (left >= 0 && left + 4 * pitch <= plane.width && top >= 0 && top + rows <= plane.height) {
        const unsigned char* from = plane.src + plane.src_pitch * (top + first) + x;
        const std::int64_t step = plane.src_pitch * at_once;
#pragma unroll
        for (int row = 0; row < rows; row += at_once, from += step) {
            if (row + first < rows) {
                words[(row + first) * pitch + word] = *reinterpret_cast<const unsigned*>(from);
            }
        }
        return;
    }
    for (int row = first; row < rows; row += at_once) {
        words[row * pitch + word] = word_at(row_at(plane, picture, top + row), x, plane, picture);
    }
}

struct Sums {
    unsigned products = 0;
    unsigned weights = 0;
};

/// Adds four neighbours of that reach, and twice their weights.
__device__ __forceinline__ void add_four(unsigned neighbours, unsigned own, unsigned reaches, Sums& sums) {
    const unsigned differences = __vabsdiffu4(neighbours, own);
    // With a difference d and a reach r below 128, r + |r - d| is the larger one of d and 2 r - d: a byte, and no less
    // than d. Without d that is twice max(0, r - d), and words carry nothing from byte to byte.
    const unsigned weights = reaches + __vabsdiffu4(reaches, differences) - differences;
    sums.products = __dp4a(weights, neighbours, sums.products);
    sums.weights = __dp4a(weights, 0x01010101U, sums.weights);
}

/// The mean, rounded half up, in the lowest byte; sums are those of twice the weights. A half further the quotient is
/// at least 1 / (2 weights) = 1 / 12446 away from every whole number, and the product misses it by less than 1 / 16384.
__device__ __forceinline__ unsigned mean_of(const Sums& sums) {
    const unsigned weights = sums.weights / 2;
    const float dividend = static_cast<float>(sums.products / 2 + weights / 2) + 0.5F;
    // Less a half, it is rounded to the lowest bits of 2^23.
    return __float_as_uint(__fmaf_rn(dividend, reciprocal(static_cast<float>(weights)), 8388607.5F));
}

/// What all results of a thread see, from the first on: rows below each other, of which each result sees some.
template <int count>
struct WindowRows {
    unsigned left[count];
    unsigned right[count];
    unsigned own[count];
};

template <int count>
__device__ __forceinline__ void average(const WindowRows<count>& rows, int y, const LargeWords& reaches, Sums& sums) {
    const int middle = y + LargeWords::radius;
    const unsigned own = rows.own[middle];
    add_four(rows.left[middle], own, reaches.left[0], sums);
    add_four(rows.right[middle], own, reaches.right[0], sums);
#pragma unroll
    for (int j = 1; j <= 2; ++j) {
        add_four(rows.left[middle - j], own, reaches.left[j], sums);
        add_four(rows.right[middle - j], own, reaches.right[j], sums);
        add_four(rows.left[middle + j], own, reaches.left[j], sums);
        add_four(rows.right[middle + j], own, reaches.right[j], sums);
    }
    add_four(__byte_perm(rows.left[middle - 3], rows.right[middle - 3], 0x5432), own, reaches.third, sums);
    add_four(__byte_perm(rows.left[middle + 3], rows.right[middle + 3], 0x5432), own, reaches.third, sums);
    const auto column_from = [&](int row) {
        const unsigned two = __byte_perm(rows.own[row], rows.own[row + 1], 0x0040);
        return __byte_perm(two, __byte_perm(rows.own[row + 2], rows.own[row + 3], 0x0040), 0x5410);
    };
    add_four(column_from(middle - 4), own, reaches.above, sums);
    add_four(column_from(middle + 1), own, reaches.below, sums);
}

template <int count>
__device__ __forceinline__ void average(const WindowRows<count>& rows, int y, const SmallWords& reaches, Sums& sums) {
    const int middle = y + SmallWords::radius;
    const unsigned own = rows.own[middle];
    add_four(__byte_perm(rows.left[middle], rows.right[middle], 0x5432), own, reaches.row, sums);
    const unsigned above = __byte_perm(rows.left[middle - 1], rows.right[middle - 1], 0x0043);
    const unsigned below = __byte_perm(rows.left[middle + 1], rows.right[middle + 1], 0x0043);
    add_four(__byte_perm(above, below, 0x5410), own, reaches.diagonal, sums);
    const unsigned higher = __byte_perm(rows.own[middle - 2], rows.own[middle - 1], 0x0040);
    const unsigned lower = __byte_perm(rows.own[middle + 1], rows.own[middle + 2], 0x0040);
    add_four(__byte_perm(higher, lower, 0x5410), own, reaches.column, sums);
}

template <class Words>
__global__ void __launch_bounds__(word_threads) average_words(const __grid_constant__ WordLaunch<Words> launch) {
    constexpr int halo = 4;
    constexpr int pitch = (word_columns + 2 * halo) / 4;
    constexpr int count = word_rows + 2 * Words::radius;
    __shared__ unsigned words[count * pitch];
    const Picture& picture = launch.picture;
    const PlaneParams& plane = own_plane(picture);
    const int tile = static_cast<int>(blockIdx.x) - plane.first_block;
    const int tile_row = tile / plane.tiles_x;
    const int left = (tile - tile_row * plane.tiles_x) * word_columns;
    const int top = tile_row * word_rows;
    const auto thread = static_cast<int>(threadIdx.x);
    copy_tile<count, pitch>(plane, picture, left - halo, top - Words::radius, words);
    __syncthreads();
    if (left + thread >= plane.width) {
        return;
    }
    const Words reaches = launch.words[plane.filter];
    const unsigned own_weight = 2 * launch.own_reach[plane.filter];
    const int height = plane.height - top;
    const std::int64_t to_pitch = plane.dst_pitch;
    unsigned char* to = plane.dst + to_pitch * top + left + thread;
    const unsigned* const from = words + thread / 4;
    const unsigned along = static_cast<unsigned>(thread % 4) * 0x1111;
    WindowRows<count> rows;
#pragma unroll
    for (int row = 0; row < count; ++row) {
        const unsigned middle = from[row * pitch + 1];
        rows.left[row] = __byte_perm(from[row * pitch], middle, 0x3210 + along);
        rows.right[row] = __byte_perm(middle, from[row * pitch + 2], 0x4321 + along);
        rows.own[row] = __byte_perm(middle, 0, along);
        const int y = row - 2 * Words::radius;
        if (y >= 0) {
            if (y >= height) {
                return;
            }
            const unsigned own = rows.own[y + Words::radius];
            Sums sums{own_weight * (own & 0xff), own_weight};
            average(rows, y, reaches, sums);
            *to = static_cast<unsigned char>(mean_of(sums));
            to += to_pitch;
        }
    }
}

}  // namespace vfilter::cuda::bilateral
