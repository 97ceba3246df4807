#include <algorithm>
#include <stdexcept>

#include "kernels/cuda/check.h"
#include "kernels/cuda/surface/kernel.cuh"

namespace vfilter::cuda {

void unpack_surface(std::span<const SurfacePlane> planes, int sample_bytes, int shift, cudaStream_t stream) {
    if (planes.empty() || planes.size() > max_surface_planes) {
        throw std::invalid_argument("unpack_surface: not that many planes");
    }
    surface::Launch launch{};
    launch.shift = shift;
    std::ranges::copy(planes, launch.planes);
    int width = 0;
    int height = 0;
    for (const SurfacePlane& plane : planes) {
        width = std::max(width, plane.width);
        height = std::max(height, plane.height);
    }
    const auto blocks = [](int length, int of) { return static_cast<unsigned>((length + of - 1) / of); };
    const dim3 grid(blocks(width * sample_bytes, 8 * surface::columns), blocks(height, surface::rows),
                    static_cast<unsigned>(planes.size()));
    void* arguments[] = {&launch};
    cuda_check(cudaLaunchKernel(sample_bytes == 1 ? surface::unpack<std::uint8_t> : surface::unpack<std::uint16_t>,
                                grid, dim3(surface::columns * surface::rows), arguments, 0, stream),
               "cudaLaunchKernel");
}

}  // namespace vfilter::cuda
