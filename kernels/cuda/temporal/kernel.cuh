#pragma once
// Medians and means over pictures. A thread makes eight bytes of a row at a time, of which it reads the same ones of
// every picture.

#include <algorithm>
#include <cstdint>
#include <utility>

#include "kernels/arithmetic/selection_network.h"
#include "kernels/cuda/load.cuh"
#include "kernels/cuda/temporal/parameters.h"

namespace vfilter::cuda::temporal {

/// By which a thread finds the middle one of so many values.
template <int count>
inline constexpr auto window_network = median_selection(count);

template <int count, std::size_t... index>
__device__ __forceinline__ std::uint32_t middle_of(std::uint32_t (&values)[count],
                                                   std::index_sequence<index...> /*steps*/) {
    [[maybe_unused]] const auto take = [&]<std::size_t i>(std::integral_constant<std::size_t, i>) {
        constexpr NetworkStep step = window_network<count>.network.steps[i];
        const std::uint32_t low = values[step.low];
        const std::uint32_t high = values[step.high];
        if constexpr (step.minimum) {
            values[step.low] = __vminu2(low, high);
        }
        if constexpr (step.maximum) {
            values[step.high] = __vmaxu2(low, high);
        }
    };
    (take(std::integral_constant<std::size_t, index>()), ...);
    return values[window_network<count>.results[0]];
}

/// The tile's groups, each of which `make` makes of the own picture's and of those that `neighbour` gives by number.
template <class T>
__device__ __forceinline__ void for_each_group(const Launch& launch, const auto& make) {
    constexpr int group = group_bytes / static_cast<int>(sizeof(T));
    const int number = own_plane_number(launch.picture);
    const PlaneParams& plane = launch.picture.planes[number];
    const int tile = static_cast<int>(blockIdx.x) - plane.first_block;
    const int row = tile / plane.tiles_x;
    const int x = ((tile - row * plane.tiles_x) * 32 + static_cast<int>(threadIdx.x) % 32) * group;
    if (x >= plane.samples) {
        return;
    }
    const int bottom = min((row + 1) * tile_rows, plane.height);
    for (int y = row * tile_rows + static_cast<int>(threadIdx.x) / 32; y < bottom; y += threads / 32) {
        const uint2 own = load_group<T>(plane.src + plane.src_pitch * y, x, plane.samples);
        const auto neighbour = [&](int i) {
            const Rows& rows = launch.windows.rows[number][i];
            return load_group<T>(rows.data + rows.pitch * y, x, plane.samples);
        };
        *reinterpret_cast<uint2*>(plane.dst + plane.dst_pitch * y + x * static_cast<int>(sizeof(T))) =
            make(plane, launch.windows.counts[number], own, neighbour);
    }
}

template <class T, int count>
__global__ void __launch_bounds__(threads) median(const __grid_constant__ Launch launch) {
    for_each_group<T>(launch, [&](const PlaneParams& plane, int, const uint2& own, const auto& neighbour) {
        uint2 seen[count];
        seen[0] = own;
#pragma unroll
        for (int i = 1; i < count; ++i) {
            seen[i] = neighbour(i - 1);
        }
        // Pairs of samples, for bytes those that are one apart.
        const std::uint32_t mask = sizeof(T) == 1 ? 0x00ff00ff : (launch.picture.max_value << plane.lsb) * 0x00010001U;
        const auto middle = [&](const auto& pair_of) {
            std::uint32_t values[count];
#pragma unroll
            for (int i = 0; i < count; ++i) {
                values[i] = pair_of(seen[i]) & mask;
            }
            constexpr auto steps = static_cast<std::size_t>(window_network<count>.network.count);
            return middle_of<count>(values, std::make_index_sequence<steps>());
        };
        uint2 made;
        made.x = middle([](const uint2& two) { return two.x; });
        made.y = middle([](const uint2& two) { return two.y; });
        if constexpr (sizeof(T) == 1) {
            made.x |= middle([](const uint2& two) { return two.x >> 8; }) << 8;
            made.y |= middle([](const uint2& two) { return two.y >> 8; }) << 8;
        }
        return made;
    });
}

template <class T>
__global__ void __launch_bounds__(threads) mean(const __grid_constant__ Launch launch) {
    constexpr int per_word = 4 / static_cast<int>(sizeof(T));
    for_each_group<T>(launch, [&](const PlaneParams& plane, int count, const uint2& own, const auto& neighbour) {
        const int limit = launch.limits[plane.filter];
        const auto sample = [&](const uint2& two, int i) {
            const std::uint32_t word = i < per_word ? two.x : two.y;
            const std::uint32_t stored = word >> 8 * static_cast<int>(sizeof(T)) * (i % per_word);
            return static_cast<int>((stored >> plane.lsb) & launch.picture.max_value);
        };
        int sums[2 * per_word];
        int counts[2 * per_word];
#pragma unroll
        for (int i = 0; i < 2 * per_word; ++i) {
            sums[i] = sample(own, i);
            counts[i] = 1;
        }
        for (int n = 0; n < count; ++n) {
            const uint2 seen = neighbour(n);
#pragma unroll
            for (int i = 0; i < 2 * per_word; ++i) {
                const int other = sample(seen, i);
                const bool near = abs(other - sample(own, i)) <= limit;
                sums[i] += near ? other : 0;
                counts[i] += near ? 1 : 0;
            }
        }
        std::uint32_t words[2] = {};
#pragma unroll
        for (int i = 0; i < 2 * per_word; ++i) {
            const auto stored = static_cast<std::uint32_t>(TemporalMean::mean(sums[i], counts[i])) << plane.lsb;
            words[i / per_word] |= stored << 8 * static_cast<int>(sizeof(T)) * (i % per_word);
        }
        return make_uint2(words[0], words[1]);
    });
}

}  // namespace vfilter::cuda::temporal
