#pragma once
// The arithmetic contract as plain loops: what faster code must equal, byte for byte.

#include "kernels/arithmetic/arithmetic.h"
#include "kernels/arithmetic/operation.h"
#include "kernels/plane.h"

namespace vfilter {

/// Filters the rows [first, last) of a plane. src and dst have the same size, step and lsb and do not overlap. `black`
/// stands outside the picture if the border is constant. T is uint8_t at depth 8, else uint16_t. Thread-safe.
template <class T>
void convolve_scalar(const Convolution& convolution, PlaneView<const T> src, PlaneView<T> dst, Border border, int black,
                     int first, int last);

template <class T>
void convolve_scalar(const Composite& composite, PlaneView<const T> src, PlaneView<T> dst, Border border, int black,
                     int first, int last);
template <class T>
void convolve_scalar(const CoarseConvolution& convolution, PlaneView<const T> src, PlaneView<T> dst, Border border,
                     int black, int first, int last);
template <class T>
void filter_scalar(const PlaneFilter& filter, PlaneView<const T> src, PlaneView<T> dst, Border border, int black,
                   int first, int last) {
    std::visit([&](const auto& made) { convolve_scalar<T>(made, src, dst, border, black, first, last); }, filter);
}

/// The largest whole number whose square is not above n. n below 2^62.
std::int64_t whole_root(std::int64_t n);

}  // namespace vfilter
