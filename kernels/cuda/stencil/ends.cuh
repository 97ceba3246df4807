#pragma once
// What a thread of the stencil does at the left and right ends of rows: what it reads from outside the picture it makes
// of samples that it has, as far as it can.

#include "kernels/cuda/stencil/rows.cuh"

namespace vfilter::cuda::stencil {

/// Threads that make nothing: those that read from outside the picture leave their columns to others.
template <class S, int step>
struct InnerEnds {
    static constexpr bool made = false;

    /// Whether a thread whose own columns begin at x is one of those that need no others.
    [[nodiscard]] __device__ __forceinline__ bool find(const PlaneParams& plane, const Picture&, int x) {
        using L = LineShape<S, step>;
        return x >= L::before * S::per_word && x + S::own + L::after * S::per_word <= plane.samples;
    }
    template <int words>
    __device__ __forceinline__ void put(std::uint32_t (&)[words]) const {}
};

/// Of planes of one component: a word on either side, of the bytes of the own word next to it and, from number 4 on, of
/// the word itself.
template <class S>
struct PlaneEnds {
    static constexpr bool made = true;
    static constexpr unsigned itself = 0x7654;
    unsigned before = itself;
    unsigned after = itself;
    bool no_before = false;  ///< it lies outside the picture; black stands for it
    bool no_after = false;

    [[nodiscard]] __device__ __forceinline__ bool find(const PlaneParams& plane, const Picture& picture, int x) {
        constexpr int per_word = S::per_word;
        const bool constant = picture.border == Border::constant;
        const auto select = [&](unsigned& selector, int first, int own_first) {
            bool found = true;
            selector = itself;
#pragma unroll
            for (int k = 0; k < per_word; ++k) {
                const int at = first + k;
                const bool read = at >= x - S::R && at < x + S::own + S::R;
                if (!constant && read && static_cast<unsigned>(at) >= static_cast<unsigned>(plane.width)) {
                    const int from = fold(at, plane.width, plane.fold_x) - own_first;
                    found = found && static_cast<unsigned>(from) < static_cast<unsigned>(per_word);
                    constexpr unsigned bytes = 4 / per_word;
                    constexpr unsigned ones = bytes == 1 ? 0x1 : 0x11;
                    const unsigned number = (static_cast<unsigned>(from) & (per_word - 1)) * bytes;
                    const unsigned place = 4 * bytes * static_cast<unsigned>(k);
                    const unsigned bits = bytes == 1 ? number : number | (number + 1) << 4;
                    selector = (selector & ~(ones * 0xf << place)) | bits << place;
                }
            }
            return found;
        };
        bool found = x + S::own <= plane.samples;
        if (x < per_word) {
            no_before = true;
            found = found && select(before, x - per_word, x);
        }
        if (x + S::own + per_word > plane.samples) {
            no_after = true;
            found = found && x + S::own == plane.samples && select(after, x + S::own, x + S::own - per_word);
        }
        return found;
    }

    template <int words>
    __device__ __forceinline__ void put(std::uint32_t (&line)[words]) const {
        line[0] = __byte_perm(line[1], line[0], before);
        line[words - 1] = __byte_perm(line[words - 2], line[words - 1], after);
    }
};

/// Of pixels of three and four bytes: all words of a side, of the two own words and the nearest one of the other side.
template <class S, int step>
struct PixelEnds {
    using L = LineShape<S, step>;
    static constexpr bool made = true;
    static_assert(S::own_words == 2 && S::per_word == 4 && L::before == L::after && L::before <= 2);
    unsigned of_own[2][L::before];    ///< bytes of the own words, for each word on the left and on the right
    unsigned of_other[2][L::before];  ///< of those and, from number 4 on, of the other side's word
    bool no_before = false;           ///< they lie outside the picture; black stands for them
    bool no_after = false;
    bool constant = false;  ///< and is what the border has

    [[nodiscard]] __device__ __forceinline__ bool find(const PlaneParams& plane, const Picture& picture, int x) {
        constexpr int halo = 4 * L::before;
        constant = picture.border == Border::constant;
        no_before = x == 0;
        no_after = x + S::own + halo > plane.samples;
        bool found = x + S::own <= plane.samples && (!no_after || x + S::own == plane.samples);
#pragma unroll
        for (int side = 0; side < 2; ++side) {
            if (constant || !(side == 0 ? no_before : no_after)) {
                continue;
            }
#pragma unroll
            for (int word = 0; word < L::before; ++word) {
                of_own[side][word] = 0;
                of_other[side][word] = 0x3210;
#pragma unroll
                for (int k = 0; k < 4; ++k) {
                    const int at = (side == 0 ? -halo : S::own) + 4 * word + k;  // from x on
                    if (at < -step * S::R || at >= S::own + step * S::R) {
                        continue;
                    }
                    const int pixel = floor_div(x + at, step);
                    const int from = fold(pixel, plane.width, plane.fold_x) * step - pixel * step + at;
                    // On the left that is the first word on the right, on the right the last one on the left.
                    const int in_other = side == 0 ? from - S::own : from + 4;
                    const bool other_there = side == 0 ? !no_after : !no_before;
                    if (static_cast<unsigned>(from) < static_cast<unsigned>(S::own)) {
                        of_own[side][word] |= static_cast<unsigned>(from) << 4 * k;
                    } else {
                        found = found && other_there && static_cast<unsigned>(in_other) < 4;
                        of_other[side][word] ^= (static_cast<unsigned>(k) ^ (4 + (static_cast<unsigned>(in_other) & 3)))
                                                << 4 * k;
                    }
                }
            }
        }
        return found;
    }

    template <int words>
    __device__ __forceinline__ void put(std::uint32_t (&line)[words]) const {
        if (constant || !(no_before || no_after)) [[likely]] {
            return;
        }
        const std::uint32_t left = line[L::before - 1];
        const std::uint32_t own[2] = {line[L::before], line[L::before + 1]};
        const std::uint32_t right = line[L::before + 2];
        const auto made_of = [&](int side, int word) {
            return __byte_perm(__byte_perm(own[0], own[1], of_own[side][word]), side == 0 ? right : left,
                               of_other[side][word]);
        };
#pragma unroll
        for (int word = 0; word < L::before; ++word) {
            std::uint32_t& on_left = line[word];
            std::uint32_t& on_right = line[L::before + 2 + word];
            on_left = no_before ? made_of(0, word) : on_left;
            on_right = no_after ? made_of(1, word) : on_right;
        }
    }
};

template <class S, int step>
using Ends = std::conditional_t<
    (step > 2), PixelEnds<S, step>,
    // Reflected samples are up to radius + 1 samples away from the end.
    std::conditional_t<step == 1 && LineShape<S, 1>::before == 1 && LineShape<S, 1>::after == 1 && (S::R < S::per_word),
                       PlaneEnds<S>, InnerEnds<S, step>>>;

}  // namespace vfilter::cuda::stencil
