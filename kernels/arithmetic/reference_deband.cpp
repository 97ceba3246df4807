// Debanding in double precision, as the contract says it.

#include <algorithm>
#include <cmath>

#include "kernels/arithmetic/reference.h"

namespace vfilter {

template <class T>
std::vector<double> reference_of(const Deband& deband, const ReferencePlane<T>& plane) {
    const PlaneView<const T>& src = plane.src;
    std::vector<double> result;
    result.reserve(static_cast<std::size_t>(src.samples()) * static_cast<std::size_t>(src.height));
    for (int y = 0; y < src.height; ++y) {
        for (int x = 0; x < src.samples(); ++x) {
            const int pixel = x / src.step;
            const Deband::Place place = deband.place(Deband::choice(pixel, y), y);
            const auto sample_at = [&](int i, int j) { return plane.sample(y + j, pixel + i, x % src.step); };
            const double own = sample_at(0, 0);
            double sum = 0;
            double farthest = 0;
            for (const int i : {-place.x, place.x}) {
                for (const int j : {-place.y, place.y}) {
                    const double other = sample_at(i, j);
                    sum += other;
                    farthest = std::max(farthest, std::abs(other - own));
                }
            }
            if (deband.blur) {
                farthest = std::abs(std::floor(sum / 4 + 0.5) - own);
            }
            result.push_back(farthest <= deband.threshold ? std::floor((sum + deband.added(pixel, y)) / 4) : own);
        }
    }
    return result;
}

template std::vector<double> reference_of(const Deband&, const ReferencePlane<std::uint8_t>&);
template std::vector<double> reference_of(const Deband&, const ReferencePlane<std::uint16_t>&);

}  // namespace vfilter
