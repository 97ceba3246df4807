#pragma once
// A filter for one plane as integers: whichever of the three contracts holds it.

#include <variant>

#include "kernels/arithmetic/coarse.h"
#include "kernels/arithmetic/composite.h"
#include "kernels/arithmetic/convolution.h"

namespace vfilter {

using PlaneFilter = std::variant<Convolution, Composite, CoarseConvolution>;

/// Smoothings are made coarse where make_coarse_convolution does that. Throws std::invalid_argument as make_convolution
/// and make_composite do.
PlaneFilter make_plane_filter(const FilterKernel& kernel, int depth);
/// What it approximates.
FilterKernel exact_kernel(const PlaneFilter& filter);

}  // namespace vfilter
