#pragma once
// Decimated filters: three kernels, and memory for the decimated pictures.

#include <vector>

#include "kernels/arithmetic/decimated_filter.h"
#include "kernels/cuda/launcher.h"

namespace vfilter::cuda::decimated {

/// Of one factor and one depth. `inner` is made of their inner filters.
MadeLauncher make(const std::vector<DecimatedFilter>& filters, Border border, MadeLauncher inner);

}  // namespace vfilter::cuda::decimated
