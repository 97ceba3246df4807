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

/// Of reference_operation.
template <class T>
std::vector<double> reference_nl_means(const NlMeans& filter, PlaneView<const T> src, Border border, int black,
                                       std::span<const PlaneView<const T>> neighbours);
template <class T>
std::vector<double> reference_bilateral(const Bilateral& filter, PlaneView<const T> src, Border border, int black);
template <class T>
std::vector<double> reference_deband(const Deband& deband, PlaneView<const T> src, Border border, int black);
template <class T>
std::vector<double> reference_guided(const Guided& filter, PlaneView<const T> src, Border border, int black);
template <class T>
std::vector<double> reference_dithered(const Dithered& dithered, PlaneView<const T> src, Border border, int black,
                                       std::span<const PlaneView<const T>> neighbours);
template <class T>
std::vector<double> reference_temporal(const TemporalMedian& median, PlaneView<const T> src,
                                       std::span<const PlaneView<const T>> neighbours);
template <class T>
std::vector<double> reference_temporal(const TemporalMean& mean, PlaneView<const T> src,
                                       std::span<const PlaneView<const T>> neighbours);

/// By how much an integer result misses the rounded and clamped real one. `real` is reference_filter's for that sample,
/// `sample` its value before. Within `doubt` of a threshold, where the result jumps, both of its sides are right.
int miss(const FilterKernel& kernel, double real, int sample, int result, int depth, double doubt);
int miss(const Operation& operation, double real, int sample, int result, double doubt);

}  // namespace vfilter
