// The tile kernels for samples of 9 to 16 bits.

#include "kernels/cuda/tensor_tile_host.cuh"

namespace vfilter::cuda {

std::unique_ptr<CudaConvolver::Implementation> make_tile_16(const PlaneFilters& filters, Border border) {
    const auto is_wide = [](const PlaneFilter& filter) {
        const auto* const convolution = std::get_if<Convolution>(&filter);
        return convolution != nullptr && (convolution->rows.wide || convolution->columns.wide);
    };
    return std::ranges::any_of(filters, is_wide) ? make_tile<std::uint16_t, true>(filters, border)
                                                 : make_tile<std::uint16_t, false>(filters, border);
}

}  // namespace vfilter::cuda
