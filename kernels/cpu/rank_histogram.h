#pragma once
// Medians of large square windows by a histogram that moves along a row (Huang, Yang and Tang, 1979): what a window
// gains and loses at its sides is counted, and the median is looked for from where it was. Bins of bins are passed over
// as a whole. The work for a sample grows with the window's height alone. Not for others than the SIMD code.

#include "kernels/arithmetic/rank.h"
#include "kernels/cpu/simd_band.h"

namespace vfilter::simd {

template <class T>
void filter_by_histogram(const MedianFilter& median, const Band<T>& band);

}  // namespace vfilter::simd
