// Kernels for samples of 9 to 16 bits.

#include "kernels/cuda/tensor_registers/host.cuh"

namespace vfilter::cuda::tensor_registers {

namespace {

// None of magnitudes: tensor_shared makes those that the stencil does not.
constexpr Instance instances[] = {
    instance<std::uint16_t, 2, TapForm::exact_byte, 1, FinishKind::plain>,
    instance<std::uint16_t, 2, TapForm::byte, 1, FinishKind::plain>,
    instance<std::uint16_t, 2, TapForm::bytes, 1, FinishKind::plain>,
    instance<std::uint16_t, 3, TapForm::byte, 1, FinishKind::plain, 2>,
    instance<std::uint16_t, 3, TapForm::byte, 1, FinishKind::plain>,
    instance<std::uint16_t, 3, TapForm::bytes, 1, FinishKind::plain, 2>,
    instance<std::uint16_t, 3, TapForm::bytes, 1, FinishKind::plain>,
    instance<std::uint16_t, 5, TapForm::byte, 1, FinishKind::plain, 2>,
    instance<std::uint16_t, 5, TapForm::byte, 1, FinishKind::plain>,
    instance<std::uint16_t, 5, TapForm::bytes, 1, FinishKind::plain, 2>,
    instance<std::uint16_t, 5, TapForm::bytes, 1, FinishKind::plain>,
    instance<std::uint16_t, 2, TapForm::bytes, 1, FinishKind::any_sum>,
    instance<std::uint16_t, 3, TapForm::bytes, 1, FinishKind::any_sum>,
    instance<std::uint16_t, 5, TapForm::bytes, 1, FinishKind::any_sum>,
    instance<std::uint16_t, 2, TapForm::bytes, 2, FinishKind::any_sum>,
};

}  // namespace

std::span<const Instance> instances_16() {
    return instances;
}

}  // namespace vfilter::cuda::tensor_registers
