#include "kernels/cuda/stencil/host.cuh"

namespace vfilter::cuda::stencil {

std::span<const Instance> instances_8() {
    static constexpr Instance instances[] = {
        instance<Form::quads, 1, 1, false>, instance<Form::pairs, 1, 1, false>, instance<Form::quads, 1, 2, false>,
        instance<Form::pairs, 1, 2, false>, instance<Form::quads, 1, 2, true>,  instance<Form::pairs, 1, 3, false>,
        instance<Form::pairs, 2, 1, false>, instance<Form::pairs, 2, 2, false>, instance<Form::quads, 2, 2, true>,
        instance<Form::pairs, 3, 1, false>, instance<Form::pairs, 3, 2, false>, instance<Form::quads, 3, 2, true>,
    };
    return instances;
}

}  // namespace vfilter::cuda::stencil
