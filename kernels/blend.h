#pragma once
// A filter's results blended with what it was given, by a weight for every sample.

#include <cstdint>
#include <vector>

#include "kernels/plane.h"

namespace vfilter {

/// 8-bit samples of a mask or of weights, row by row, without padding.
struct GrayImage {
    int width = 0;
    int height = 0;
    std::vector<std::uint8_t> samples{};
};

/// filtered and sample in the proportion of the weight: both unchanged at its ends, rounded half up between.
constexpr int blend(int sample, int filtered, int weight) {
    const int share = weight + (weight >> 7);  // of 256
    return (sample * (256 - share) + filtered * share + 128) >> 8;
}

/// The first row and the one after the last that hold a weight above 0.
struct RowRange {
    int first = 0;
    int last = 0;
};
RowRange weighted_rows(const GrayImage& weights);

/// Blends the results of a filter, in `dst`, with the samples that it was given. Rows [first, last) of a plane whose
/// row y has the weights of row `weights_first + y * weights_step`: a field's rows are every second one.
template <class T>
void blend_rows(const GrayImage& weights, int weights_first, int weights_step, PlaneView<const T> src, PlaneView<T> dst,
                int first, int last);

}  // namespace vfilter
