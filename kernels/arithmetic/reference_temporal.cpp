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
std::vector<double> of_windows(const ReferencePlane<T>& plane, const auto& result) {
    const PlaneView<const T>& src = plane.src;
    std::vector<double> results;
    for (int y = 0; y < src.height; ++y) {
        for (int x = 0; x < src.samples(); ++x) {
            const auto sample = [&](const PlaneView<const T>& picture) {
                return double{1} * ((picture.row(y)[x] >> picture.lsb) & plane.max_value);
            };
            std::vector<double> window{sample(src)};
            std::ranges::transform(plane.neighbours, std::back_inserter(window), sample);
            std::ranges::sort(window);
            results.push_back(result(sample(src), window));
        }
    }
    return results;
}

}  // namespace

template <class T>
std::vector<double> reference_of(const TemporalMedian& /*median*/, const ReferencePlane<T>& plane) {
    return of_windows(plane,
                      [](double /*sample*/, const std::vector<double>& window) { return window[window.size() / 2]; });
}

template <class T>
std::vector<double> reference_of(const TemporalMean& mean, const ReferencePlane<T>& plane) {
    return of_windows(plane, [&](double sample, const std::vector<double>& window) {
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

template std::vector<double> reference_of(const TemporalMedian&, const ReferencePlane<std::uint8_t>&);
template std::vector<double> reference_of(const TemporalMedian&, const ReferencePlane<std::uint16_t>&);
template std::vector<double> reference_of(const TemporalMean&, const ReferencePlane<std::uint8_t>&);
template std::vector<double> reference_of(const TemporalMean&, const ReferencePlane<std::uint16_t>&);

}  // namespace vfilter
