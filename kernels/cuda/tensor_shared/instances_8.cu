// The tile kernel for samples of 8 bits.

#include "kernels/cuda/tensor_tile_host.cuh"

namespace vfilter::cuda {

std::unique_ptr<CudaConvolver::Implementation> make_tile_8(const PlaneFilters& filters, Border border) {
    return make_tile<std::uint8_t, false>(filters, border);
}

}  // namespace vfilter::cuda
