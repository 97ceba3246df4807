#include "kernels/cuda/median/pixels.cuh"

namespace vfilter::cuda::median {

std::span<const NetworkInstance> pixels_16() {
    return pixel_instances<std::uint16_t>;
}

}  // namespace vfilter::cuda::median
