#pragma once
// Dithering: any operations, made for further bits, between two kernels, and memory for the finer planes.

#include <vector>

#include "kernels/arithmetic/dithered.h"
#include "kernels/cuda/kernel_choice.h"
#include "kernels/cuda/launcher.h"

namespace vfilter::cuda::dithered {

/// Up to max_filters, all of one depth. Throws CudaError.
MadeLauncher make(const std::vector<Dithered>& filters, Border border, KernelChoice choice);

}  // namespace vfilter::cuda::dithered
