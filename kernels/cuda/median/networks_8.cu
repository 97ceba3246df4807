#include "kernels/cuda/median/networks.cuh"

namespace vfilter::cuda::median {

std::span<const NetworkInstance> networks_8() {
    return network_instances<std::uint8_t>;
}

}  // namespace vfilter::cuda::median
