#pragma once
// The row pass of the fused kernels: from device memory to a tile's intermediate rows in shared memory.

#include "kernels/cuda/fused_shape.h"
#include "kernels/cuda/load.cuh"

namespace vfilter::cuda {

/// The row pass for one group of bytes, with taps four by four.
template <int R>
__device__ __forceinline__ void filter_quads(const std::uint32_t (&words)[Shape<std::uint8_t, R>::words],
                                             std::uint32_t (&mid)[group], const Taps<std::uint8_t, R>& taps) {
#pragma unroll
    for (int i = 0; i < group; ++i) {
        constexpr int apron = Shape<std::uint8_t, R>::apron;
        const int begin = apron - R + i;
        const int phase = begin % 4;
        mid[i] = 0;
#pragma unroll
        for (int word = 0; 4 * word < phase + 2 * R + 1; ++word) {
            mid[i] = __dp4a(taps.row_quads[phase][word], words[begin / 4 + word], mid[i]);
        }
    }
}

/// The row pass for one group of bytes: `words` begin `apron` samples before the group.
template <int R>
__device__ __forceinline__ void filter_row(const std::uint32_t (&words)[Shape<std::uint8_t, R>::words],
                                           std::uint32_t (&mid)[group], const Taps<std::uint8_t, R>& taps,
                                           const PlaneParams&, unsigned) {
    constexpr int apron = Shape<std::uint8_t, R>::apron;
#pragma unroll
    for (int i = 0; i < group; ++i) {
        mid[i] = taps.row_half;
    }
#pragma unroll
    for (int pair = 0; pair <= R; ++pair) {
#pragma unroll
        for (int i = 0; i < group; ++i) {
            const int begin = apron - R + i;
            const int byte = begin / 2 * 2 + 2 * pair;
            const std::uint32_t two = begin % 2 == 0 ? taps.row_even[pair] : taps.row_odd[pair];
            mid[i] = byte % 4 == 0 ? __dp2a_lo(two, words[byte / 4], mid[i]) : __dp2a_hi(two, words[byte / 4], mid[i]);
        }
    }
#pragma unroll
    for (int i = 0; i < group; ++i) {
        if constexpr (!byte_shifted<std::uint8_t, R>) {
            mid[i] >>= taps.row_shift;
        }
    }
}

/// The same for 16-bit samples.
template <int R>
__device__ __forceinline__ void filter_row(const std::uint32_t (&words)[Shape<std::uint16_t, R>::words],
                                           std::uint32_t (&mid)[group], const Taps<std::uint16_t, R>& taps,
                                           const PlaneParams& plane, unsigned max_value) {
    constexpr int apron = Shape<std::uint16_t, R>::apron;
    std::uint32_t samples[group + 2 * R];
#pragma unroll
    for (int i = 0; i < group + 2 * R; ++i) {
        const int at = i + apron - R;
        samples[i] = (words[at / 2] >> (plane.lsb + at % 2 * 16)) & max_value;
    }
#pragma unroll
    for (int i = 0; i < group; ++i) {
        mid[i] = taps.row_half + taps.row[0] * samples[i + R];
    }
#pragma unroll
    for (int j = 1; j <= R; ++j) {
#pragma unroll
        for (int i = 0; i < group; ++i) {
            mid[i] += taps.row[j] * (samples[i + R - j] + samples[i + R + j]);
        }
    }
}

/// Interleaved components apart: `both` has twice the words of each.
template <class T, int words>
__device__ __forceinline__ void part(const std::uint32_t (&both)[2 * words], std::uint32_t (&first)[words],
                                     std::uint32_t (&second)[words]) {
#pragma unroll
    for (int i = 0; i < words; ++i) {
        first[i] = __byte_perm(both[2 * i], both[2 * i + 1], sizeof(T) == 1 ? 0x6420 : 0x5410);
        second[i] = __byte_perm(both[2 * i], both[2 * i + 1], sizeof(T) == 1 ? 0x7531 : 0x7632);
    }
}

/// Two intermediate samples as the row pass leaves them.
template <class T, int R, bool quads>
__device__ __forceinline__ std::uint32_t join(std::uint32_t low, std::uint32_t high) {
    return __byte_perm(low, high, sizeof(T) == 2 ? 0x7632 : byte_shifted<T, R> && !quads ? 0x6521 : 0x5410);
}

template <class T, int R, bool quads, int words>
__device__ __forceinline__ void filter_group(const std::uint32_t (&line)[words], std::uint32_t (&mid)[group],
                                             const Taps<T, R>& taps, const PlaneParams& plane, unsigned max_value) {
    if constexpr (quads) {
        filter_quads<R>(line, mid, taps);
    } else {
        filter_row<R>(line, mid, taps, plane, max_value);
    }
}

/// The results of the row pass for the words of one line, as they lie in the intermediate row.
template <class T, int R, int step, bool quads, int words>
__device__ __forceinline__ void filter_line(std::uint16_t* to, const std::uint32_t (&line)[words],
                                            const Taps<T, R>& taps, const PlaneParams& plane, unsigned max_value) {
    auto* const four = reinterpret_cast<uint4*>(to);
    if constexpr (step == 1) {
        std::uint32_t a[group];
        filter_group<T, R, quads>(line, a, taps, plane, max_value);
        four[0] = make_uint4(join<T, R, quads>(a[0], a[1]), join<T, R, quads>(a[2], a[3]),
                             join<T, R, quads>(a[4], a[5]), join<T, R, quads>(a[6], a[7]));
    } else {
        std::uint32_t first[words / 2];
        std::uint32_t second[words / 2];
        part<T, words / 2>(line, first, second);
        std::uint32_t a[group];
        std::uint32_t b[group];
        filter_group<T, R, quads>(first, a, taps, plane, max_value);
        filter_group<T, R, quads>(second, b, taps, plane, max_value);
#pragma unroll
        for (int i = 0; i < 2; ++i) {
            four[i] = make_uint4(join<T, R, quads>(a[4 * i], b[4 * i]), join<T, R, quads>(a[4 * i + 1], b[4 * i + 1]),
                                 join<T, R, quads>(a[4 * i + 2], b[4 * i + 2]),
                                 join<T, R, quads>(a[4 * i + 3], b[4 * i + 3]));
        }
    }
}

/// How the row pass divides a tile among threads.
template <class T, int R, int step>
struct Lines {
    using S = Shape<T, R>;
    static constexpr int samples = step * group;  ///< of one thread
    static constexpr int apron = step * S::apron;
    static constexpr int words = step * S::words;
    static constexpr int threads_per_row = tile_columns / samples;
    static constexpr int rows_at_once = threads / threads_per_row;
};

/// Intermediate rows of a tile: `count` of them from row `top` on, the first at mid[0].
template <class T, int R, int step, bool quads>
__device__ __forceinline__ void row_pass(std::uint16_t* mid, const Taps<T, R>& taps, const PlaneParams& plane,
                                         const Picture& picture, int left, int top, int count) {
    using L = Lines<T, R, step>;
    constexpr int bytes = static_cast<int>(sizeof(T));
    // So many lines are asked for before the first one is worked on.
    constexpr int ahead = std::max(1, Shape<T, R>::words_ahead / L::words);
    // The groups of a line that read nothing from outside of it: from `first` to before `last`.
    const int groups = (min(tile_columns, plane.samples - left) + L::samples - 1) / L::samples;
    const int first = min(max((L::apron - left + L::samples - 1) / L::samples, 0), groups);
    const int last = max(min((plane.samples - L::apron - left) / L::samples, groups), first);

    const bool rows_inside = top >= 0 && top + count <= plane.height;
    const int own = static_cast<int>(threadIdx.x) % L::threads_per_row;
    if (own >= first && own < last) {
        const int from = (left + own * L::samples - L::apron) * bytes;
        std::uint16_t* const to = mid + own * L::samples;
        for (int row = static_cast<int>(threadIdx.x) / L::threads_per_row; row < count;
             row += ahead * L::rows_at_once) {
            std::uint32_t lines[ahead][L::words];
            // One row too many is read again rather than asked about: so all loads stand together.
            const auto row_of = [&](int i) { return top + min(row + i * L::rows_at_once, count - 1); };
            if (rows_inside) {
#pragma unroll
                for (int i = 0; i < ahead; ++i) {
                    load_words<L::apron * bytes / 4, L::samples * bytes>(
                        lines[i], plane.src + plane.src_pitch * row_of(i) + from);
                }
            } else {
#pragma unroll
                for (int i = 0; i < ahead; ++i) {
                    const unsigned char* const line = row_at(plane, picture, row_of(i));
                    if (line != nullptr) {
                        load_words<L::apron * bytes / 4, L::samples * bytes>(lines[i], line + from);
                    } else {
#pragma unroll
                        for (std::uint32_t& word : lines[i]) {
                            word = black_word<T>(plane);
                        }
                    }
                }
            }
#pragma unroll
            for (int i = 0; i < ahead; ++i) {
                if (i == 0 || row + i * L::rows_at_once < count) {
                    filter_line<T, R, step, quads>(to + (row + i * L::rows_at_once) * tile_columns, lines[i], taps,
                                                   plane, picture.max_value);
                }
            }
        }
    }
    // The others, shared out among all threads.
    const int others = first + groups - last;
    for (int item = static_cast<int>(threadIdx.x); item < others * count; item += threads) {
        const int row = item / others;
        const int number = item - row * others;
        const int column = (number < first ? number : number - first + last) * L::samples;
        const unsigned char* const from = row_at(plane, picture, top + row);
        std::uint32_t line[L::words];
#pragma unroll
        for (int i = 0; i < L::words; ++i) {
            line[i] = from == nullptr
                          ? black_word<T>(plane)
                          : border_word<T, step>(from, plane, picture, left + column - L::apron + i * 4 / bytes);
        }
        filter_line<T, R, step, quads>(mid + row * tile_columns + column, line, taps, plane, picture.max_value);
    }
}

}  // namespace vfilter::cuda
