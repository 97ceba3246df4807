#pragma once
// Results of a filter blended with what it was given.

#include "kernels/blend.h"
#include "kernels/cuda/blend/parameters.h"
#include "kernels/cuda/load.cuh"

namespace vfilter::cuda::blend {

/// Neighbouring values that are loaded and stored at once.
template <class T, int count>
struct alignas(count * sizeof(T)) Group {
    T values[count];
};

template <class T, int step>
__device__ __forceinline__ void blend_group(const PlaneParams& plane, const std::uint8_t* weights, int x, int y) {
    constexpr int samples = group_bytes / static_cast<int>(sizeof(T));
    using Samples = Group<T, samples>;
    const auto shares = *reinterpret_cast<const Group<std::uint8_t, samples / step>*>(weights + x / step);
    bool any = false;
    bool all = true;
#pragma unroll
    for (int i = 0; i < samples / step; ++i) {
        any = any || shares.values[i] != 0;
        all = all && shares.values[i] == 255;
    }
    if (all) {
        return;
    }
    const T* const from = reinterpret_cast<const T*>(plane.src + plane.src_pitch * y) + x;
    T* const to = reinterpret_cast<T*>(plane.dst + plane.dst_pitch * y) + x;
    const int count = min(samples, plane.samples - x);
    Samples before{};
    Samples made{};
    if (count == samples) {
        before = *reinterpret_cast<const Samples*>(from);
    } else {  // what lies after a row's last sample is never read
#pragma unroll
        for (int i = 0; i < samples; ++i) {
            before.values[i] = i < count ? from[i] : T{0};
        }
    }
    if (any) {
        if (count == samples) {
            made = *reinterpret_cast<const Samples*>(to);
        } else {
#pragma unroll
            for (int i = 0; i < samples; ++i) {
                made.values[i] = i < count ? to[i] : T{0};
            }
        }
    }
#pragma unroll
    for (int i = 0; i < samples; ++i) {
        const int share = shares.values[i / step];
        if (share == 0) {
            made.values[i] = before.values[i];
        } else if (share < 255) {
            made.values[i] = static_cast<T>(
                vfilter::blend(before.values[i] >> plane.lsb, made.values[i] >> plane.lsb, share) << plane.lsb);
        }
    }
    *reinterpret_cast<Samples*>(to) = made;
}

template <class T>
__global__ void __launch_bounds__(threads) blend_tiles(const __grid_constant__ Launch launch) {
    constexpr int samples = group_bytes / static_cast<int>(sizeof(T));
    const PlaneParams& plane = own_plane(launch.picture);
    const Weights& weights = launch.weights[plane.filter];
    const int tile = static_cast<int>(blockIdx.x) - plane.first_block;
    const int x = (tile % plane.tiles_x * lanes + static_cast<int>(threadIdx.x) % lanes) * samples;
    const int top = tile / plane.tiles_x * tile_rows;
    const int bottom = min(top + tile_rows, plane.height);
    if (x >= plane.samples) {
        return;
    }
    for (int y = top + static_cast<int>(threadIdx.x) / lanes; y < bottom; y += threads / lanes) {
        const std::uint8_t* const row = weights.first + weights.pitch * y;
        if (plane.step == 1) {
            blend_group<T, 1>(plane, row, x, y);
        } else {
            blend_group<T, 2>(plane, row, x, y);
        }
    }
}

}  // namespace vfilter::cuda::blend
