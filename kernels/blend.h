#pragma once
// A filter's results blended with what it was given, by a weight for every sample.

#include <cstddef>
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

/// A rectangle of a plane with a weight for each of its samples.
struct WeightBox {
    int left = 0;  ///< pixels of the plane
    int top = 0;
    int width = 0;
    int height = 0;
    std::size_t first = 0;  ///< where its weights begin, row by row

    [[nodiscard]] int right() const { return left + width; }
    [[nodiscard]] int bottom() const { return top + height; }
};

/// The weights of a plane: 0 but in the boxes, which have no sample in common.
struct PlaneWeights {
    std::vector<WeightBox> boxes{};
    std::vector<std::uint8_t> samples{};  ///< of all boxes

    /// Of a row of a box, which is counted in the plane.
    [[nodiscard]] const std::uint8_t* row(const WeightBox& box, int y) const {
        return samples.data() + box.first + static_cast<std::size_t>(y - box.top) * static_cast<std::size_t>(box.width);
    }
};

/// Blends one row: `to` becomes `made` in the proportion of the weights of its pixels, and `from` else. `to` may be
/// `made`. Bits of the storage that are not the sample's stay as `from` has them where the weight is 0, else as the
/// filter has left them.
template <class T>
void blend_row(const std::uint8_t* weights, const T* from, const T* made, T* to, int pixels, int step, int lsb);

/// Blends the results of a filter, in `dst`, with the samples that it was given. Rows [first, last) of a plane whose
/// row y has the weights of row `weights_first + y * weights_step`: a field's rows are every second one.
template <class T>
void blend_rows(const PlaneWeights& weights, int weights_first, int weights_step, PlaneView<const T> src,
                PlaneView<T> dst, int first, int last);

}  // namespace vfilter
