#pragma once
// The row pass of the stencil: from one row's words to the intermediate samples of one thread's columns.

#include <algorithm>

#include "kernels/cuda/load.cuh"
#include "kernels/cuda/ptx.cuh"
#include "kernels/cuda/stencil/parameters.h"

namespace vfilter::cuda::stencil {

template <Form form>
using SampleOf = std::conditional_t<form == Form::words, std::uint16_t, std::uint8_t>;

/// How the work is divided: a thread walks down `own` neighbouring columns, and keeps for each the sums of the 2 R rows
/// of results that are not yet complete; or for a magnitude the last 2 R rows of each gradient's intermediate samples.
template <Form kind, int radius, int term_count, bool is_magnitude>
struct Shape {
    static constexpr Form form = kind;
    static constexpr int R = radius;
    static constexpr int terms = term_count;
    static constexpr bool magnitude = is_magnitude;
    using T = SampleOf<form>;
    using Taps = FilterParams<form, R, terms>;
    static constexpr int per_word = 4 / static_cast<int>(sizeof(T));
    static constexpr int sums = magnitude ? terms : 1;
    static constexpr bool ready = magnitude && per_word == 4;  ///< results are samples but for their upper bytes
    static constexpr int own = form != Form::words && 2 * R * sums <= 4 ? 8 : 4;
    static constexpr int own_words = own / per_word;
    /// Whether it has kernels for planes of three and four components as well.
    static constexpr bool pixels = own_words == 2 && per_word == 4;
    /// Blocks of a multiprocessor at once, which bounds the registers.
    static constexpr int blocks = R == 1 && terms <= 2 && terms * sums * own <= 16 ? 6 : R <= 2 ? 4 : 3;
};

/// What one row gives a thread for its own columns and R pixels to either side.
template <class S, int step>
struct LineShape {
    static constexpr int before = (step * S::R + S::per_word - 1) / S::per_word;  ///< words
    // Interleaved components are parted two words at a time.
    static constexpr int after = before + (step == 2 ? S::own_words % 2 : 0);
    static constexpr int words = before + S::own_words + after;
};

/// The sample at that position of a line.
template <Form form>
__device__ __forceinline__ std::uint32_t sample_of(const std::uint32_t word, int position, const PlaneParams& plane,
                                                   const Picture& picture) {
    if constexpr (form == Form::words) {
        return (word >> (plane.lsb + position % 2 * 16)) & picture.max_value;
    } else {
        return __byte_perm(word, 0, 0x4440 + position % 4);
    }
}

/// Intermediate samples of `count` neighbouring pixels of one component: the first one's window begins at `begin`.
template <int begin, int R, int words, int count>
__device__ __forceinline__ void row_sums(const std::uint32_t (&line)[words], std::int32_t (&sums)[count],
                                         const Rows<Form::pairs, R>& taps, const PlaneParams&, const Picture&) {
#pragma unroll
    for (int i = 0; i < count; ++i) {
        sums[i] = taps.start;
#pragma unroll
        for (int pair = 0; pair <= R; ++pair) {
            const int byte = (begin + i) / 2 * 2 + 2 * pair;
            const std::uint32_t two = (begin + i) % 2 == 0 ? taps.even[pair] : taps.odd[pair];
            sums[i] = byte % 4 == 0 ? dp2a_lo(two, line[byte / 4], sums[i]) : dp2a_hi(two, line[byte / 4], sums[i]);
        }
        sums[i] >>= taps.shift;
    }
}

template <int begin, int R, int words, int count>
__device__ __forceinline__ void row_sums(const std::uint32_t (&line)[words], std::int32_t (&sums)[count],
                                         const Rows<Form::quads, R>& taps, const PlaneParams&, const Picture&) {
#pragma unroll
    for (int i = 0; i < count; ++i) {
        const int phase = (begin + i) % 4;
        const int first = (begin + i) / 4;
        sums[i] = 0;
        if constexpr (2 * R + 1 <= 4) {
            // A window that lies in two words is moved to the beginning of one, once for all terms.
            sums[i] = phase <= 1 ? dp4a(taps.taps[phase][0], line[first], 0)
                                 : dp4a(taps.taps[0][0],
                                        __byte_perm(line[first], line[first + 1], 0x3210 + 0x1111 * phase), 0);
        } else {
#pragma unroll
            for (int word = 0; 4 * word < phase + 2 * R + 1; ++word) {
                sums[i] = dp4a(taps.taps[phase][word], line[first + word], sums[i]);
            }
        }
    }
}

template <int begin, int R, int words, int count>
__device__ __forceinline__ void row_sums(const std::uint32_t (&line)[words], std::int32_t (&sums)[count],
                                         const Rows<Form::words, R>& taps, const PlaneParams& plane,
                                         const Picture& picture) {
    std::int32_t samples[count + 2 * R];
#pragma unroll
    for (int i = 0; i < count + 2 * R; ++i) {
        samples[i] =
            static_cast<std::int32_t>(sample_of<Form::words>(line[(begin + i) / 2], begin + i, plane, picture));
    }
#pragma unroll
    for (int i = 0; i < count; ++i) {
        sums[i] = taps.start;
#pragma unroll
        for (int j = 0; j < 2 * R + 1; ++j) {
            sums[i] += taps.taps[j] * samples[i + j];
        }
        sums[i] >>= taps.shift;
    }
}

/// Up to four bytes of a line, the first one at `first`, the others `step` apart, as one word.
template <int first, int step, int count, int words>
[[nodiscard]] __device__ __forceinline__ std::uint32_t gather(const std::uint32_t (&line)[words]) {
    constexpr int last = first + (count - 1) * step;
    constexpr int word = first / 4;
    if constexpr (last / 4 == word && count == 1 && first % 4 == 0) {
        return line[word];
    }
    // Of the first two words, and of those that follow.
    constexpr int second = word + 1 < words ? word + 1 : word;
    std::uint32_t gathered = 0;
#pragma unroll
    for (int next = second; next <= std::max(last / 4, second); ++next) {
        unsigned selector = next == second ? 0 : 0x3210;
        bool any = next == second;
#pragma unroll
        for (int i = 0; i < count; ++i) {
            const int byte = first + i * step;
            if (next == second && byte < 4 * next + 4) {
                selector |= static_cast<unsigned>(byte - 4 * word) << 4 * i;
            } else if (next != second && byte / 4 == next) {
                selector ^= static_cast<unsigned>(i ^ (4 + byte % 4)) << 4 * i;
                any = true;
            }
        }
        if (any) {
            gathered = __byte_perm(next == second ? line[word] : gathered, line[next], selector);
        }
    }
    return gathered;
}

/// As row_sums, of pixels of three and four components: the samples of a window lie `step` apart. `begin` is of the
/// line.
template <int begin, int step, int R, int words, int count, int i = 0>
__device__ __forceinline__ void row_sums_of_pixels(const std::uint32_t (&line)[words], std::int32_t (&sums)[count],
                                                   const Rows<Form::quads, R>& taps) {
    static_assert(2 * R + 1 <= 4);
    if constexpr (i < count) {
        const std::uint32_t window = gather<begin + i, step, 2 * R + 1>(line);  // and a byte whose tap is 0
        sums[i] = dp4a(taps.taps[0][0], window, 0);
        row_sums_of_pixels<begin, step, R, words, count, i + 1>(line, sums, taps);
    }
}

template <int begin, int step, int R, int words, int count, int i = 0>
__device__ __forceinline__ void row_sums_of_pixels(const std::uint32_t (&line)[words], std::int32_t (&sums)[count],
                                                   const Rows<Form::pairs, R>& taps) {
    static_assert(R <= 2);
    if constexpr (i < count) {
        const std::uint32_t window = gather<begin + i, step, std::min(2 * R + 1, 4)>(line);
        sums[i] = dp2a_hi(taps.even[1], window, dp2a_lo(taps.even[0], window, taps.start));
        if constexpr (R == 2) {
            // The other tap of the last pair is 0.
            sums[i] = dp2a_lo(taps.even[2], gather<begin + i + 4 * step, step, 1>(line), sums[i]);
        }
        sums[i] >>= taps.shift;
        row_sums_of_pixels<begin, step, R, words, count, i + 1>(line, sums, taps);
    }
}

/// Intermediate samples of one thread's own columns.
template <class S, int step, int words, class RowTaps>
__device__ __forceinline__ void filter_line(const std::uint32_t (&line)[words], std::int32_t (&mid)[S::own],
                                            const RowTaps& taps, const PlaneParams& plane, const Picture& picture) {
    constexpr int before = LineShape<S, step>::before * S::per_word;
    constexpr int begin = before / step - S::R;
    if constexpr (step == 1) {
        row_sums<begin>(line, mid, taps, plane, picture);
    } else if constexpr (step > 2) {
        row_sums_of_pixels<before - step * S::R, step>(line, mid, taps);
    } else {
        constexpr bool bytes = S::per_word == 4;
        std::uint32_t parts[2][words / 2];
#pragma unroll
        for (int i = 0; i < words / 2; ++i) {
            parts[0][i] = __byte_perm(line[2 * i], line[2 * i + 1], bytes ? 0x6420 : 0x5410);
            parts[1][i] = __byte_perm(line[2 * i], line[2 * i + 1], bytes ? 0x7531 : 0x7632);
        }
#pragma unroll
        for (int component = 0; component < 2; ++component) {
            std::int32_t sums[S::own / 2];
            row_sums<begin>(parts[component], sums, taps, plane, picture);
#pragma unroll
            for (int i = 0; i < S::own / 2; ++i) {
                mid[2 * i + component] = sums[i];
            }
        }
    }
}

}  // namespace vfilter::cuda::stencil
