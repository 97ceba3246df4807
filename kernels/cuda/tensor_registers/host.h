#pragma once
// Tensor cores with the intermediate in registers: int16 filters of one or two terms, in windows of five widths.
// Compute capability 8.0 or later.

#include <span>
#include <vector>

#include "kernels/arithmetic/linear_filter.h"
#include "kernels/cuda/launcher.h"
#include "kernels/cuda/tensor/filter.h"

namespace vfilter::cuda::tensor_registers {

/// Whether a kernel with a window of that radius, 8, 16, 24, 32 or 48 samples, takes all of them at once, for planes of
/// that step at most.
bool takes(const std::vector<LinearFilter>& filters, int step, int radius);
/// Of filters for which that is true.
MadeLauncher make(const std::vector<LinearFilter>& filters, Border border, int step, int radius);

/// A kernel for windows of that many blocks of 16 across and down, taps of that form, that many terms or less, and that
/// finish or less.
struct Instance {
    int blocks;
    int down;
    tensor::TapForm form;
    int terms;
    tensor::FinishKind finish;
    MadeLauncher (*make)(const std::vector<LinearFilter>&, Border, int step);

    /// Radius that a window holds, in samples.
    [[nodiscard]] int radius() const { return 8 * (blocks - 1); }
    [[nodiscard]] int radius_down() const { return 8 * (down - 1); }
};
/// For samples of 8 bits and of more; the fastest first.
std::span<const Instance> instances_8();
std::span<const Instance> instances_16();

}  // namespace vfilter::cuda::tensor_registers
