// Kernels for samples of 8 bits.

#include "kernels/cuda/tensor_registers/host.cuh"

namespace vfilter::cuda::tensor_registers {

namespace {

// Aligned ones come first. The few smoothings whose results cannot be aligned run as any other sum; magnitudes are
// tensor_shared's, where they are not the stencil's.
constexpr Instance instances[] = {
    instance<std::uint8_t, 2, TapForm::exact_byte, 1, FinishKind::aligned>,
    instance<std::uint8_t, 2, TapForm::exact_byte, 1, FinishKind::plain>,
    instance<std::uint8_t, 2, TapForm::byte, 1, FinishKind::plain>,
    instance<std::uint8_t, 2, TapForm::bytes, 1, FinishKind::aligned>,
    instance<std::uint8_t, 2, TapForm::bytes, 1, FinishKind::plain>,
    instance<std::uint8_t, 3, TapForm::byte, 1, FinishKind::plain, 2>,
    instance<std::uint8_t, 3, TapForm::byte, 1, FinishKind::plain>,
    instance<std::uint8_t, 3, TapForm::bytes, 1, FinishKind::aligned, 2>,
    instance<std::uint8_t, 3, TapForm::bytes, 1, FinishKind::aligned>,
    instance<std::uint8_t, 4, TapForm::byte, 1, FinishKind::plain, 2>,
    instance<std::uint8_t, 4, TapForm::bytes, 1, FinishKind::aligned, 2>,
    instance<std::uint8_t, 5, TapForm::byte, 1, FinishKind::plain, 2>,
    instance<std::uint8_t, 5, TapForm::byte, 1, FinishKind::plain>,
    instance<std::uint8_t, 5, TapForm::bytes, 1, FinishKind::aligned, 2>,
    instance<std::uint8_t, 5, TapForm::bytes, 1, FinishKind::aligned>,
    instance<std::uint8_t, 7, TapForm::byte, 1, FinishKind::plain, 3>,
    instance<std::uint8_t, 7, TapForm::bytes, 1, FinishKind::aligned, 3>,
    instance<std::uint8_t, 2, TapForm::bytes, 1, FinishKind::any_sum>,
    instance<std::uint8_t, 3, TapForm::bytes, 1, FinishKind::any_sum>,
    instance<std::uint8_t, 5, TapForm::bytes, 1, FinishKind::any_sum>,
    instance<std::uint8_t, 2, TapForm::bytes, 2, FinishKind::any_sum>,
};

}  // namespace

std::span<const Instance> instances_8() {
    return instances;
}

}  // namespace vfilter::cuda::tensor_registers
