#pragma once
// The arithmetic contracts as plain loops: what faster code must equal, byte for byte.

#include <span>

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
void filter_scalar(const MedianFilter& median, PlaneView<const T> src, PlaneView<T> dst, Border border, int black,
                   int first, int last);
template <class T>
void filter_scalar(const Deband& deband, PlaneView<const T> src, PlaneView<T> dst, Border border, int black, int first,
                   int last);
template <class T>
void filter_scalar(const Guided& filter, PlaneView<const T> src, PlaneView<T> dst, Border border, int black, int first,
                   int last);
template <class T>
void filter_scalar(const Bilateral& filter, PlaneView<const T> src, PlaneView<T> dst, Border border, int black,
                   int first, int last);

/// The same plane of the pictures before and after: those of an operation's window but for the middle one, in any
/// order. They have the size, step and lsb of `src`, and may be `src`.
template <class T>
using Neighbours = std::span<const PlaneView<const T>>;

template <class T>
void filter_scalar(const NlMeans& filter, PlaneView<const T> src, Neighbours<T> neighbours, PlaneView<T> dst,
                   Border border, int black, int first, int last);
template <class T>
void filter_scalar(const Dithered& dithered, PlaneView<const T> src, Neighbours<T> neighbours, PlaneView<T> dst,
                   Border border, int black, int first, int last);
template <class T>
void filter_scalar(const TemporalMedian& median, PlaneView<const T> src, Neighbours<T> neighbours, PlaneView<T> dst,
                   Border border, int black, int first, int last);
template <class T>
void filter_scalar(const TemporalMean& mean, PlaneView<const T> src, Neighbours<T> neighbours, PlaneView<T> dst,
                   Border border, int black, int first, int last);

/// Any operation. `neighbours` are as many as its window has: see time_reach().
template <class T>
void filter_scalar(const Operation& operation, PlaneView<const T> src, Neighbours<T> neighbours, PlaneView<T> dst,
                   Border border, int black, int first, int last) {
    std::visit(
        [&]<class Made>(const Made& filter) {
            if constexpr (Temporal<Made>) {
                filter_scalar<T>(filter, src, neighbours, dst, border, black, first, last);
            } else {
                filter_scalar<T>(filter, src, dst, border, black, first, last);
            }
        },
        operation);
}
/// One that looks at no other picture.
template <class T>
void filter_scalar(const Operation& operation, PlaneView<const T> src, PlaneView<T> dst, Border border, int black,
                   int first, int last) {
    filter_scalar<T>(operation, src, Neighbours<T>(), dst, border, black, first, last);
}

}  // namespace vfilter
