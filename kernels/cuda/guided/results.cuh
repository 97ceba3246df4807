#pragma once
// The second kernel: results, of the windows that the first one left.

#include <cstdint>

#include "kernels/cuda/guided/sums.cuh"
#include "kernels/cuda/load.cuh"

namespace vfilter::cuda::guided {

/// a and S of a thread's four places of a row.
struct FourWindows {
    uint4 sums;
    uint2 slopes;
};

__device__ __forceinline__ FourWindows load_windows(const Windows& windows, int place, int row) {
    if (place >= windows.pitch) {
        return {};
    }
    const std::int64_t at = std::int64_t{row} * windows.pitch + place;
    return {*reinterpret_cast<const uint4*>(windows.sums + at), *reinterpret_cast<const uint2*>(windows.slopes + at)};
}

template <class T, int step>
__device__ __forceinline__ void make_results(const Launch& launch, const WarpTile& tile,
                                             const StripSums<std::uint32_t>& slopes,
                                             const StripSums<std::uint64_t>& rests) {
    const Picture& picture = launch.picture;
    const PlaneParams& plane = picture.planes[tile.plane];
    const Guided& filter = launch.filters[plane.filter];
    const Windows& windows = launch.windows[tile.plane];
    const float inverse = launch.inverses[plane.filter];
    const std::int64_t divisor = filter.divisor();
    const int radius = filter.radius_y;
    const int halo = halo_of(filter, step);
    const int made = made_columns(filter, step);
    const int left = tile.column * made;  // of the results, and, in rows of windows, of the first ones'
    const int place = left + 4 * tile.lane;
    std::uint32_t own_slopes[4] = {};
    std::uint64_t own_rests[4] = {};
    const auto change = [&](const FourWindows& four, const auto& by) {
        const std::uint32_t sums[4] = {four.sums.x, four.sums.y, four.sums.z, four.sums.w};
        const std::uint32_t pairs[2] = {four.slopes.x, four.slopes.y};
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            const std::uint32_t slope = pairs[i / 2] >> 16 * (i % 2) & 0xffff;
            by(own_slopes[i], slope);
            by(own_rests[i], std::uint64_t{(1U << guided_slope_bits) - slope} * sums[i]);
        }
    };
    const auto add = [&](const FourWindows& four) { change(four, [](auto& sum, const auto& one) { sum += one; }); };
    const int top = tile.row * picture.tile_rows;
    const int bottom = min(top + picture.tile_rows, plane.height);
    if (top >= bottom) {
        return;
    }
    for (int row = top; row < top + 2 * radius; ++row) {
        add(load_windows(windows, place, row));
    }
    FourWindows gained = load_windows(windows, place, top + 2 * radius);
    for (int y = top; y < bottom; ++y) {
        add(gained);
        // Once this row's sums are made, these are there.
        gained = load_windows(windows, place, min(y + 1, bottom - 1) + 2 * radius);
        const FourWindows lost = load_windows(windows, place, y);
        const T* const from = reinterpret_cast<const T*>(plane.src + plane.src_pitch * y);
        T* const to = reinterpret_cast<T*>(plane.dst + plane.dst_pitch * y);
        unsigned stored[4];
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            const int x = left + tile.lane + 32 * i;
            stored[i] = x < plane.samples ? from[x] : 0;
        }
        slopes.template put<step>(own_slopes, tile.lane);
        rests.template put<step>(own_rests, tile.lane);
        __syncwarp();
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            const int column = tile.lane + 32 * i;  // of what the strip makes
            const int x = left + column;
            if (column < made && x < plane.samples) {
                const std::int64_t sample = stored[i] >> plane.lsb & picture.max_value;
                const std::int64_t slope = slopes.template of<step>(column, column + 2 * halo);
                const auto rest = static_cast<std::int64_t>(rests.template of<step>(column, column + 2 * halo));
                const std::int64_t dividend = filter.samples() * sample * slope + rest + divisor / 2;
                const int result = quotient(dividend, divisor, static_cast<float>(dividend) * inverse);
                to[x] = static_cast<T>(result << plane.lsb);
            }
        }
        __syncwarp();
        change(lost, [](auto& sum, const auto& one) { sum -= one; });
    }
}

template <class T>
__global__ void __launch_bounds__(threads) filter_planes(const __grid_constant__ Launch launch) {
    __shared__ __align__(16) std::uint32_t shared_slopes[warps][columns_with_those];
    __shared__ __align__(16) std::uint64_t shared_rests[warps][columns_with_those];
    const WarpTile tile(launch.picture, own_plane_number(launch.picture));
    const int warp = static_cast<int>(threadIdx.x) / 32;
    const StripSums slopes(shared_slopes[warp], tile.lane);
    const StripSums rests(shared_rests[warp], tile.lane);
    if (launch.picture.planes[tile.plane].step == 1) {
        make_results<T, 1>(launch, tile, slopes, rests);
    } else {
        make_results<T, 2>(launch, tile, slopes, rests);
    }
}

}  // namespace vfilter::cuda::guided
