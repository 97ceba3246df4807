#include "kernels/cuda/median/pixels.cuh"

namespace vfilter::cuda::median {

std::span<const NetworkInstance> pixels_8() {
    return pixel_instances<std::uint8_t>;
}

}  // namespace vfilter::cuda::median
