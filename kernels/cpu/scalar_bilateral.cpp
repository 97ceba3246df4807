// Bilateral filters as plain loops.

#include "kernels/cpu/scalar.h"

namespace vfilter {

template <class T>
void filter_scalar(const Bilateral& filter, PlaneView<const T> src, PlaneView<T> dst, Border border, int black,
                   int first, int last) {
    for (int y = first; y < last; ++y) {
        for (int x = 0; x < src.samples(); ++x) {
            const int own = (src.row(y)[x] >> src.lsb) & filter.max_value();
            std::uint32_t sum = 0;
            std::uint32_t weights = 0;
            for (int j = -filter.radius_y; j <= filter.radius_y; ++j) {
                const int row = border_index(y + j, src.height, border);
                for (int i = -filter.radius_x; i <= filter.radius_x; ++i) {
                    const int column = border_index(x / src.step + i, src.width, border);
                    const int sample =
                        row < 0 || column < 0
                            ? black
                            : (src.row(row)[column * src.step + x % src.step] >> src.lsb) & filter.max_value();
                    const auto weight = static_cast<std::uint32_t>(filter.weight(own, sample, filter.reach(i, j)));
                    sum += weight * static_cast<std::uint32_t>(sample);
                    weights += weight;
                }
            }
            dst.row(y)[x] = static_cast<T>(Bilateral::mean(sum, weights) << dst.lsb);
        }
    }
}

template void filter_scalar(const Bilateral&, PlaneView<const std::uint8_t>, PlaneView<std::uint8_t>, Border, int, int,
                            int);
template void filter_scalar(const Bilateral&, PlaneView<const std::uint16_t>, PlaneView<std::uint16_t>, Border, int,
                            int, int);

}  // namespace vfilter
