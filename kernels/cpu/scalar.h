#pragma once
// The arithmetic contract as plain loops: what faster code must equal, byte for byte.

#include "kernels/border.h"
#include "kernels/convolution.h"
#include "kernels/plane.h"

namespace vfilter {

/// Filters the rows [first, last) of a plane. src and dst have the same size, step and lsb and do not overlap. `black`
/// stands outside the picture if the border is constant. T is uint8_t at depth 8, else uint16_t. Thread-safe.
template <class T>
void convolve_scalar(const Convolution& convolution, PlaneView<const T> src, PlaneView<T> dst, Border border, int black,
                     int first, int last);

}  // namespace vfilter
