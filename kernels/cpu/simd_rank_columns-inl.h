// Medians of large square windows of bytes, at a price that does not grow with the window (Perreault and Hebert, 2007).
// Compiled once for each instruction set.
//
// Every column has a histogram of the samples in it that the window's height covers, which moves down with the rows;
// the window's is the sum of its columns', which moves along the row. There are two levels: 16 groups of values, and
// the 16 values of each group. Both are kept as sums over all smaller values, so that a sample is added as a row of a
// table, and a rank found by counting lanes. A group's values are summed up where the median lies in it, from where
// that was last done.

#if defined(VFILTER_SIMD_RANK_COLUMNS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef VFILTER_SIMD_RANK_COLUMNS_INL
#undef VFILTER_SIMD_RANK_COLUMNS_INL
#else
#define VFILTER_SIMD_RANK_COLUMNS_INL
#endif

#include <algorithm>
#include <array>

#include "kernels/cpu/simd_rank_lines-inl.h"

HWY_BEFORE_NAMESPACE();
namespace vfilter::simd::HWY_NAMESPACE {
namespace {
#if HWY_TARGET != HWY_SCALAR

/// Bins of a level.
inline constexpr int level_bins = 16;

// Sixteen sums, as many to a vector as there are lanes.
using DSum = hn::CappedTag<std::int16_t, level_bins>;
using DBin = hn::Rebind<std::uint8_t, DSum>;
using VSum = hn::VFromD<DSum>;
inline constexpr int sum_lanes = static_cast<int>(HWY_MIN(hn::MaxLanes(DSum()), std::size_t{level_bins}));
inline constexpr int sum_vectors = level_bins / sum_lanes;

/// Sums of a window: how many samples are in the bins up to each.
struct WindowSums {
    VSum vectors[sum_vectors];

    HWY_INLINE void clear() {
        for (VSum& vector : vectors) {
            vector = hn::Zero(DSum());
        }
    }
    HWY_INLINE void add(const std::uint8_t* column) {
        for (int i = 0; i < sum_vectors; ++i) {
            vectors[i] = hn::Add(vectors[i], of(column, i));
        }
    }
    HWY_INLINE void move(const std::uint8_t* in, const std::uint8_t* out) {
        for (int i = 0; i < sum_vectors; ++i) {
            vectors[i] = hn::Add(vectors[i], hn::Sub(of(in, i), of(out, i)));
        }
    }
    HWY_INLINE void load(const std::int16_t* from) {
        for (int i = 0; i < sum_vectors; ++i) {
            vectors[i] = hn::Load(DSum(), from + i * sum_lanes);
        }
    }
    HWY_INLINE void store(std::int16_t* to) const {
        for (int i = 0; i < sum_vectors; ++i) {
            hn::Store(vectors[i], DSum(), to + i * sum_lanes);
        }
    }
    /// The bin of that rank.
    HWY_INLINE int find(int rank) const {
        const VSum limit = hn::Set(DSum(), static_cast<std::int16_t>(rank));
        int bin = level_bins;
        for (const VSum& vector : vectors) {
            bin -= static_cast<int>(hn::CountTrue(DSum(), hn::Gt(vector, limit)));
        }
        return bin;
    }

private:
    static HWY_INLINE VSum of(const std::uint8_t* column, int i) {
        return hn::PromoteTo(DSum(), hn::LoadU(DBin(), column + i * sum_lanes));
    }
};

/// The histograms of the columns of a strip: sixteen sums of groups for each column, and then of the values of group 0
/// for each column, of group 1...
struct ColumnHistograms {
    std::uint8_t* groups;
    std::uint8_t* values;
    std::ptrdiff_t level;  ///< bytes from one group's values to the next one's

    ColumnHistograms(std::uint8_t* memory, int columns)
        : groups(memory),
          values(memory + std::ptrdiff_t{level_bins} * columns),
          level(std::ptrdiff_t{level_bins} * columns) {
        std::fill_n(memory, bytes(columns), std::uint8_t{0});
    }
    static std::size_t bytes(int columns) { return static_cast<std::size_t>(columns) * level_bins * (1 + level_bins); }
};

/// What a sample adds to the sums of a level, by its bin.
struct BinRows {
    HWY_ALIGN std::uint8_t rows[level_bins][level_bins] = {};

