#pragma once
// Bilateral filters, on CUDA cores of any device.

#include <vector>

#include "kernels/arithmetic/bilateral.h"
#include "kernels/cuda/launcher.h"

namespace vfilter::cuda::bilateral {

/// How a filter may be run: by words of four neighbours, of one component, in windows of radius 2 or 4; or any.
enum class Way { small_words, large_words, samples };
/// The fastest for planes of one component.
Way way_of(const Bilateral& filter);

/// Up to max_filters, all of one depth, and of that way where it is by words.
MadeLauncher make(const std::vector<Bilateral>& filters, Border border, Way way);

}  // namespace vfilter::cuda::bilateral
