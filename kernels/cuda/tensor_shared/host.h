#pragma once
// Tensor cores with the intermediate in shared memory: int16 and split filters of any radius and number of terms.
// Compute capability 8.0 or later.

#include <vector>

#include "kernels/arithmetic/linear_filter.h"
#include "kernels/cuda/launcher.h"
#include "kernels/cuda/tensor_shared/prepare.h"

namespace vfilter::cuda::tensor_shared {

/// Whether it takes all of them at once, with that much shared memory for a block, for planes of steps 1 and 2, or of
/// that one alone if it is larger.
bool takes(const std::vector<LinearFilter>& filters, int step, int shared_bytes);
/// Of filters for which that is true.
MadeLauncher make(const std::vector<LinearFilter>& filters, Border border, int step);

/// For samples of 8 bits, of more, and of more where taps are split.
MadeLauncher make_8(Prepared prepared, Border border);
MadeLauncher make_16(Prepared prepared, Border border);
MadeLauncher make_split(Prepared prepared, Border border);

}  // namespace vfilter::cuda::tensor_shared
