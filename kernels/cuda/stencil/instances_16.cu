#include "kernels/cuda/quick.cuh"

namespace vfilter::cuda {

std::span<const QuickKernel> quick_kernels_16() {
    static constexpr QuickKernel kernels[] = {
        quick_kernel<Form::words, 1, 1, false>, quick_kernel<Form::words, 1, 2, false>,
        quick_kernel<Form::words, 1, 2, true>,  quick_kernel<Form::words, 1, 3, false>,
        quick_kernel<Form::words, 2, 1, false>, quick_kernel<Form::words, 2, 2, false>,
        quick_kernel<Form::words, 2, 2, true>,  quick_kernel<Form::words, 3, 1, false>,
        quick_kernel<Form::words, 3, 2, false>, quick_kernel<Form::words, 3, 2, true>,
    };
    return kernels;
}

}  // namespace vfilter::cuda
