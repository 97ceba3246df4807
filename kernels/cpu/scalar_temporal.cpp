// Medians and means over time as plain loops.

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "kernels/cpu/scalar.h"

namespace vfilter {

namespace {

// Calls result(sample, window) for each sample; the window holds those of all pictures, the middle one's first.
template <class T>
void filter_windows(const auto& made, PlaneView<const T> src, Neighbours<T> neighbours, PlaneView<T> dst, int first,
                    int last, const auto& result) {
    std::vector<int> window(neighbours.size() + 1);
    for (int y = first; y < last; ++y) {
        for (int x = 0; x < src.samples(); ++x) {
            window[0] = (src.row(y)[x] >> src.lsb) & made.max_value();
            for (std::size_t i = 0; i < neighbours.size(); ++i) {
                window[i + 1] = (neighbours[i].row(y)[x] >> src.lsb) & made.max_value();
            }
            dst.row(y)[x] = static_cast<T>(result(window[0], window) << dst.lsb);
        }
    }
}

}  // namespace

template <class T>
void filter_scalar(const TemporalMedian& median, PlaneView<const T> src, Neighbours<T> neighbours, PlaneView<T> dst,
                   Border /*border*/, int /*black*/, int first, int last) {
    filter_windows<T>(median, src, neighbours, dst, first, last, [&](int /*sample*/, std::vector<int>& window) {
        const auto middle = window.begin() + median.rank();
        std::nth_element(window.begin(), middle, window.end());
        return *middle;
    });
}

template <class T>
void filter_scalar(const TemporalMean& mean, PlaneView<const T> src, Neighbours<T> neighbours, PlaneView<T> dst,
                   Border /*border*/, int /*black*/, int first, int last) {
    filter_windows<T>(mean, src, neighbours, dst, first, last, [&](int sample, const std::vector<int>& window) {
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

template void filter_scalar(const TemporalMedian&, PlaneView<const std::uint8_t>, Neighbours<std::uint8_t>,
                            PlaneView<std::uint8_t>, Border, int, int, int);
template void filter_scalar(const TemporalMedian&, PlaneView<const std::uint16_t>, Neighbours<std::uint16_t>,
                            PlaneView<std::uint16_t>, Border, int, int, int);
template void filter_scalar(const TemporalMean&, PlaneView<const std::uint8_t>, Neighbours<std::uint8_t>,
                            PlaneView<std::uint8_t>, Border, int, int, int);
template void filter_scalar(const TemporalMean&, PlaneView<const std::uint16_t>, Neighbours<std::uint16_t>,
                            PlaneView<std::uint16_t>, Border, int, int, int);

}  // namespace vfilter
