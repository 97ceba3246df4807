// Medians and means over time. Compiled once for each instruction set. Means whose sums do not fit 16 bits are plain
// loops, of which the compiler makes vectors.

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

/// Calls make(rows, x, to) for all vectors of a band: results at `to` of samples at rows[0] + x, the picture's own, and
/// at the same place of the `count` - 1 others.
template <class T>
HWY_INLINE void for_each_vector(const Band<T>& band, int count, const auto& make) {
    const auto lanes = static_cast<int>(hn::Lanes(hn::ScalableTag<T>()));
    const int samples = band.src.samples();
    const T* rows[max_neighbours + 1];
    for (int y = band.first; y < band.last; ++y) {
        rows[0] = band.src.row(y);
        for (int i = 1; i < count; ++i) {
            rows[i] = band.neighbours[static_cast<std::size_t>(i - 1)].row(y);
        }
        T* const to = band.dst.row(y);
        int x = 0;
        for (; x + lanes <= samples; x += lanes) {
            make(rows, x, to + x);
        }
        if (x == samples) {
            continue;
        }
        // The last ones are made with some that are there already, or, of a row that is too short, beside it.
        if (samples >= lanes) {
            make(rows, samples - lanes, to + samples - lanes);
            continue;
        }
        HWY_ALIGN T beside[max_neighbours + 2][HWY_MAX_BYTES / sizeof(T)] = {};
        for (int i = 0; i < count; ++i) {
            std::copy_n(rows[i], samples, beside[i]);
            rows[i] = beside[i];
        }
        make(rows, 0, beside[count]);
        std::copy_n(beside[count], samples, to);
    }
}

template <int count, class T>
void filter_median(const Band<T>& band) {
    constexpr auto each = std::make_index_sequence<static_cast<std::size_t>(count)>();
    for_each_vector(band, count,
                    [&](const T* const* rows, int x, T* to) HWY_ATTR { median_at<count>(rows, x, band, to, each); });
}

template <class T, int... more>
HWY_INLINE void filter_median(int count, const Band<T>& band, std::integer_sequence<int, more...> /*pairs*/) {
    ((count == 2 * more + 1 ? filter_median<2 * more + 1>(band) : void()), ...);
}

template <class T>
void filter_temporal(const TemporalMedian& median, const Band<T>& band) {
    filter_median(median.time.pictures(), band, std::make_integer_sequence<int, max_neighbours / 2 + 1>());
}

#if HWY_TARGET != HWY_SCALAR
using Words = hn::ScalableTag<std::uint16_t>;
using Word = hn::Vec<Words>;

/// 65536 / m, rounded down, of m from 2 to 17: their lower bytes and their upper ones.
struct Reciprocals {
    HWY_ALIGN std::uint8_t low[16];
    HWY_ALIGN std::uint8_t high[16];
};
constexpr Reciprocals make_reciprocals() {
    Reciprocals made{};
    for (int i = 0; i < 16; ++i) {
        made.low[i] = static_cast<std::uint8_t>(65536 / (i + 2));
        made.high[i] = static_cast<std::uint8_t>(65536 / (i + 2) >> 8);
    }
    return made;
}
inline constexpr Reciprocals reciprocals = make_reciprocals();

/// (sum + m / 2) / m, rounded down; of m = 1 it is `own`. The sums are below 2^16, so that what the rounded reciprocal
/// leaves out is less than 1: the quotient is right, or one too small.
HWY_INLINE Word mean_of(Word sum, Word m, Word own) {
    const Words d;
    const hn::Repartition<std::uint8_t, Words> bytes;
    const auto place = hn::BitCast(bytes, hn::Sub(m, hn::Set(d, std::uint16_t{2})));
    const auto half = [&](const std::uint8_t* table) HWY_ATTR {
        return hn::BitCast(d, hn::TableLookupBytes(hn::LoadDup128(bytes, table), place));
    };
    const Word reciprocal = hn::Or(hn::And(half(reciprocals.low), hn::Set(d, std::uint16_t{255})),
                                   hn::ShiftLeft<8>(half(reciprocals.high)));
    const Word wanted = hn::Add(sum, hn::ShiftRight<1>(m));
    const Word quotient = hn::MulHigh(wanted, reciprocal);
    const Word rest = hn::Sub(wanted, hn::Mul(quotient, m));
    const Word one = hn::Set(d, std::uint16_t{1});
    const Word exact = hn::Add(quotient, hn::IfThenElseZero(hn::Eq(hn::SaturatedSub(m, rest), hn::Zero(d)), one));
    return hn::IfThenElse(hn::Eq(m, one), own, exact);
}

