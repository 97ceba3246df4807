#include "kernels/cuda/fused.cuh"

namespace vfilter::cuda {

std::span<const FusedKernel> fused_kernels_16() {
    return fused_kernels<std::uint16_t>;
}

}  // namespace vfilter::cuda
