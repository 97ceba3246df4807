// Kernels for samples of 8 bits.

#include "kernels/cuda/tensor_registers/host.cuh"

namespace vfilter::cuda::tensor_registers {

std::span<const Instance> instances_8() {
    return instances<std::uint8_t>;
}

}  // namespace vfilter::cuda::tensor_registers
