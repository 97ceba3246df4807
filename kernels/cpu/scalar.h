#pragma once
// The arithmetic contracts as plain loops: what faster code must equal, byte for byte.

#include <span>

#include "kernels/arithmetic/operation.h"
#include "kernels/plane.h"

namespace vfilter {

/// The same plane of the pictures before and after: those of an operation's window but for the middle one, in any
/// order. They have the size, step and lsb of the middle one's, and may be that one.
template <class T>
using Neighbours = std::span<const PlaneView<const T>>;

/// Rows [first, last) of a plane, and what they are made of. src and dst have the same size, step and lsb and do not
/// overlap. `black` stands outside the picture if the border is constant. T is uint8_t at depth 8, else uint16_t.
template <class T>
struct Band {
    PlaneView<const T> src;
    PlaneView<T> dst;
    Border border = Border::reflect_101;
    int black = 0;
    int first = 0;
    int last = 0;
    int depth = 8;
    Neighbours<T> neighbours{};  ///< of operations with time

    [[nodiscard]] int max_value() const { return (1 << depth) - 1; }
    /// The sample at that place of a row.
    [[nodiscard]] int own(int y, int x) const { return (src.row(y)[x] >> src.lsb) & max_value(); }
    /// That of a component, at what border_index() says of a row and a column.
    [[nodiscard]] int sample(int row, int column, int component) const {
        return row < 0 || column < 0 ? black : (src.row(row)[column * src.step + component] >> src.lsb) & max_value();
    }
};

/// One for each kind of operation. Thread-safe. Bands are passed by value: to the compiler a store of a byte may change
/// whatever a reference leads to, and the loops would load it again.
template <class T>
void filter_scalar(const LinearFilter& filter, Band<T> band);
template <class T>
void filter_scalar(const DecimatedFilter& filter, Band<T> band);
template <class T>
void filter_scalar(const Pixelation& pixelation, Band<T> band);
template <class T>
void filter_scalar(const Fill& fill, Band<T> band);
template <class T>
void filter_scalar(const NlMeans& filter, Band<T> band);
template <class T>
void filter_scalar(const MedianFilter& median, Band<T> band);
template <class T>
void filter_scalar(const TemporalMedian& median, Band<T> band);
template <class T>
void filter_scalar(const TemporalMean& mean, Band<T> band);
template <class T>
void filter_scalar(const Bilateral& filter, Band<T> band);
template <class T>
void filter_scalar(const Deband& deband, Band<T> band);
template <class T>
void filter_scalar(const Guided& filter, Band<T> band);
template <class T>
void filter_scalar(const Dithered& dithered, Band<T> band);

/// Any operation. `neighbours` are as many as its window has: see time_reach().
template <class T>
void filter_scalar(const Operation& operation, PlaneView<const T> src, Neighbours<T> neighbours, PlaneView<T> dst,
                   Border border, int black, int first, int last) {
    const Band<T> band{src, dst, border, black, first, last, depth_of(operation), neighbours};
    std::visit([&](const auto& made) { filter_scalar(made, band); }, operation);
}
/// One that looks at no other picture.
template <class T>
void filter_scalar(const Operation& operation, PlaneView<const T> src, PlaneView<T> dst, Border border, int black,
                   int first, int last) {
    filter_scalar<T>(operation, src, Neighbours<T>(), dst, border, black, first, last);
}

}  // namespace vfilter
