// Kernels for samples of 9 to 16 bits.

#include "kernels/cuda/tensor_registers/host.cuh"

namespace vfilter::cuda::tensor_registers {

std::span<const Instance> instances_16() {
    return instances<std::uint16_t>;
}

}  // namespace vfilter::cuda::tensor_registers
