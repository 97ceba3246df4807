#pragma once
// Debanding, on CUDA cores of any device.

#include <vector>

#include "kernels/arithmetic/deband.h"
#include "kernels/cuda/launcher.h"

namespace vfilter::cuda::deband {

/// Up to max_filters, all of one depth.
MadeLauncher make(const std::vector<Deband>& filters, Border border);

}  // namespace vfilter::cuda::deband