/// Bytes are worked on as the even ones and the odd ones, each in a word.
HWY_INLINE void mean_at(const std::uint8_t* const* rows, int x, int count, int limit,
                        const Band<std::uint8_t>& /*band*/, std::uint8_t* to) {
    const hn::ScalableTag<std::uint8_t> d;
    const Words words;
    const auto lower = hn::Set(words, std::uint16_t{255});
    const auto even = [&](auto v) HWY_ATTR { return hn::And(hn::BitCast(words, v), lower); };
    const auto odd = [&](auto v) HWY_ATTR { return hn::ShiftRight<8>(hn::BitCast(words, v)); };
    const auto own = hn::LoadU(d, rows[0] + x);
    const auto reach = hn::Set(d, static_cast<std::uint8_t>(std::min(limit, 255)));
    Word sums[2] = {even(own), odd(own)};
    auto counts = hn::Set(d, std::uint8_t{1});
    for (int i = 1; i < count; ++i) {
        const auto seen = hn::LoadU(d, rows[i] + x);
        // No further apart than the limit: nothing is left of the difference.
        const auto apart = hn::Or(hn::SaturatedSub(seen, own), hn::SaturatedSub(own, seen));
        const auto near = hn::VecFromMask(d, hn::Eq(hn::SaturatedSub(apart, reach), hn::Zero(d)));
        const auto taken = hn::And(seen, near);
        sums[0] = hn::Add(sums[0], even(taken));
        sums[1] = hn::Add(sums[1], odd(taken));
        counts = hn::Sub(counts, near);
    }
    const Word low = mean_of(sums[0], even(counts), even(own));
    const Word high = mean_of(sums[1], odd(counts), odd(own));
    hn::StoreU(hn::BitCast(d, hn::Or(low, hn::ShiftLeft<8>(high))), d, to);
}

HWY_INLINE void mean_at(const std::uint16_t* const* rows, int x, int count, int limit, const Band<std::uint16_t>& band,
                        std::uint16_t* to) {
    const Words d;
    const Word mask = hn::Set(d, static_cast<std::uint16_t>(band.max_value()));
    const auto load = [&](const std::uint16_t* row, int lsb)
                          HWY_ATTR { return hn::And(hn::ShiftRightSame(hn::LoadU(d, row + x), lsb), mask); };
    const Word own = load(rows[0], band.src.lsb);
    const Word reach = hn::Set(d, static_cast<std::uint16_t>(std::min(limit, 65535)));
    Word sum = own;
    Word m = hn::Set(d, std::uint16_t{1});
    for (int i = 1; i < count; ++i) {
        const Word seen = load(rows[i], band.neighbours[static_cast<std::size_t>(i - 1)].lsb);
        const Word apart = hn::Or(hn::SaturatedSub(seen, own), hn::SaturatedSub(own, seen));
        const Word near = hn::VecFromMask(d, hn::Eq(hn::SaturatedSub(apart, reach), hn::Zero(d)));
        sum = hn::Add(sum, hn::And(seen, near));
        m = hn::Sub(m, near);
    }
    hn::StoreU(hn::ShiftLeftSame(mean_of(sum, m, own), band.dst.lsb), d, to);
}
#endif

template <class T>
void filter_wide_mean(const TemporalMean& mean, const Band<T>& band) {
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

template <class T>
void filter_temporal(const TemporalMean& mean, const Band<T>& band) {
#if HWY_TARGET != HWY_SCALAR
    const int count = mean.time.pictures();
    if (count * band.max_value() + count / 2 < 65536) {
        for_each_vector(band, count, [&](const T* const* rows, int x, T* to) HWY_ATTR {
            mean_at(rows, x, count, mean.limit, band, to);
        });
        return;
    }
#endif
    filter_wide_mean(mean, band);
}

}  // namespace
}  // namespace vfilter::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // include guard for each target
