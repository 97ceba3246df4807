// Medians and means over time in double precision.

#include <algorithm>
#include <cmath>
#include <iterator>
#include <vector>

#include "kernels/arithmetic/reference.h"

namespace vfilter {

namespace {

// What result(sample, window) gives for each sample; the window ascends.
template <class T>
std::vector<double> of_windows(PlaneView<const T> src, std::span<const PlaneView<const T>> neighbours, int max_value,
                               const auto& result) {
    std::vector<double> results;
    for (int y = 0; y < src.height; ++y) {
        for (int x = 0; x < src.samples(); ++x) {
            const auto sample = [&](const PlaneView<const T>& plane) {
                return double{1} * ((plane.row(y)[x] >> plane.lsb) & max_value);
            };
            std::vector<double> window{sample(src)};
            std::ranges::transform(neighbours, std::back_inserter(window), sample);
            std::ranges::sort(window);
            results.push_back(result(sample(src), window));
        }
    }
    return results;
}

}  // namespace

template <class T>
std::vector<double> reference_temporal(const TemporalMedian& median, PlaneView<const T> src,
                                       std::span<const PlaneView<const T>> neighbours) {
    return of_windows<T>(src, neighbours, median.max_value(), [](double /*sample*/, const std::vector<double>& window) {
        return window[window.size() / 2];
    });
}

template <class T>
std::vector<double> reference_temporal(const TemporalMean& mean, PlaneView<const T> src,
                                       std::span<const PlaneView<const T>> neighbours) {
    return of_windows<T>(src, neighbours, mean.max_value(), [&](double sample, const std::vector<double>& window) {
        double sum = 0;
        double count = 0;
        for (const double seen : window) {
            const bool taken = std::abs(seen - sample) <= mean.limit;
            sum += taken ? seen : 0;
            count += taken ? 1 : 0;
        }
        return sum / count;
    });
}

template std::vector<double> reference_temporal(const TemporalMedian&, PlaneView<const std::uint8_t>,
                                                std::span<const PlaneView<const std::uint8_t>>);
template std::vector<double> reference_temporal(const TemporalMedian&, PlaneView<const std::uint16_t>,
                                                std::span<const PlaneView<const std::uint16_t>>);
template std::vector<double> reference_temporal(const TemporalMean&, PlaneView<const std::uint8_t>,
                                                std::span<const PlaneView<const std::uint8_t>>);
template std::vector<double> reference_temporal(const TemporalMean&, PlaneView<const std::uint16_t>,
                                                std::span<const PlaneView<const std::uint16_t>>);

}  // namespace vfilter
