#pragma once
// The arithmetic contracts as plain loops: what faster code must equal, byte for byte.

#include "kernels/arithmetic/operation.h"
#include "kernels/plane.h"

namespace vfilter {

/// Filters the rows [first, last) of a plane. src and dst have the same size, step and lsb and do not overlap. `black`
/// stands outside the picture if the border is constant. T is uint8_t at depth 8, else uint16_t. Thread-safe.
template <class T>
void filter_scalar(const LinearFilter& filter, PlaneView<const T> src, PlaneView<T> dst, Border border, int black,
                   int first, int last);
template <class T>
void filter_scalar(const DecimatedFilter& filter, PlaneView<const T> src, PlaneView<T> dst, Border border, int black,
                   int first, int last);
template <class T>
void filter_scalar(const Pixelation& pixelation, PlaneView<const T> src, PlaneView<T> dst, Border border, int black,
                   int first, int last);
template <class T>
void filter_scalar(const Fill& fill, PlaneView<const T> src, PlaneView<T> dst, Border border, int black, int first,
                   int last);
template <class T>
void filter_scalar(const NlMeans& filter, PlaneView<const T> src, PlaneView<T> dst, Border border, int black, int first,
                   int last);
template <class T>
void filter_scalar(const MedianFilter& median, PlaneView<const T> src, PlaneView<T> dst, Border border, int black,
                   int first, int last);
template <class T>
void filter_scalar(const Operation& operation, PlaneView<const T> src, PlaneView<T> dst, Border border, int black,
                   int first, int last) {
    std::visit([&](const auto& filter) { filter_scalar<T>(filter, src, dst, border, black, first, last); }, operation);
}

}  // namespace vfilter
