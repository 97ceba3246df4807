#pragma once
// An operation on a plane in bands of rows, everywhere or by weights: what engines and the library run.

#include <cstddef>
#include <cstdint>
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

/// Where the band of that number begins, of `count` that make up so many rows: at an even row, because the kernels work
/// on two at once.
inline int band_begin(int rows, int number, int count) {
    return number == count ? rows : static_cast<int>(std::int64_t{rows} * number / count) & ~1;
}

/// Memory of a call's that is taken elsewhere than from the thread.
class ScratchMemory {
public:
    ScratchMemory() = default;
    virtual ~ScratchMemory() = default;
    ScratchMemory(const ScratchMemory&) = delete;
    ScratchMemory& operator=(const ScratchMemory&) = delete;
    /// So many bytes, aligned for samples, until the next call or the end of the object.
    virtual unsigned char* take(std::size_t bytes) = 0;
};

/// Immutable; any number of threads may run it at once.
class PlaneFilter {
public:
    explicit PlaneFilter(const Operation& operation);

    /// Bands that make up a plane of that height, for so many threads.
    [[nodiscard]] std::vector<RowBand> bands(int height, int fields, int threads) const;

    /// Makes the band's rows of `dst` of `src`, which are views of its field; see SimdFilter::run. With weights, the
    /// plane's, results are blended with `src`, and only what results in the boxes are made of is filtered, into
    /// memory of `scratch`, or without one of the thread's, which is kept. `neighbours` are the same field of the other
    /// pictures of the operation's window.
    template <class T>
    void run(PlaneView<const T> src, PlaneView<T> dst, Border border, int black, const RowBand& band,
             const PlaneWeights* weights, std::span<const PlaneView<const T>> neighbours = {},
             ScratchMemory* scratch = nullptr) const;
    /// Rows above and below that a band repeats some of the work of.
    [[nodiscard]] int rows_around() const { return down_.radius; }

private:
    template <class T>
    void run_boxes(PlaneView<const T> src, PlaneView<T> dst, Border border, int black, const RowBand& band,
                   const PlaneWeights& weights, std::span<const PlaneView<const T>> neighbours,
                   ScratchMemory* scratch) const;

    SimdFilter filter_;
    Reach across_;
    Reach down_;
};

}  // namespace vfilter
