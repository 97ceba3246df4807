// The tile kernels for samples of 9 to 16 bits.

#include "kernels/cuda/tensor_tile_host.cuh"

namespace vfilter::cuda {

std::unique_ptr<CudaConvolver::Implementation> make_tile_16(const PlaneFilters& filters, Border border) {
    return std::ranges::all_of(filters, tensor_takes) ? make_tile<std::uint16_t, false>(filters, border)
                                                      : make_tile<std::uint16_t, true>(filters, border);
}

}  // namespace vfilter::cuda
