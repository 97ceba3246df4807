#pragma once
// Debanding. Of four pixels next to each other each looks at another of their row's four places, in an order that
// changes from group to group. A thread makes such a group place by place, and so do the others of its warp at the same
// time: what they read of a place lies in two rows, next to each other.

#include <cstdint>
#include <type_traits>

#include "kernels/cuda/deband/parameters.h"
#include "kernels/cuda/load.cuh"

namespace vfilter::cuda::deband {

/// All components of a pixel as they are stored, in one word.
template <class T, int step>
using PixelWord = std::conditional_t<sizeof(T) * step == 1, std::uint8_t,
                                     std::conditional_t<sizeof(T) * step == 2, std::uint16_t, std::uint32_t>>;

template <class T, int step>
class Tile {
public:
    __device__ __forceinline__ Tile(const Picture& picture, const PlaneParams& plane, const Deband& filter)
        : picture_(picture), plane_(plane), filter_(filter) {}

    /// Makes the groups of row y that begin at these pixels and 32 groups further.
    __device__ __forceinline__ void make_row(int first, int y) const {
        unsigned words[groups][group_words] = {};
#pragma unroll
        for (int number = 0; number < deband_places; ++number) {
            const Deband::Place place = filter_.place(number, y);
            const unsigned char* const above = row_at(plane_, picture_, y - place.y);
            const unsigned char* const below = row_at(plane_, picture_, y + place.y);
#pragma unroll
            for (int i = 0; i < groups; ++i) {
                const int begin = first + i * 32 * deband_places;
                // The pixel at a multiple of 4 chooses the number h, and the one that is k further h ^ k.
                const int k = number ^ Deband::choice(begin, y);
                if (begin + k < plane_.width) {
                    put(words[i], k, result(begin + k, y, place.x, above, below));
                }
            }
        }
#pragma unroll
        for (int i = 0; i < groups; ++i) {
            store(words[i], first + i * 32 * deband_places, y);
        }
    }

private:
    using Word = PixelWord<T, step>;
    static constexpr int pixel_bits = 8 * static_cast<int>(sizeof(T)) * step;
    static constexpr int group_words = deband_places * pixel_bits / 32;
    static constexpr int groups = tile_columns / (32 * deband_places * step);  // of a thread, in each row

    __device__ __forceinline__ unsigned stored(const unsigned char* row, int x) const {
        if (static_cast<unsigned>(x) >= static_cast<unsigned>(plane_.width)) {
            if (picture_.border == Border::constant) {
                return black_word<T>(plane_);
            }
            x = fold(x, plane_.width, plane_.fold_x);
        }
        return row == nullptr ? black_word<T>(plane_) : reinterpret_cast<const Word*>(row)[x];
    }

    /// The pixel's word, from rows that are null where they are black.
    __device__ __forceinline__ unsigned result(int x, int y, int away, const unsigned char* above,
                                               const unsigned char* below) const {
        const unsigned own = reinterpret_cast<const Word*>(plane_.src + plane_.src_pitch * y)[x];
        const unsigned four[] = {stored(below, x + away), stored(below, x - away), stored(above, x + away),
                                 stored(above, x - away)};
        const int added = filter_.added(x, y);
        unsigned made = 0;
#pragma unroll
        for (int component = 0; component < step; ++component) {
            const int low = 8 * static_cast<int>(sizeof(T)) * component;
            const auto sample = [&](unsigned word) {
                return static_cast<int>(word >> (low + plane_.lsb) & picture_.max_value);
            };
            const int one =
                filter_.result(sample(own), sample(four[0]), sample(four[1]), sample(four[2]), sample(four[3]), added);
            made |= static_cast<unsigned>(one) << (low + plane_.lsb);
        }
        return made;
    }

    __device__ __forceinline__ static void put(unsigned (&words)[group_words], int k, unsigned pixel) {
        constexpr int per_word = 32 / pixel_bits;
        const unsigned shifted = pixel << k % per_word * pixel_bits;
#pragma unroll
        for (int i = 0; i < group_words; ++i) {
            words[i] |= k / per_word == i ? shifted : 0;
        }
    }

    __device__ __forceinline__ void store(const unsigned (&words)[group_words], int x, int y) const {
        auto* const to = reinterpret_cast<unsigned*>(plane_.dst + plane_.dst_pitch * y + x * (pixel_bits / 8));
        if (x >= plane_.width) {
            return;
        }
        if constexpr (group_words == 1) {
            *to = words[0];
        } else {
            *reinterpret_cast<uint2*>(to) = make_uint2(words[0], words[1]);
        }
        if constexpr (group_words == 4) {
            // No more than 7 bytes after a row.
            if (x + 2 < plane_.width) {
                *reinterpret_cast<uint2*>(to + 2) = make_uint2(words[2], words[3]);
            }
        }
    }

    const Picture& picture_;
    const PlaneParams& plane_;
    const Deband& filter_;
};

template <class T, int step>
__device__ __forceinline__ void deband_tile(const Picture& picture, const PlaneParams& plane, const Deband& filter) {
    const int tile = static_cast<int>(blockIdx.x) - plane.first_block;
    const int tile_row = tile / plane.tiles_x;
    const int lane = static_cast<int>(threadIdx.x) % 32;
    const int first = (tile - tile_row * plane.tiles_x) * (tile_columns / step) + lane * deband_places;
    const int bottom = min((tile_row + 1) * tile_rows, plane.height);
    const Tile<T, step> made(picture, plane, filter);
    for (int y = tile_row * tile_rows + static_cast<int>(threadIdx.x) / 32; y < bottom; y += threads / 32) {
        made.make_row(first, y);
    }
}

template <class T>
__global__ void __launch_bounds__(threads) deband_planes(const __grid_constant__ Launch launch) {
    const PlaneParams& plane = own_plane(launch.picture);
    const Deband& filter = launch.filters[plane.filter];
    if (plane.step == 1) {
        deband_tile<T, 1>(launch.picture, plane, filter);
    } else {
        deband_tile<T, 2>(launch.picture, plane, filter);
    }
}

}  // namespace vfilter::cuda::deband
