#pragma once
// Non-local means, on tensor cores and on CUDA cores of any device.

#include <vector>

#include "kernels/arithmetic/nl_means.h"
#include "kernels/cuda/launcher.h"

namespace vfilter::cuda::nl_means {

/// Bytes of shared memory that a block on tensor cores takes at most.
inline constexpr int max_tensor_bytes = 56 * 1024;

/// Up to max_filters, all of one depth and patch.
MadeLauncher make(const std::vector<NlMeans>& filters, Border border, bool tensor_cores);

}  // namespace vfilter::cuda::nl_means
