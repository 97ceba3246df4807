#pragma once
// Results of a filter blended with what it was given. A thread has groups of eight bytes in four rows. It begins with
// what the filter was given, which is all there is outside of the boxes, and looks at the boxes in turn.

#include "kernels/blend.h"
#include "kernels/cuda/blend/parameters.h"
#include "kernels/cuda/load.cuh"

namespace vfilter::cuda::blend {

/// Neighbouring values that are loaded and stored at once.
template <class T, int count>
struct alignas(count * sizeof(T)) Group {
    T values[count];
};

template <class T>
inline constexpr int group_samples = group_bytes / static_cast<int>(sizeof(T));
template <class T>
using Samples = Group<T, group_samples<T>>;

/// What lies after a row's last sample is never read.
template <class T>
__device__ __forceinline__ Samples<T> load_group(const T* from, int count) {
    if (count >= group_samples<T>) {
        return *reinterpret_cast<const Samples<T>*>(from);
    }
    Samples<T> group{};
#pragma unroll
    for (int i = 0; i < group_samples<T>; ++i) {
        group.values[i] = i < count ? from[i] : T{0};
    }
    return group;
}

/// The part of a box that a group has; `weights` are those of its first pixel.
template <class T, int step>
__device__ __forceinline__ void blend_group(Samples<T>& group, const std::uint8_t* weights, const T* made, int count,
                                            int lsb) {
    constexpr int samples = group_samples<T>;
    const auto shares = *reinterpret_cast<const Group<std::uint8_t, samples / step>*>(weights);
    bool any = false;
#pragma unroll
    for (int i = 0; i < samples / step; ++i) {
        any = any || shares.values[i] != 0;
    }
    if (!any) {
        return;
    }
    const Samples<T> filtered = load_group(made, count);
#pragma unroll
    for (int i = 0; i < samples; ++i) {
        const int share = shares.values[i / step];
        if (share == 255) {
            group.values[i] = filtered.values[i];
        } else if (share > 0) {
            group.values[i] =
                static_cast<T>(vfilter::blend(group.values[i] >> lsb, filtered.values[i] >> lsb, share) << lsb);
        }
    }
}

template <class T>
__global__ void __launch_bounds__(threads) blend_tiles(const __grid_constant__ Launch launch) {
    constexpr int samples = group_samples<T>;
    constexpr int rows_at_once = threads / lanes;
    constexpr int rows_of_thread = tile_rows / rows_at_once;
    const PlaneParams& plane = own_plane(launch.picture);
    const Weights& weights = launch.weights[plane.filter];
    const int tile = static_cast<int>(blockIdx.x) - plane.first_block;
    const int x = (tile % plane.tiles_x * lanes + static_cast<int>(threadIdx.x) % lanes) * samples;
    const int top = tile / plane.tiles_x * tile_rows + static_cast<int>(threadIdx.x) / lanes;
    if (x >= plane.samples) {
        return;
    }
    const int pixel = plane.step == 1 ? x : x / 2;
    const int count = plane.samples - x;
    Samples<T> groups[rows_of_thread];
#pragma unroll
    for (int i = 0; i < rows_of_thread; ++i) {
        const int y = top + i * rows_at_once;
        if (y < plane.height) {
            groups[i] = load_group(reinterpret_cast<const T*>(plane.src + plane.src_pitch * y) + x, count);
        }
    }
    for (int n = 0; n < weights.count; ++n) {
        const Box box = weights.boxes[n];
        if (pixel < box.left || pixel >= box.right) {
            continue;
        }
#pragma unroll
        for (int i = 0; i < rows_of_thread; ++i) {
            const int y = top + i * rows_at_once;
            const int row = weights.first + y * weights.step;
            if (y >= plane.height || row < box.top || row >= box.bottom) {
                continue;
            }
            const std::uint8_t* const own = weights.samples + box.first +
                                            static_cast<std::int64_t>(row - box.top) * (box.right - box.left) + pixel -
                                            box.left;
            const T* const made = reinterpret_cast<const T*>(plane.dst + plane.dst_pitch * y) + x;
            if (plane.step == 1) {
                blend_group<T, 1>(groups[i], own, made, count, plane.lsb);
            } else {
                blend_group<T, 2>(groups[i], own, made, count, plane.lsb);
            }
        }
    }
#pragma unroll
    for (int i = 0; i < rows_of_thread; ++i) {
        const int y = top + i * rows_at_once;
        if (y < plane.height) {
            *reinterpret_cast<Samples<T>*>(reinterpret_cast<T*>(plane.dst + plane.dst_pitch * y) + x) = groups[i];
        }
    }
}

}  // namespace vfilter::cuda::blend
