#pragma once
// The specification in double precision: slow, plain, always built.

#include <span>
#include <vector>

#include "kernels/arithmetic/arithmetic.h"
#include "kernels/arithmetic/filter_kernel.h"
#include "kernels/arithmetic/operation.h"
#include "kernels/plane.h"

namespace vfilter {

/// The real-valued result of one term, neither rounded nor clamped: src.samples() values per row, no padding.
/// `black` stands outside the picture if the border is constant. T is uint8_t or uint16_t. Thread-safe.
template <class T>
std::vector<double> reference_convolve(const SeparableKernel& kernel, PlaneView<const T> src, int depth, Border border,
                                       int black);

/// The same of a whole filter, before its threshold is looked at.
template <class T>
std::vector<double> reference_filter(const FilterKernel& kernel, PlaneView<const T> src, int depth, Border border,
                                     int black);

/// The same of any operation. With time, `neighbours` are the same plane of its window's other pictures, in any order.
template <class T>
std::vector<double> reference_operation(const Operation& operation, PlaneView<const T> src, Border border, int black,
                                        std::span<const PlaneView<const T>> neighbours = {});

/// What reference_operation is given, for reference_of.
template <class T>
struct ReferencePlane {
    PlaneView<const T> src;
    int max_value;
    Border border;
    int black;
    std::span<const PlaneView<const T>> neighbours;

    /// At any place, counted in rows and pixels.
    [[nodiscard]] int sample(int y, int x, int component) const {
        const int row = border_index(y, src.height, border);
        const int column = border_index(x, src.width, border);
        return row < 0 || column < 0 ? black : (src.row(row)[column * src.step + component] >> src.lsb) & max_value;
    }
};

/// Of reference_operation: kinds that have a file of their own.
template <class T>
std::vector<double> reference_of(const NlMeans& filter, const ReferencePlane<T>& plane);
template <class T>
std::vector<double> reference_of(const Bilateral& filter, const ReferencePlane<T>& plane);
template <class T>
std::vector<double> reference_of(const Deband& deband, const ReferencePlane<T>& plane);
template <class T>
std::vector<double> reference_of(const Guided& filter, const ReferencePlane<T>& plane);
template <class T>
std::vector<double> reference_of(const Dithered& dithered, const ReferencePlane<T>& plane);
template <class T>
std::vector<double> reference_of(const TemporalMedian& median, const ReferencePlane<T>& plane);
template <class T>
std::vector<double> reference_of(const TemporalMean& mean, const ReferencePlane<T>& plane);

/// By how much an integer result misses the rounded and clamped real one. `real` is reference_filter's for that sample,
/// `sample` its value before. Within `doubt` of a threshold, where the result jumps, both of its sides are right.
int miss(const FilterKernel& kernel, double real, int sample, int result, int depth, double doubt);
int miss(const Operation& operation, double real, int sample, int result, double doubt);

}  // namespace vfilter
