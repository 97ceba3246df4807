#pragma once
// The specification in double precision: slow, plain, always built.

#include <vector>

#include "kernels/border.h"
#include "kernels/convolution.h"
#include "kernels/plane.h"

namespace vfilter {

/// The real-valued result of a kernel, neither rounded nor clamped: src.samples() values per row, no padding.
/// `black` stands outside the picture if the border is constant. T is uint8_t or uint16_t. Thread-safe.
template <class T>
std::vector<double> reference_convolve(const SeparableKernel& kernel, PlaneView<const T> src, int depth, Border border,
                                       int black);

}  // namespace vfilter
