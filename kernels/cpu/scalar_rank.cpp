// Medians as plain loops.

#include <algorithm>
#include <vector>

#include "kernels/cpu/scalar.h"

namespace vfilter {

template <class T>
void filter_scalar(const MedianFilter& median, Band<T> band) {
    const PlaneView<const T>& src = band.src;
    std::vector<T> window(static_cast<std::size_t>(median.count()));
    for (int y = band.first; y < band.last; ++y) {
        for (int x = 0; x < src.samples(); ++x) {
            auto next = window.begin();
            for (int j = -median.radius_y; j <= median.radius_y; ++j) {
                const int row = border_index(y + j, src.height, band.border);
                const int reach = median.reach_in_row(j);
                for (int i = -reach; i <= reach; ++i) {
                    const int column = border_index(x / src.step + i, src.width, band.border);
                    *next++ = static_cast<T>(band.sample(row, column, x % src.step));
                }
            }
            const auto middle = window.begin() + median.rank();
            std::nth_element(window.begin(), middle, window.end());
            band.dst.row(y)[x] = static_cast<T>(*middle << band.dst.lsb);
        }
    }
}

template void filter_scalar(const MedianFilter&, Band<std::uint8_t>);
template void filter_scalar(const MedianFilter&, Band<std::uint16_t>);

}  // namespace vfilter
