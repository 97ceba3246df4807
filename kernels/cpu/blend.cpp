#include "kernels/blend.h"

#include <algorithm>

namespace vfilter {

RowRange weighted_rows(const GrayImage& weights) {
    const auto row = [&](int y) { return weights.samples.begin() + std::ptrdiff_t{y} * weights.width; };
    const auto empty = [&](int y) {
        return std::all_of(row(y), row(y) + weights.width, [](std::uint8_t weight) { return weight == 0; });
    };
    RowRange range{0, weights.height};
    while (range.first < range.last && empty(range.first)) {
        ++range.first;
    }
    while (range.last > range.first && empty(range.last - 1)) {
        --range.last;
    }
    return range;
}

template <class T>
void blend_rows(const GrayImage& weights, int weights_first, int weights_step, PlaneView<const T> src, PlaneView<T> dst,
                int first, int last) {
    for (int y = first; y < last; ++y) {
        const std::uint8_t* const weight =
            weights.samples.data() + std::ptrdiff_t{weights_first + y * weights_step} * weights.width;
        const T* const from = src.row(y);
        T* const to = dst.row(y);
        // Bits of the storage that are not the sample's stay as the filter leaves it where the filter works, else as it
        // was.
        for (int x = 0; x < src.samples(); ++x) {
            const int share = weight[x / src.step];
            if (share == 0) {
                to[x] = from[x];
            } else if (share < 255) {
                to[x] = static_cast<T>(blend(from[x] >> src.lsb, to[x] >> src.lsb, share) << src.lsb);
            }
        }
    }
}

template void blend_rows(const GrayImage&, int, int, PlaneView<const std::uint8_t>, PlaneView<std::uint8_t>, int, int);
template void blend_rows(const GrayImage&, int, int, PlaneView<const std::uint16_t>, PlaneView<std::uint16_t>, int,
                         int);

}  // namespace vfilter
