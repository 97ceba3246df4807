// Medians and means over time. Compiled once for each instruction set: plain loops, of which the compiler makes
// vectors.

#if defined(VFILTER_SIMD_TEMPORAL_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef VFILTER_SIMD_TEMPORAL_INL
#undef VFILTER_SIMD_TEMPORAL_INL
#else
#define VFILTER_SIMD_TEMPORAL_INL
#endif

#include <algorithm>

#include "kernels/cpu/simd_band.h"

HWY_BEFORE_NAMESPACE();
namespace vfilter::simd::HWY_NAMESPACE {
namespace {

/// Samples that are worked on at once: those of a whole window stay in the first-level cache.
inline constexpr int temporal_columns = 256;

template <class T>
HWY_INLINE void copy_column(const PlaneView<const T>& plane, int y, int left, int count, int mask,
                            T* HWY_RESTRICT column) {
    const T* HWY_RESTRICT const from = plane.row(y) + left;
    const int lsb = plane.lsb;
    for (int x = 0; x < count; ++x) {
        column[x] = static_cast<T>((from[x] >> lsb) & mask);
    }
}

// Puts the smaller one of each two into `low`.
template <class T>
HWY_INLINE void order(T* HWY_RESTRICT low, T* HWY_RESTRICT high) {
    for (int x = 0; x < temporal_columns; ++x) {
        const T a = low[x];
        const T b = high[x];
        low[x] = std::min(a, b);
        high[x] = std::max(a, b);
    }
}

template <class T, class Result>
HWY_INLINE void filter_columns(const Band<T>& band, const Result& result) {
    HWY_ALIGN T columns[max_neighbours + 1][temporal_columns] = {};
    const auto count = static_cast<int>(band.neighbours.size());
    for (int y = band.first; y < band.last; ++y) {
        for (int left = 0; left < band.src.samples(); left += temporal_columns) {
            const int width = std::min(temporal_columns, band.src.samples() - left);
            copy_column(band.src, y, left, width, band.max_value(), columns[0]);
            for (int i = 0; i < count; ++i) {
                copy_column(band.neighbours[static_cast<std::size_t>(i)], y, left, width, band.max_value(),
                            columns[i + 1]);
            }
            const T* HWY_RESTRICT const made = result(columns, count + 1);
            T* HWY_RESTRICT const to = band.dst.row(y) + left;
            const int lsb = band.dst.lsb;
            for (int x = 0; x < width; ++x) {
                to[x] = static_cast<T>(made[x] << lsb);
            }
        }
    }
}

// The smallest ones are found one after another, up to the middle one.
template <class T>
void filter_temporal(const TemporalMedian& median, const Band<T>& band) {
    filter_columns(band, [&](T(*columns)[temporal_columns], int count) HWY_ATTR {
        for (int i = 0; i <= median.rank(); ++i) {
            for (int j = i + 1; j < count; ++j) {
                order(columns[i], columns[j]);
            }
        }
        return columns[median.rank()];
    });
}

template <class T>
void filter_temporal(const TemporalMean& mean, const Band<T>& band) {
    HWY_ALIGN T results[temporal_columns];
    filter_columns(band, [&](T(*columns)[temporal_columns], int count) HWY_ATTR {
        HWY_ALIGN int sums[temporal_columns] = {};
        HWY_ALIGN int counts[temporal_columns] = {};
        const int limit = mean.limit;
        const T* HWY_RESTRICT const own = columns[0];
        for (int i = 0; i < count; ++i) {
            const T* HWY_RESTRICT const seen = columns[i];
            for (int x = 0; x < temporal_columns; ++x) {
                const int difference = seen[x] - own[x];
                const int taken = (difference < 0 ? -difference : difference) <= limit ? 1 : 0;
                sums[x] += taken * seen[x];
                counts[x] += taken;
            }
        }
        // Exact: the quotient is below 2^16 and, if it is no whole number, at least 1/17 away from one.
        for (int x = 0; x < temporal_columns; ++x) {
            const int sum = sums[x] + counts[x] / 2;
            results[x] = static_cast<T>(static_cast<int>(static_cast<float>(sum) / static_cast<float>(counts[x])));
        }
        return static_cast<const T*>(results);
    });
}

}  // namespace
}  // namespace vfilter::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // include guard for each target
