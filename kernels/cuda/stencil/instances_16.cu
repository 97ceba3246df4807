#include "kernels/cuda/stencil/host.cuh"

namespace vfilter::cuda::stencil {

std::span<const Instance> instances_16() {
    static constexpr Instance instances[] = {
        instance<Form::words, 1, 1, false>, instance<Form::words, 1, 2, false>, instance<Form::words, 1, 2, true>,
        instance<Form::words, 1, 3, false>, instance<Form::words, 2, 1, false>, instance<Form::words, 2, 2, false>,
        instance<Form::words, 2, 2, true>,  instance<Form::words, 3, 1, false>, instance<Form::words, 3, 2, false>,
        instance<Form::words, 3, 2, true>,
    };
    return instances;
}

}  // namespace vfilter::cuda::stencil
