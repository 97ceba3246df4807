#include "kernels/cuda/quick.cuh"

namespace vfilter::cuda {

std::span<const QuickKernel> quick_kernels_8() {
    static constexpr QuickKernel kernels[] = {
        quick_kernel<Form::quads, 1, 1, false>, quick_kernel<Form::pairs, 1, 1, false>,
        quick_kernel<Form::quads, 1, 2, false>, quick_kernel<Form::pairs, 1, 2, false>,
        quick_kernel<Form::quads, 1, 2, true>,  quick_kernel<Form::pairs, 1, 3, false>,
        quick_kernel<Form::pairs, 2, 1, false>, quick_kernel<Form::pairs, 2, 2, false>,
        quick_kernel<Form::quads, 2, 2, true>,  quick_kernel<Form::pairs, 3, 1, false>,
        quick_kernel<Form::pairs, 3, 2, false>, quick_kernel<Form::quads, 3, 2, true>,
    };
    return kernels;
}

}  // namespace vfilter::cuda