    BinRows() {
        for (int bin = 0; bin < level_bins; ++bin) {
            for (int i = 0; i < level_bins; ++i) {
                rows[bin][i] = i >= bin ? 1 : 0;
            }
        }
    }
};

/// Counts the samples of a row, each `step` from the next, into their columns, and out those of another one, if any.
template <bool loses>
void count_rows(const ColumnHistograms& histograms, const BinRows& bins, int columns, const std::uint8_t* gained,
                const std::uint8_t* lost, int step) {
    const hn::FixedTag<std::uint8_t, level_bins> d;
    const auto row = [&](int bin) { return hn::Load(d, bins.rows[bin]); };
    std::uint8_t* HWY_RESTRICT groups = histograms.groups;
    std::uint8_t* HWY_RESTRICT values = histograms.values;
    const std::ptrdiff_t level = histograms.level;
    for (int i = 0; i < columns; ++i, groups += level_bins, values += level_bins) {
        const int in = gained[i * step];
        auto sums = hn::Add(hn::Load(d, groups), row(in / level_bins));
        std::uint8_t* const in_group = values + in / level_bins * level;
        hn::Store(hn::Add(hn::Load(d, in_group), row(in % level_bins)), d, in_group);
        if constexpr (loses) {
            const int out = lost[i * step];
            sums = hn::Sub(sums, row(out / level_bins));
            std::uint8_t* const out_group = values + out / level_bins * level;
            hn::Store(hn::Sub(hn::Load(d, out_group), row(out % level_bins)), d, out_group);
        }
        hn::Store(sums, d, groups);
    }
}

/// The medians of a row of a strip, each `step` from the next.
inline void median_row(const ColumnHistograms& histograms, int radius, int rank, int count,
                       std::uint8_t* HWY_RESTRICT to, int step) {
    const int width = 2 * radius + 1;
    HWY_ALIGN std::int16_t kept[level_bins][level_bins];  // values of each group, as they were...
    std::array<int, level_bins> left{};                   // ...when the window began at that column
    left.fill(-width);
    WindowSums groups{};
    groups.clear();
    for (int i = 0; i < width; ++i) {
        groups.add(histograms.groups + i * level_bins);
    }
    WindowSums values{};
    values.clear();
    int last = -1;
    const std::uint8_t* column = nullptr;  // the values of the last group, in the window's first column
    for (int x = 0; x < count; ++x) {
        if (x > 0) {
            const std::uint8_t* const out = histograms.groups + (x - 1) * level_bins;
            groups.move(out + width * level_bins, out);
        }
        HWY_ALIGN std::int16_t sums[level_bins];
        groups.store(sums);
        const int group = groups.find(rank);
        if (HWY_LIKELY(group == last)) {
            values.move(column + width * level_bins, column);
            column += level_bins;
        } else {
            if (last >= 0) {
                values.store(kept[last]);
                left[static_cast<std::size_t>(last)] = x - 1;
            }
            last = group;
            column = histograms.values + group * histograms.level + x * level_bins;
            const int moves = x - left[static_cast<std::size_t>(group)];
            if (2 * moves < width) {
                values.load(kept[group]);
                for (const std::uint8_t* out = column - moves * level_bins; out != column; out += level_bins) {
                    values.move(out + width * level_bins, out);
                }
            } else {
                values.clear();
                for (int i = 0; i < width; ++i) {
                    values.add(column + i * level_bins);
                }
            }
        }
        const int rest = group == 0 ? rank : rank - sums[group - 1];
        to[x * step] = static_cast<std::uint8_t>(group * level_bins + values.find(rest));
    }
}

inline void filter_by_columns(const MedianFilter& median, const Band<std::uint8_t>& band, Scratch& scratch) {
    const PlaneView<const std::uint8_t>& src = band.src;
    const int step = src.step;
    const int radius = median.radius_x;
    const int reach = radius * step;
    constexpr int strip = 512;  // with a halo their histograms fit the second-level cache
    const BinRows bins;
    const int widest = std::min(strip, src.width) + 2 * radius;
    scratch.words.reserve(ColumnHistograms::bytes(widest) / sizeof(std::uint16_t));
    // What comes in and what goes out are an odd number of rows apart.
    LineRing<std::uint8_t> ring(band, reach, 2, scratch);
    for (int left = 0; left < src.width; left += strip) {
        const int count = std::min(strip, src.width - left);
        const int columns = count + 2 * radius;
        for (int component = 0; component < step; ++component) {
            ColumnHistograms histograms(reinterpret_cast<std::uint8_t*>(scratch.words.get()), columns);
            const int first = left * step + component;
            for (int y = band.first - median.radius_y; y < band.first + median.radius_y; ++y) {
                count_rows<false>(histograms, bins, columns, ring.row(y) + first - reach, nullptr, step);
            }
            for (int y = band.first; y < band.last; ++y) {
                const std::uint8_t* const gained = ring.row(y + median.radius_y) + first - reach;
                if (y == band.first) {
                    count_rows<false>(histograms, bins, columns, gained, nullptr, step);
                } else {
                    count_rows<true>(histograms, bins, columns, gained,
                                     ring.row(y - median.radius_y - 1) + first - reach, step);
                }
                median_row(histograms, radius, median.rank(), count, band.dst.row(y) + first, step);
            }
        }
    }
}

#endif  // HWY_TARGET
}  // namespace
}  // namespace vfilter::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // include guard for each target
