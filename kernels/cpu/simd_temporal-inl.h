// Medians and means over time. Compiled once for each instruction set; means are plain loops, of which the compiler
// makes vectors.

#if defined(VFILTER_SIMD_TEMPORAL_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef VFILTER_SIMD_TEMPORAL_INL
#undef VFILTER_SIMD_TEMPORAL_INL
#else
#define VFILTER_SIMD_TEMPORAL_INL
#endif

#include <algorithm>
#include <utility>

#include "kernels/cpu/simd_band.h"
#include "kernels/cpu/simd_network-inl.h"

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

/// By which the middle one of so many pictures is found.
template <int count>
inline constexpr auto window_network = median_selection(count);

/// Results for as many samples as a vector has, of which rows[i] + x are one picture's.
template <int count, class T, std::size_t... index>
HWY_INLINE void median_at(const T* const* rows, int x, const Band<T>& band, T* to,
                          std::index_sequence<index...> /*pictures*/) {
    const hn::ScalableTag<T> d;
    using V = hn::Vec<decltype(d)>;
    V values[count];
    ((values[index] = hn::LoadU(d, rows[index] + x)), ...);
    if constexpr (sizeof(T) > 1) {
        const V mask = hn::Set(d, static_cast<T>(band.max_value()));
        ((values[index] = hn::And(hn::ShiftRightSame(values[index], band.src.lsb), mask)), ...);
    }
    run_network<window_network<count>>(values);
    V middle = values[window_network<count>.results[0]];
    if constexpr (sizeof(T) > 1) {
        middle = hn::ShiftLeftSame(middle, band.dst.lsb);
    }
    hn::StoreU(middle, d, to);
}

template <int count, class T>
void filter_median(const Band<T>& band) {
    constexpr auto each = std::make_index_sequence<static_cast<std::size_t>(count)>();
    const hn::ScalableTag<T> d;
    const auto lanes = static_cast<int>(hn::Lanes(d));
    const int samples = band.src.samples();
    const T* rows[count];
    for (int y = band.first; y < band.last; ++y) {
        rows[0] = band.src.row(y);
        for (int i = 1; i < count; ++i) {
            rows[i] = band.neighbours[static_cast<std::size_t>(i - 1)].row(y);
        }
        T* const to = band.dst.row(y);
        int x = 0;
        for (; x + lanes <= samples; x += lanes) {
            median_at<count>(rows, x, band, to + x, each);
        }
        if (x == samples) {
            continue;
        }
        // The last ones are made with some that are there already, or, of a row that is too short, beside it.
        if (samples >= lanes) {
            median_at<count>(rows, samples - lanes, band, to + samples - lanes, each);
            continue;
        }
        HWY_ALIGN T beside[count + 1][HWY_MAX_BYTES / sizeof(T)] = {};
        for (int i = 0; i < count; ++i) {
            std::copy_n(rows[i], samples, beside[i]);
            rows[i] = beside[i];
        }
        median_at<count>(rows, 0, band, beside[count], each);
        std::copy_n(beside[count], samples, to);
    }
}

template <class T, int... more>
HWY_INLINE void filter_median(int count, const Band<T>& band, std::integer_sequence<int, more...> /*pairs*/) {
    ((count == 2 * more + 1 ? filter_median<2 * more + 1>(band) : void()), ...);
}

template <class T>
void filter_temporal(const TemporalMedian& median, const Band<T>& band) {
    filter_median(median.time.pictures(), band, std::make_integer_sequence<int, max_neighbours / 2 + 1>());
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
