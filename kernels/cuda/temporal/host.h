#pragma once
// Medians and means over pictures, on CUDA cores of any device.

#include <vector>

#include "kernels/arithmetic/temporal.h"
#include "kernels/cuda/launcher.h"

namespace vfilter::cuda::temporal {

/// Up to max_filters, all of one depth and of as many pictures.
MadeLauncher make(const std::vector<TemporalMedian>& filters);
/// Up to max_filters, all of one depth.
MadeLauncher make(const std::vector<TemporalMean>& filters);

}  // namespace vfilter::cuda::temporal
