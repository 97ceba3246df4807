#include "kernels/cuda/median/networks.cuh"

namespace vfilter::cuda::median {

std::span<const NetworkInstance> networks_16() {
    return network_instances<std::uint16_t>;
}

}  // namespace vfilter::cuda::median
