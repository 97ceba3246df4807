#pragma once
// The stencil: filters of radius 3 at most in int16, in registers alone, on CUDA cores of any device.

#include <span>
#include <vector>

#include "kernels/arithmetic/linear_filter.h"
#include "kernels/cuda/launcher.h"

namespace vfilter::cuda::stencil {

/// Whether there is a kernel for all of them at once, for planes of steps 1 and 2, or of that step alone if it is more.
bool takes(const std::vector<LinearFilter>& filters, int step);
/// Of filters for which that is true.
MadeLauncher make(const std::vector<LinearFilter>& filters, Border border, int step);

/// A kernel made for filters of one shape, and smaller ones.
struct Instance {
    bool (*takes)(const LinearFilter&);
    MadeLauncher (*make)(const std::vector<LinearFilter>&, Border, int step);
    bool pixels;  ///< for planes of steps 3 and 4 as well
};
/// For samples of 8 bits and of more; the fastest first.
std::span<const Instance> instances_8();
std::span<const Instance> instances_16();

}  // namespace vfilter::cuda::stencil
