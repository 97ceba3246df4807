// Medians as plain loops.

#include <algorithm>
#include <vector>

#include "kernels/cpu/scalar.h"

namespace vfilter {

template <class T>
void filter_scalar(const MedianFilter& median, PlaneView<const T> src, PlaneView<T> dst, Border border, int black,
                   int first, int last) {
    std::vector<T> window(static_cast<std::size_t>(median.count()));
    for (int y = first; y < last; ++y) {
        for (int x = 0; x < src.samples(); ++x) {
            auto next = window.begin();
            for (int j = -median.radius_y; j <= median.radius_y; ++j) {
                const int row = border_index(y + j, src.height, border);
                const int reach = median.reach_in_row(j);
                for (int i = -reach; i <= reach; ++i) {
                    const int column = border_index(x / src.step + i, src.width, border);
                    const int sample =
                        row < 0 || column < 0
                            ? black
                            : (src.row(row)[column * src.step + x % src.step] >> src.lsb) & median.max_value();
                    *next++ = static_cast<T>(sample);
                }
            }
            const auto middle = window.begin() + median.rank();
            std::nth_element(window.begin(), middle, window.end());
            dst.row(y)[x] = static_cast<T>(*middle << dst.lsb);
        }
    }
}

template void filter_scalar(const MedianFilter&, PlaneView<const std::uint8_t>, PlaneView<std::uint8_t>, Border, int,
                            int, int);
template void filter_scalar(const MedianFilter&, PlaneView<const std::uint16_t>, PlaneView<std::uint16_t>, Border, int,
                            int, int);

}  // namespace vfilter
