// The chain's kernels for samples of 9 to 16 bits.

#include <array>

#include "kernels/cuda/tensor_chain_host.cuh"

namespace vfilter::cuda {

namespace {

using T = std::uint16_t;

// Magnitudes, and what else the planner leaves to CUDA cores, have none: the tile kernel makes them where it is asked
// to.
constexpr std::array kernels{
    chain_kernel<T, 2, TapForm::exact_byte, 1, Finish::plain>, chain_kernel<T, 2, TapForm::bytes, 1, Finish::plain>,
    chain_kernel<T, 3, TapForm::byte, 1, Finish::plain>,       chain_kernel<T, 3, TapForm::bytes, 1, Finish::plain>,
    chain_kernel<T, 5, TapForm::byte, 1, Finish::plain>,       chain_kernel<T, 5, TapForm::bytes, 1, Finish::plain>,
    chain_kernel<T, 2, TapForm::bytes, 1, Finish::any_sum>,    chain_kernel<T, 3, TapForm::bytes, 1, Finish::any_sum>,
    chain_kernel<T, 5, TapForm::bytes, 1, Finish::any_sum>,    chain_kernel<T, 2, TapForm::bytes, 2, Finish::any_sum>,
};

}  // namespace

std::span<const ChainKernel> chain_kernels_16() {
    return kernels;
}

}  // namespace vfilter::cuda
