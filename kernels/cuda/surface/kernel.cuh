#pragma once
// Each thread makes eight bytes of a row.

#include <cstdint>

#include "kernels/cuda/surface/surface.h"

namespace vfilter::cuda::surface {

inline constexpr int columns = 32;  ///< threads of a block along a row
inline constexpr int rows = 8;

struct Launch {
    SurfacePlane planes[max_surface_planes];
    int shift;
};

/// A plane for each z of the grid.
template <class T>
__global__ void __launch_bounds__(columns* rows) unpack(const __grid_constant__ Launch launch) {
    constexpr int group = 8 / static_cast<int>(sizeof(T));
    const SurfacePlane& plane = launch.planes[blockIdx.z];
    const int thread = static_cast<int>(threadIdx.x);
    const int x = (static_cast<int>(blockIdx.x) * columns + thread % columns) * group;
    const int y = static_cast<int>(blockIdx.y) * rows + thread / columns;
    if (x >= plane.width || y >= plane.height) {
        return;
    }
    const T* const from = reinterpret_cast<const T*>(plane.src + plane.src_pitch * y);
    std::uint64_t bytes = 0;
#pragma unroll
    for (int i = group - 1; i >= 0; --i) {
        const int at = min(x + i, plane.width - 1) * plane.src_step;
        bytes = bytes << 8 * sizeof(T) | static_cast<std::uint64_t>(from[at] >> launch.shift);
    }
    *reinterpret_cast<std::uint64_t*>(plane.dst + plane.dst_pitch * y + x * static_cast<int>(sizeof(T))) = bytes;
}

}  // namespace vfilter::cuda::surface
