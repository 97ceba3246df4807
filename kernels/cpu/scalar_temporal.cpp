// Medians and means over time as plain loops.

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "kernels/cpu/scalar.h"

namespace vfilter {

namespace {

// Calls result(sample, window) for each sample; the window holds those of all pictures, the middle one's first.
template <class T>
void filter_windows(Band<T> band, const auto& result) {
    std::vector<int> window(band.neighbours.size() + 1);
    for (int y = band.first; y < band.last; ++y) {
        for (int x = 0; x < band.src.samples(); ++x) {
            window[0] = band.own(y, x);
            for (std::size_t i = 0; i < band.neighbours.size(); ++i) {
                window[i + 1] = (band.neighbours[i].row(y)[x] >> band.src.lsb) & band.max_value();
            }
            band.dst.row(y)[x] = static_cast<T>(result(window[0], window) << band.dst.lsb);
        }
    }
}

}  // namespace

template <class T>
void filter_scalar(const TemporalMedian& median, Band<T> band) {
    filter_windows(band, [&](int /*sample*/, std::vector<int>& window) {
        const auto middle = window.begin() + median.rank();
        std::nth_element(window.begin(), middle, window.end());
        return *middle;
    });
}

template <class T>
void filter_scalar(const TemporalMean& mean, Band<T> band) {
    filter_windows(band, [&](int sample, const std::vector<int>& window) {
        int sum = sample;
        int count = 1;
        for (std::size_t i = 1; i < window.size(); ++i) {
            const bool taken = std::abs(window[i] - sample) <= mean.limit;
            sum += taken ? window[i] : 0;
            count += taken ? 1 : 0;
        }
        return TemporalMean::mean(sum, count);
    });
}

template void filter_scalar(const TemporalMedian&, Band<std::uint8_t>);
template void filter_scalar(const TemporalMedian&, Band<std::uint16_t>);
template void filter_scalar(const TemporalMean&, Band<std::uint8_t>);
template void filter_scalar(const TemporalMean&, Band<std::uint16_t>);

}  // namespace vfilter
