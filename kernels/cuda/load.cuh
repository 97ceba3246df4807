#pragma once
// From rows in device memory to words in registers, and the border.

#include "kernels/cuda/plane.h"

namespace vfilter::cuda {

/// The last of ascending numbers, the first of which is 0, that is not above this block's.
template <int usual, int count>
__device__ __forceinline__ int last_begun(const int (&first_blocks)[count]) {
    const int block = static_cast<int>(blockIdx.x);
    // Without a loop, whose every turn would wait for the one before.
    int index = 0;
#pragma unroll
    for (int i = 1; i < usual; ++i) {
        index += block >= first_blocks[i] ? 1 : 0;
    }
    if (block >= first_blocks[usual]) {
#pragma unroll 8
        for (int i = usual; i < count; ++i) {
            index += block >= first_blocks[i] ? 1 : 0;
        }
    }
    return index;
}

/// Number of the plane of which this block makes a tile.
__device__ __forceinline__ int own_plane_number(const Picture& picture) {
    return last_begun<usual_planes>(picture.first_blocks);
}
__device__ __forceinline__ const PlaneParams& own_plane(const Picture& picture) {
    return picture.planes[own_plane_number(picture)];
}

/// border_index without a division. The constant border gets the nearest sample: its callers look for that first.
__device__ __forceinline__ int fold(int index, int length, const Fold& border) {
    while (static_cast<unsigned>(index) >= static_cast<unsigned>(length)) {
        index = border.factor * index + (index < 0 ? border.before : border.after);
    }
    return index;
}

/// Words from an address that is a multiple of 4 and, `lead` words later, of `unit` bytes, as wide as that allows.
template <int lead, int unit, int i = 0, int count>
__device__ __forceinline__ void load_words(std::uint32_t (&words)[count], const unsigned char* from) {
    if constexpr (i < count) {
        constexpr int phase = ((i - lead) * 4) & (unit - 1);
        if constexpr (unit >= 16 && phase == 0 && count - i >= 4) {
            const uint4 four = *reinterpret_cast<const uint4*>(from + 4 * i);
            words[i] = four.x;
            words[i + 1] = four.y;
            words[i + 2] = four.z;
            words[i + 3] = four.w;
            load_words<lead, unit, i + 4>(words, from);
        } else if constexpr (unit >= 8 && phase % 8 == 0 && count - i >= 2) {
            const uint2 two = *reinterpret_cast<const uint2*>(from + 4 * i);
            words[i] = two.x;
            words[i + 1] = two.y;
            load_words<lead, unit, i + 2>(words, from);
        } else {
            words[i] = *reinterpret_cast<const unsigned*>(from + 4 * i);
            load_words<lead, unit, i + 1>(words, from);
        }
    }
}

/// Eight bytes from sample x of a row on; what is not in the row is 0.
template <class T>
__device__ __forceinline__ uint2 load_group(const unsigned char* row, int x, int samples) {
    constexpr int group = 8 / static_cast<int>(sizeof(T));
    const T* const from = reinterpret_cast<const T*>(row) + x;
    if (x + group <= samples) {
        return *reinterpret_cast<const uint2*>(from);
    }
    std::uint64_t bytes = 0;
#pragma unroll
    for (int i = 0; i < group; ++i) {
        bytes |= x + i < samples ? std::uint64_t{from[i]} << 8 * sizeof(T) * static_cast<unsigned>(i) : 0;
    }
    return make_uint2(static_cast<unsigned>(bytes), static_cast<unsigned>(bytes >> 32));
}

/// The row that stands for row y of the plane, or null where the constant does. By reference: copies of the two made
/// the stencil's inner loop spill registers (8 % of its time at radius 1).
__device__ __forceinline__ const unsigned char* row_at(const unsigned char* const& data, const std::int64_t& pitch,
                                                       const PlaneParams& plane, const Picture& picture, int y) {
    if (static_cast<unsigned>(y) >= static_cast<unsigned>(plane.height)) {
        if (picture.border == Border::constant) {
            return nullptr;
        }
        y = fold(y, plane.height, plane.fold_y);
    }
    return data + pitch * y;
}
__device__ __forceinline__ const unsigned char* row_at(const Rows& rows, const PlaneParams& plane,
                                                       const Picture& picture, int y) {
    return row_at(rows.data, rows.pitch, plane, picture, y);
}
__device__ __forceinline__ const unsigned char* row_at(const PlaneParams& plane, const Picture& picture, int y) {
    return row_at(plane.src, plane.src_pitch, plane, picture, y);
}

__device__ __forceinline__ int floor_div(int dividend, int divisor) {
    const int quotient = dividend / divisor;
    return quotient - (quotient * divisor > dividend ? 1 : 0);
}

/// The sample that stands at position x of a row, or -1 where the constant does.
__device__ __forceinline__ int source_of(int x, const PlaneParams& plane, bool constant) {
    const int pixel = plane.step <= 2 ? x >> (plane.step - 1) : floor_div(x, plane.step);
    if (static_cast<unsigned>(pixel) >= static_cast<unsigned>(plane.width)) {
        return constant ? -1 : fold(pixel, plane.width, plane.fold_x) * plane.step + (x - pixel * plane.step);
    }
    return x;
}

/// A word of black samples.
template <class T>
__device__ __forceinline__ std::uint32_t black_word(const PlaneParams& plane) {
    const std::uint32_t black = static_cast<std::uint32_t>(plane.black) << plane.lsb;
    return sizeof(T) == 1 ? black * 0x01010101U : black * 0x00010001U;
}

}  // namespace vfilter::cuda
