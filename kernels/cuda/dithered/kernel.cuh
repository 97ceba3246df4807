#pragma once
// Samples with further bits, and results without them. A thread takes eight bytes of a row of the plane at a time.

#include <cstdint>

#include "kernels/cuda/dithered/parameters.h"
#include "kernels/cuda/load.cuh"

namespace vfilter::cuda::dithered {

/// Calls make(plane, x, y) for each group of eight bytes of the tile.
template <class T>
__device__ __forceinline__ void for_each_group(const Picture& picture, const auto& make) {
    constexpr int group = 8 / static_cast<int>(sizeof(T));
    const PlaneParams& plane = own_plane(picture);
    const int tile = static_cast<int>(blockIdx.x) - plane.first_block;
    const int row = tile / plane.tiles_x;
    const int x = ((tile - row * plane.tiles_x) * 32 + static_cast<int>(threadIdx.x) % 32) * group;
    if (x >= plane.samples) {
        return;
    }
    const int bottom = min((row + 1) * tile_rows, plane.height);
    for (int y = row * tile_rows + static_cast<int>(threadIdx.x) / 32; y < bottom; y += threads / 32) {
        make(plane, x, y);
    }
}

template <class T>
__global__ void __launch_bounds__(threads) widen(const __grid_constant__ Launch launch) {
    for_each_group<T>(launch.picture, [&](const PlaneParams& plane, int x, int y) {
        const uint2 stored = load_group<T>(plane.src + plane.src_pitch * y, x, plane.samples);
        unsigned char* const to = plane.dst + plane.dst_pitch * y + 2 * x;
        const int bits = launch.bits;
        if constexpr (sizeof(T) == 1) {
            *reinterpret_cast<uint4*>(to) =
                make_uint4(__byte_perm(stored.x, 0, 0x4140) << bits, __byte_perm(stored.x, 0, 0x4342) << bits,
                           __byte_perm(stored.y, 0, 0x4140) << bits, __byte_perm(stored.y, 0, 0x4342) << bits);
        } else {
            const unsigned mask = launch.picture.max_value * 0x00010001U;
            *reinterpret_cast<uint2*>(to) =
                make_uint2((stored.x >> plane.lsb & mask) << bits, (stored.y >> plane.lsb & mask) << bits);
            // Kernels ask for 16 bytes at a time, of which initcheck does not know how many they use.
            if (x % 8 == 0 && x + 4 >= plane.samples) {
                *reinterpret_cast<uint2*>(to + 8) = make_uint2(0, 0);
            }
        }
    });
}

template <class T>
__global__ void __launch_bounds__(threads) round_off(const __grid_constant__ Launch launch) {
    constexpr int in_word = 4 / static_cast<int>(sizeof(T));
    for_each_group<T>(launch.picture, [&](const PlaneParams& plane, int x, int y) {
        // Of the group's samples, a byte each. One of 16 bits can begin in the middle of a period of pixels.
        const unsigned of_row = launch.thresholds[y % dither_period];
        const unsigned own = plane.step == 1
                                 ? of_row
                                 : __funnelshift_r(of_row, of_row, static_cast<unsigned>(x / 2 % dither_period * 8));
        const unsigned thresholds[2] = {plane.step == 1 ? own : __byte_perm(own, 0, 0x1100),
                                        plane.step == 1 ? own : __byte_perm(own, 0, 0x3322)};
        const unsigned char* const from = plane.src + plane.src_pitch * y;
        unsigned words[2] = {};
#pragma unroll
        for (int four = 0; four < 2 * in_word / 4; ++four) {
            const uint2 finer = load_group<std::uint16_t>(from, x + 4 * four, plane.samples);
#pragma unroll
            for (int i = 0; i < 4; ++i) {
                const unsigned sample = (i < 2 ? finer.x : finer.y) >> 16 * (i % 2) & 0xffff;
                const unsigned threshold = thresholds[four] >> 8 * i & 0xff;
                const unsigned made = min((sample + threshold) >> launch.bits, launch.picture.max_value) << plane.lsb;
                const int at = 4 * four + i;
                words[at / in_word] |= made << 8 * static_cast<int>(sizeof(T)) * (at % in_word);
            }
        }
        *reinterpret_cast<uint2*>(plane.dst + plane.dst_pitch * y + x * static_cast<int>(sizeof(T))) =
            make_uint2(words[0], words[1]);
    });
}

}  // namespace vfilter::cuda::dithered
