#pragma once
// The fallback: any linear filter, on CUDA cores of any device.

#include <vector>

#include "kernels/arithmetic/linear_filter.h"
#include "kernels/cuda/launcher.h"

namespace vfilter::cuda::fallback {

MadeLauncher make(const std::vector<LinearFilter>& filters, Border border);

}  // namespace vfilter::cuda::fallback
