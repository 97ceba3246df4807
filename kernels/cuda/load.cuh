#pragma once
// From rows in device memory to words in registers, and the border.

#include "kernels/cuda/launch.h"

namespace vfilter::cuda {

/// Samples [x, x + 4 / sizeof(T)) of a row, as they would lie in a word; positions outside are the border's.
template <class T>
__device__ __noinline__ std::uint32_t border_word(const T* row, int x, int step, int width, Border border, int black) {
    constexpr int samples = 4 / sizeof(T);
    std::uint32_t word = 0;
#pragma unroll 1
    for (int i = 0; i < samples; ++i) {
        const int at = x + i;
        const int pixel = step == 1 ? at : at >> 1;
        const int from = border_index(pixel, width, border);
        const std::uint32_t sample =
            from < 0 ? static_cast<std::uint32_t>(black) : row[from * step + (at - pixel * step)];
        word |= sample << (8 * sizeof(T) * i);
    }
    return word;
}

/// Words from an address that is a multiple of 4 and, `lead` words later, of `unit` bytes, as wide as that allows.
template <int lead, int unit, int i = 0, int count>
__device__ __forceinline__ void load_words(std::uint32_t (&words)[count], const unsigned char* from) {
    if constexpr (i < count) {
        constexpr int phase = ((i - lead) * 4) & (unit - 1);
        if constexpr (unit >= 16 && phase == 0 && count - i >= 4) {
            const uint4 four = __ldg(reinterpret_cast<const uint4*>(from + 4 * i));
            words[i] = four.x;
            words[i + 1] = four.y;
            words[i + 2] = four.z;
            words[i + 3] = four.w;
            load_words<lead, unit, i + 4>(words, from);
        } else if constexpr (phase % 8 == 0 && count - i >= 2) {
            const uint2 two = __ldg(reinterpret_cast<const uint2*>(from + 4 * i));
            words[i] = two.x;
            words[i + 1] = two.y;
            load_words<lead, unit, i + 2>(words, from);
        } else {
            words[i] = __ldg(reinterpret_cast<const unsigned*>(from + 4 * i));
            load_words<lead, unit, i + 1>(words, from);
        }
    }
}

/// The words of samples [x - apron, x - apron + 4 * count / sizeof(T)) of row y, wherever they are.
template <class T, int count, int apron, int unit>
__device__ __forceinline__ void load_line(std::uint32_t (&words)[count], const PlaneParams& plane, int x, int y,
                                          Border border) {
    constexpr int per_word = 4 / sizeof(T);
    const int from_row = border_index(y, plane.height, border);
    if (from_row < 0) {
        std::uint32_t word = static_cast<std::uint32_t>(plane.black) << plane.lsb;
        word = sizeof(T) == 1 ? word * 0x01010101u : word * 0x00010001u;
#pragma unroll
        for (int i = 0; i < count; ++i) {
            words[i] = word;
        }
        return;
    }
    const unsigned char* const row = plane.src + plane.src_pitch * from_row;
    const int first = x - apron;
    if (first >= 0 && first + count * per_word <= plane.samples) {
        load_words<apron / per_word, unit>(words, row + first * static_cast<int>(sizeof(T)));
        return;
    }
#pragma unroll
    for (int i = 0; i < count; ++i) {
        const int at = first + i * per_word;
        words[i] = at >= 0 && at + per_word <= plane.samples
                       ? __ldg(reinterpret_cast<const unsigned*>(row + at * static_cast<int>(sizeof(T))))
                       : border_word<T>(reinterpret_cast<const T*>(row), at, plane.step, plane.width, border,
                                        plane.black << plane.lsb);
    }
}

}  // namespace vfilter::cuda
