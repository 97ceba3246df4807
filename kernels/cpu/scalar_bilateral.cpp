// Bilateral filters as plain loops.

#include "kernels/cpu/scalar.h"

namespace vfilter {

template <class T>
void filter_scalar(const Bilateral& filter, Band<T> band) {
    const PlaneView<const T>& src = band.src;
    for (int y = band.first; y < band.last; ++y) {
        for (int x = 0; x < src.samples(); ++x) {
            const int own = band.own(y, x);
            std::uint32_t sum = 0;
            std::uint32_t weights = 0;
            for (int j = -filter.radius_y; j <= filter.radius_y; ++j) {
                const int row = border_index(y + j, src.height, band.border);
                for (int i = -filter.radius_x; i <= filter.radius_x; ++i) {
                    const int column = border_index(x / src.step + i, src.width, band.border);
                    const int sample = band.sample(row, column, x % src.step);
                    const auto weight = static_cast<std::uint32_t>(filter.weight(own, sample, filter.reach(i, j)));
                    sum += weight * static_cast<std::uint32_t>(sample);
                    weights += weight;
                }
            }
            band.dst.row(y)[x] = static_cast<T>(Bilateral::mean(sum, weights) << band.dst.lsb);
        }
    }
}

template void filter_scalar(const Bilateral&, Band<std::uint8_t>);
template void filter_scalar(const Bilateral&, Band<std::uint16_t>);

}  // namespace vfilter
