#include "kernels/cuda/median/pixels.cuh"

namespace vfilter::cuda::median {

std::span<const NetworkInstance> networks_pixels() {
    return pixel_instances;
}

}  // namespace vfilter::cuda::median
