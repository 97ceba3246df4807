#pragma once
// An operation on a plane in bands of rows, everywhere or by weights: what engines and the library run.

#include <span>
#include <vector>

#include "kernels/blend.h"
#include "kernels/cpu/simd.h"

namespace vfilter {

/// Rows [first, last) of one of a plane's fields, counted within it.
struct RowBand {
    int first = 0;
    int last = 0;
    int field = 0;
    int fields = 1;
};

/// Immutable; any number of threads may run it at once.
class PlaneFilter {
public:
    explicit PlaneFilter(const Operation& operation);

    /// Bands that make up a plane of that height, for so many threads.
    [[nodiscard]] std::vector<RowBand> bands(int height, int fields, int threads) const;

    /// Makes the band's rows of `dst` of `src`, which are views of its field; see SimdFilter::run. With weights, the
    /// plane's, results are blended with `src`, and only what results in the boxes are made of is filtered. Scratch
    /// memory is kept per thread. `neighbours` are the same field of the other pictures of the operation's window.
    template <class T>
    void run(PlaneView<const T> src, PlaneView<T> dst, Border border, int black, const RowBand& band,
             const PlaneWeights* weights, std::span<const PlaneView<const T>> neighbours = {}) const;

private:
    template <class T>
    void run_boxes(PlaneView<const T> src, PlaneView<T> dst, Border border, int black, const RowBand& band,
                   const PlaneWeights& weights, std::span<const PlaneView<const T>> neighbours) const;

    SimdFilter filter_;
    Reach across_;
    Reach down_;
};

}  // namespace vfilter
