#include "kernels/blend.h"

#include <algorithm>

namespace vfilter {

template <class T>
void blend_row(const std::uint8_t* weights, const T* from, const T* made, T* to, int pixels, int step, int lsb) {
    for (int pixel = 0, x = 0; pixel < pixels; ++pixel) {
        const int share = weights[pixel];
        for (int component = 0; component < step; ++component, ++x) {
            to[x] = share == 0     ? from[x]
                    : share == 255 ? made[x]
                                   : static_cast<T>(blend(from[x] >> lsb, made[x] >> lsb, share) << lsb);
        }
    }
}

template <class T>
void blend_rows(const PlaneWeights& weights, int weights_first, int weights_step, PlaneView<const T> src,
                PlaneView<T> dst, int first, int last) {
    std::vector<std::uint8_t> row(static_cast<std::size_t>(src.width));
    for (int y = first; y < last; ++y) {
        const int weights_row = weights_first + y * weights_step;
        std::ranges::fill(row, std::uint8_t{0});
        for (const WeightBox& box : weights.boxes) {
            if (weights_row >= box.top && weights_row < box.bottom()) {
                std::copy_n(weights.row(box, weights_row), box.width, row.begin() + box.left);
            }
        }
        blend_row<T>(row.data(), src.row(y), dst.row(y), dst.row(y), src.width, src.step, src.lsb);
    }
}

template void blend_row(const std::uint8_t*, const std::uint8_t*, const std::uint8_t*, std::uint8_t*, int, int, int);
template void blend_row(const std::uint8_t*, const std::uint16_t*, const std::uint16_t*, std::uint16_t*, int, int, int);
template void blend_rows(const PlaneWeights&, int, int, PlaneView<const std::uint8_t>, PlaneView<std::uint8_t>, int,
                         int);
template void blend_rows(const PlaneWeights&, int, int, PlaneView<const std::uint16_t>, PlaneView<std::uint16_t>, int,
                         int);

}  // namespace vfilter
