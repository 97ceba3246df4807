// Kernels for samples of 8 bits.

#include "kernels/cuda/tensor_shared/host.cuh"

namespace vfilter::cuda::tensor_shared {

MadeLauncher make_8(Prepared prepared, Border border) {
    return make_shared_memory<std::uint8_t, false>(std::move(prepared), border);
}

}  // namespace vfilter::cuda::tensor_shared
