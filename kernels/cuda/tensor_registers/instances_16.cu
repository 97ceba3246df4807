// The chain's kernels for samples of 9 to 16 bits.

#include "kernels/cuda/tensor_chain_host.cuh"

namespace vfilter::cuda {

std::span<const ChainKernel> chain_kernels_16() {
    return chain_kernels<std::uint16_t>;
}

}  // namespace vfilter::cuda
