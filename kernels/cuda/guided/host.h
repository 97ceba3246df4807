#pragma once
// Guided filters, on CUDA cores of any device: two kernels, and memory for the windows' means and slopes.

#include <vector>

#include "kernels/arithmetic/guided.h"
#include "kernels/cuda/launcher.h"

namespace vfilter::cuda::guided {

/// Up to max_filters, all of one depth.
MadeLauncher make(const std::vector<Guided>& filters, Border border);

}  // namespace vfilter::cuda::guided
