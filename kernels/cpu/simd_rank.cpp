// Medians, and operations with nothing but time: which code runs which. Built for fewer targets than simd.cpp: VNNI has
// nothing for them.

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/simd_rank.cpp"
#include <hwy/foreach_target.h>
//
#include <hwy/highway.h>

#include "kernels/cpu/rank_histogram.h"
#include "kernels/cpu/simd_operations.h"
#include "kernels/cpu/simd_rank_columns-inl.h"
#include "kernels/cpu/simd_rank_count-inl.h"
#include "kernels/cpu/simd_rank_network-inl.h"
#include "kernels/cpu/simd_temporal-inl.h"

HWY_BEFORE_NAMESPACE();
namespace vfilter::simd::HWY_NAMESPACE {
namespace {

#if HWY_TARGET != HWY_SCALAR
/// Windows that have a network: those of sizes 3, 5 and 7, and of chroma that is subsampled along x only.
template <class T>
struct NetworkInstance {
    int radius_x;
    int radius_y;
    void (*run)(const Band<T>& band, Scratch& scratch);
};
template <class T>
constexpr NetworkInstance<T> networks[] = {
    {1, 1, filter_by_network<1, 1, T>}, {2, 2, filter_by_network<2, 2, T>}, {3, 3, filter_by_network<3, 3, T>},
    {1, 2, filter_by_network<1, 2, T>}, {2, 3, filter_by_network<2, 3, T>},
};

// Samples of the largest windows for which counting pays.
constexpr int max_counted_bytes = 25;
constexpr int max_counted_words = 81;
#endif

template <class T>
void filter_median(const MedianFilter& median, const Band<T>& band) {
#if HWY_TARGET == HWY_SCALAR
    filter_scalar(median, band);
#else
    if (median.shape == WindowShape::square) {
        for (const NetworkInstance<T>& network : networks<T>) {
            if (network.radius_x == median.radius_x && network.radius_y == median.radius_y) {
                return network.run(band, thread_scratch());
            }
        }
    }
    // Counting reads the whole window once for each bit, for a vector of samples at once; histograms are moved for each
    // sample.
    const int widest = band.depth == 8 ? max_counted_bytes : max_counted_words;
    if (median.shape == WindowShape::cross || median.count() <= widest) {
        return filter_by_counting(median, band, thread_scratch());
    }
    if constexpr (sizeof(T) == 1) {
        filter_by_columns(median, band, thread_scratch());
    } else {
        filter_by_histogram(median, band);
    }
#endif
}

void median_of_window(const MedianFilter& median, const AnyBand& any) {
    std::visit([&](const auto& band) { filter_median(median, band.get()); }, any);
}
void median_of_pictures(const TemporalMedian& median, const AnyBand& any) {
    std::visit([&](const auto& band) { filter_temporal(median, band.get()); }, any);
}
void mean_of_pictures(const TemporalMean& mean, const AnyBand& any) {
    std::visit([&](const auto& band) { filter_temporal(mean, band.get()); }, any);
}

}  // namespace
}  // namespace vfilter::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace vfilter::simd {
HWY_EXPORT(median_of_window);
HWY_EXPORT(median_of_pictures);
HWY_EXPORT(mean_of_pictures);

void filter_band(const MedianFilter& median, const AnyBand& band) {
    HWY_DYNAMIC_DISPATCH(median_of_window)(median, band);
}
void filter_band(const TemporalMedian& median, const AnyBand& band) {
    HWY_DYNAMIC_DISPATCH(median_of_pictures)(median, band);
}
void filter_band(const TemporalMean& mean, const AnyBand& band) {
    HWY_DYNAMIC_DISPATCH(mean_of_pictures)(mean, band);
}

}  // namespace vfilter::simd
#endif
