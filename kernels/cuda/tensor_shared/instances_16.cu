// Kernels for samples of 9 to 16 bits.

#include "kernels/cuda/tensor_shared/host.cuh"

namespace vfilter::cuda::tensor_shared {

MadeLauncher make_16(Prepared prepared, Border border) {
    return make_shared_memory<std::uint16_t, false>(std::move(prepared), border);
}

MadeLauncher make_split(Prepared prepared, Border border) {
    return make_shared_memory<std::uint16_t, true>(std::move(prepared), border);
}

}  // namespace vfilter::cuda::tensor_shared
