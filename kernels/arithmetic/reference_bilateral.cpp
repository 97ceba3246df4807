// Bilateral filters in double precision, a sample after the other, as the contract says it.

#include <algorithm>
#include <cmath>

#include "kernels/arithmetic/reference.h"

namespace vfilter {

template <class T>
std::vector<double> reference_bilateral(const Bilateral& filter, PlaneView<const T> src, Border border, int black) {
    const double step = std::ldexp(1.0, filter.depth - 8 + filter.coarse);
    const auto sample_at = [&](int y, int x, int component) {
        const int row = border_index(y, src.height, border);
        const int column = border_index(x, src.width, border);
        return row < 0 || column < 0 ? black
                                     : (src.row(row)[column * src.step + component] >> src.lsb) & filter.max_value();
    };
    std::vector<double> result;
    result.reserve(static_cast<std::size_t>(src.samples()) * static_cast<std::size_t>(src.height));
    for (int y = 0; y < src.height; ++y) {
        for (int x = 0; x < src.samples(); ++x) {
            const int component = x % src.step;
            const double own = std::floor(sample_at(y, x / src.step, component) / step);
            double sum = 0;
            double weights = 0;
            for (int j = -filter.radius_y; j <= filter.radius_y; ++j) {
                for (int i = -filter.radius_x; i <= filter.radius_x; ++i) {
                    const double sample = sample_at(y + j, x / src.step + i, component);
                    const double weight = std::max(0.0, filter.reach(i, j) - std::abs(std::floor(sample / step) - own));
                    sum += weight * sample;
                    weights += weight;
                }
            }
            result.push_back(sum / weights);
        }
    }
    return result;
}

template std::vector<double> reference_bilateral(const Bilateral&, PlaneView<const std::uint8_t>, Border, int);
template std::vector<double> reference_bilateral(const Bilateral&, PlaneView<const std::uint16_t>, Border, int);

}  // namespace vfilter
