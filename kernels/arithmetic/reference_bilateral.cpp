// Bilateral filters in double precision, a sample after the other, as the contract says it.

#include <algorithm>
#include <cmath>

#include "kernels/arithmetic/reference.h"

namespace vfilter {

template <class T>
std::vector<double> reference_of(const Bilateral& filter, const ReferencePlane<T>& plane) {
    const PlaneView<const T>& src = plane.src;
    const double step = std::ldexp(1.0, filter.depth - 8 + filter.coarse);
    std::vector<double> result;
    result.reserve(static_cast<std::size_t>(src.samples()) * static_cast<std::size_t>(src.height));
    for (int y = 0; y < src.height; ++y) {
        for (int x = 0; x < src.samples(); ++x) {
            const int component = x % src.step;
            const double own = std::floor(plane.sample(y, x / src.step, component) / step);
            double sum = 0;
            double weights = 0;
            for (int j = -filter.radius_y; j <= filter.radius_y; ++j) {
                for (int i = -filter.radius_x; i <= filter.radius_x; ++i) {
                    const double sample = plane.sample(y + j, x / src.step + i, component);
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

template std::vector<double> reference_of(const Bilateral&, const ReferencePlane<std::uint8_t>&);
template std::vector<double> reference_of(const Bilateral&, const ReferencePlane<std::uint16_t>&);

}  // namespace vfilter
