#pragma once
// Pixelation and fill, on CUDA cores of any device.

#include <vector>

#include "kernels/arithmetic/operation.h"
#include "kernels/cuda/launcher.h"

namespace vfilter::cuda::blocks {

/// Up to max_filters.
MadeLauncher make(const std::vector<Pixelation>& pixelations);
/// Up to max_planes.
MadeLauncher make(const std::vector<Fill>& fills);

}  // namespace vfilter::cuda::blocks
