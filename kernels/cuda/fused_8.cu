#include "kernels/cuda/fused.cuh"

namespace vfilter::cuda {

std::span<const FusedKernel> fused_kernels_8() {
    return fused_kernels<std::uint8_t>;
}

}  // namespace vfilter::cuda
