// The chain's kernels for samples of 8 bits.

#include "kernels/cuda/tensor_chain_host.cuh"

namespace vfilter::cuda {

std::span<const ChainKernel> chain_kernels_8() {
    return chain_kernels<std::uint8_t>;
}

}  // namespace vfilter::cuda
