// Boxes of deep samples by running sums of 32 bits. Compiled once for each instruction set.
//
// The taps of either pass are all the same, but for one more in each of those in the middle (see quantise_equal). So a
// sum over them is the tap times a sum over the box, plus a sum over its middle, plus or less a sample. Along a row
// these are differences of prefix sums, modulo 2^32; down a column they move on by a row that comes in and one that
// goes out. With split taps the sum over the box is multiplied by either part of the tap.

#if defined(VFILTER_SIMD_BOX_DEEP_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef VFILTER_SIMD_BOX_DEEP_INL
#undef VFILTER_SIMD_BOX_DEEP_INL
#else
#define VFILTER_SIMD_BOX_DEEP_INL
#endif

#include "kernels/cpu/simd_box_deep_rows-inl.h"

HWY_BEFORE_NAMESPACE();
namespace vfilter::simd::HWY_NAMESPACE {
namespace {
#if HWY_TARGET != HWY_SCALAR && HWY_ARCH_X86

// ------------------------------------------------------------------------------------------------------ column pass

/// Rows of intermediates that a row of results is made of.
struct RunningRows {
    const std::int16_t* in;   ///< comes into the box
    const std::int16_t* out;  ///< goes out
    const std::int16_t* middle_in;
    const std::int16_t* middle_out;
    const std::int16_t* centre;
    std::uint16_t* to;
    std::uint16_t* next;           ///< of results that follow later
    const std::uint16_t* next_in;  ///< of samples
};

// Pairs of two rows.
struct RowPairs {
    V16 lower, upper;  ///< of the first four columns of each eight, and of the others
};
HWY_INLINE RowPairs pair_rows_of(const std::int16_t* first, const std::int16_t* second) {
    const D16 d16;
    const V16 a = hn::Load(d16, first);
    const V16 b = hn::Load(d16, second);
    return {hn::InterleaveLower(d16, a, b), hn::InterleaveUpper(d16, a, b)};
}

struct RunningSums {
    V32 lower, upper;

    HWY_INLINE void add(const RowPairs& pairs, V16 taps) {
        lower = dot_pairs(pairs.lower, taps, lower);
        upper = dot_pairs(pairs.upper, taps, upper);
    }
};

/// That the column pass makes at once, between which sums stay in registers.
inline constexpr int running_rows = 4;

/// Two sums of a block of columns after the other, each of lanes16() words.
HWY_INLINE RunningSums load_sums(const std::int32_t* from) {
    const D32 d32;
    return {hn::Load(d32, from), hn::Load(d32, from + hn::Lanes(d32))};
}
HWY_INLINE void store_sums(const RunningSums& sums, std::int32_t* to) {
    const D32 d32;
    hn::Store(sums.lower, d32, to);
    hn::Store(sums.upper, d32, to + hn::Lanes(d32));
}

// `columns` of so many rows of results. `sums` are those of the rows above: over the box, then over its middle.
template <RunningKind kKind, bool kMiddle, int kRows>
void running_columns(const RunningPass& all, const Band<std::uint16_t>& band, const RunningRows* rows, int columns,
                     std::int32_t* sums) {
    const RunningPass pass = all;  // which no store changes
    const int lsb = band.dst.lsb;
    const V32 start = hn::Set(D32(), pass.start);
    const V32 none = hn::Zero(D32());
    const D16 d16;
    const hn::RebindToUnsigned<D16> du;
    const int lanes = lanes16();
    const V16 moves = broadcast_pair(pair_word(1, -1));
    const V16 centre = broadcast_pair(pass.centre);
    const auto back = hn::Set(du, static_cast<std::uint16_t>(1 << (band.depth - 1)));
    for (int x = 0; x < columns; x += lanes, sums += 2 * lanes) {
        RunningSums box = load_sums(sums);
        RunningSums middle{start, start};
        if constexpr (kMiddle) {
            middle = load_sums(sums + lanes);
        }
        for (int i = 0; i < kRows; ++i) {
            const RunningRows& row = rows[i];
            fetch(row.next + x);
            fetch(row.next_in + x);
            box.add(pair_rows_of(row.in + x, row.out + x), moves);
            if constexpr (kMiddle) {
                middle.add(pair_rows_of(row.middle_in + x, row.middle_out + x), moves);
            }
            RunningSums rest = middle;
            if constexpr (kKind != RunningKind::nearest) {
                rest.add(pair_rows_of(row.centre + x, row.centre + x), centre);
            }
            const V16 result = hn::ReorderDemote2To(d16, finish_running<kKind>(pass, box.lower, rest.lower, none),
                                                    finish_running<kKind>(pass, box.upper, rest.upper, none));
            const auto stored = hn::ShiftLeftSame(hn::Add(hn::BitCast(du, result), back), lsb);
            store_some(stored, du, row.to + x, columns - x);
        }
        store_sums(box, sums);
        if constexpr (kMiddle) {
            store_sums(middle, sums + lanes);
        }
    }
}

// Adds a row of intermediates to one of the two sums of every block.
inline void add_rows(const std::int16_t* row, int columns, std::int32_t* sums) {
    const V16 one = broadcast_pair(pair_word(1, 0));
    const int lanes = lanes16();
    for (int x = 0; x < columns; x += lanes, sums += 2 * lanes) {
        RunningSums all = load_sums(sums);
        all.add(pair_rows_of(row + x, row + x), one);
        store_sums(all, sums);
    }
}

// ------------------------------------------------------------------------------------------------------------ strips

using RunningRow = void (*)(const RunningPass&, const LinePrefixes&, const std::int16_t*, int, std::int16_t*);
using RunningColumns = void (*)(const RunningPass&, const Band<std::uint16_t>&, const RunningRows*, int, std::int32_t*);

template <bool kRaw>
RunningRow running_row_of(const RunningPass& pass) {
    constexpr int most_short = 3;
    constexpr RunningRow short_rows[most_short + 1] = {short_row<0, kRaw>, short_row<1, kRaw>, short_row<2, kRaw>,
                                                       short_row<3, kRaw>};
    switch (pass.kind) {
        case RunningKind::nearest:
            return pass.radius <= most_short ? short_rows[pass.radius] : running_row<RunningKind::nearest, false, kRaw>;
        case RunningKind::split:
            return pass.middle >= 0 ? running_row<RunningKind::split, true, kRaw>
                                    : running_row<RunningKind::split, false, kRaw>;
        default:
            return pass.middle >= 0 ? running_row<RunningKind::whole, true, kRaw>
                                    : running_row<RunningKind::whole, false, kRaw>;
    }
}

template <int kRows>
RunningColumns running_columns_of(const RunningPass& pass) {
    switch (pass.kind) {
        case RunningKind::nearest:
            return running_columns<RunningKind::nearest, false, kRows>;
        case RunningKind::split:
            return pass.middle >= 0 ? running_columns<RunningKind::split, true, kRows>
                                    : running_columns<RunningKind::split, false, kRows>;
        default:
            return pass.middle >= 0 ? running_columns<RunningKind::whole, true, kRows>
                                    : running_columns<RunningKind::whole, false, kRows>;
    }
}

// Of the ring of intermediate rows: those of the box and the one that has left it, for all rows that are made at once.
constexpr int running_slots(int radius) {
    return 2 * radius + 1 + running_rows;
}

// The radius up to which lines are read where they are: the columns at either side have a scan of their own.
inline constexpr int most_raw = 32;

/// A strip of a band.
class RunningStrip {
public:
    RunningStrip(const PreparedFilter& made, const Band<std::uint16_t>& band, int left, int columns)
        : band_(band),
          left_(left),
          columns_(columns),
          along_(made.running_box.rows, made.terms.front().rows),
          down_(made.running_box.columns, made.terms.front().columns),
          width_(slot_columns(columns, band.src.step)),
          stride_(width_ + column_unit()),
          scratch_(running_scratch()),
          lines_(band, left, columns, along_.radius * band.src.step, thread_scratch(),
                 band.src.step > 1           ? Reading::apart
                 : along_.radius <= most_raw ? Reading::raw
                                             : Reading::in_place) {
        down_.start = made.running_box.start;
        slots_ = running_slots(down_.radius);
        const auto prefixes = static_cast<std::size_t>(width_ / 2 + along_.radius + 2 * lanes16());
        scratch_.prefixes.reserve(2 * round_up_size(prefixes));
        scratch_.mids.reserve(static_cast<std::size_t>(slots_) * static_cast<std::size_t>(stride_));
        scratch_.sums.reserve(2 * static_cast<std::size_t>(width_));
        scratch_.results.reserve(running_rows * static_cast<std::size_t>(width_));
        prefix_stride_ = static_cast<std::ptrdiff_t>(round_up_size(prefixes));
    }

    void filter() {
        begin();
        int y = band_.first;
        for (; y + running_rows <= band_.last; y += running_rows) {
            make_rows(y + down_.radius, running_rows);
            make_results<running_rows>(y);
        }
        for (; y < band_.last; ++y) {
            make_rows(y + down_.radius, 1);
            make_results<1>(y);
        }
    }

private:
    static std::size_t round_up_size(std::size_t count) {
        return static_cast<std::size_t>(round_up(static_cast<int>(count)));
    }
    [[nodiscard]] std::int16_t* slot(int y) const {
        const int first = band_.first - down_.radius - 1;
        return scratch_.mids.get() + std::ptrdiff_t{(y - first) % slots_} * stride_;
    }

    void begin() {
        const int radius = down_.radius;
        const int first = band_.first;
        std::fill_n(slot(first - radius - 1), stride_, std::int16_t{0});
        for (std::ptrdiff_t x = 0; x < width_; x += lanes16()) {
            std::fill_n(scratch_.sums.get() + 2 * x, lanes16(), 0);
            std::fill_n(scratch_.sums.get() + 2 * x + lanes16(), lanes16(), down_.start);
        }
        make_rows(first - radius, 2 * radius);
        for (int y = first - radius; y < first + radius; ++y) {
            add_rows(slot(y), width_, scratch_.sums.get());
        }
        const int middle = down_.middle;
        for (int y = first - 1 - middle; y < first + middle; ++y) {
            add_rows(slot(y), width_, scratch_.sums.get() + lanes16());
        }
    }

    void make_rows(int y, int count) {
        for (; count >= running_rows; count -= running_rows, y += running_rows) {
            make_some_rows<running_rows>(y);
        }
        for (; count > 0; --count, ++y) {
            make_some_rows<1>(y);
        }
    }

    template <int kRows>
    void make_some_rows(int y) {
        const LinePrefixes prefixes(scratch_.prefixes.get(), scratch_.prefixes.get() + prefix_stride_);
        lines_.template rows<kRows>(y, [&](int x, int columns, const auto& lines) {
            const RunningRow row = lines_.raw(x) ? running_row_of<true>(along_) : running_row_of<false>(along_);
            for (int i = 0; i < kRows; ++i) {
                row(along_, prefixes, lines[static_cast<std::size_t>(i)], columns, slot(y + i) + x);
            }
        });
    }

    template <int kRows>
    void make_results(int y) {
        const int step = band_.src.step;
        const int radius = down_.radius;
        const int middle = down_.middle;
        RunningRows rows[kRows];
        for (int i = 0; i < kRows; ++i) {
            const int row = y + i;
            std::uint16_t* const next = band_.dst.row(std::min(row + running_rows, band_.last - 1)) + left_;
            rows[i] = {slot(row + radius),
                       slot(row - radius - 1),
                       slot(row + middle),
                       slot(row - middle - 1),
                       slot(row),
                       step > 1 ? scratch_.results.get() + std::ptrdiff_t{i} * width_ : band_.dst.row(row) + left_,
                       next,
                       band_.src.row(std::min(row + radius + running_rows, band_.src.height - 1)) + left_};
        }
        running_columns_of<kRows>(down_)(down_, band_, rows, step > 1 ? width_ : columns_, scratch_.sums.get());
        for (int i = 0; i < kRows && step > 1; ++i) {
            put_together(rows[i].to, width_ / step, step, columns_ / step, band_.dst.row(y + i) + left_);
        }
    }

    const Band<std::uint16_t>& band_;
    int left_;
    int columns_;
    RunningPass along_;  ///< the rows
    RunningPass down_;   ///< the columns
    int width_;
    int stride_;
    int slots_ = 0;
    std::ptrdiff_t prefix_stride_ = 0;
    RunningBoxScratch& scratch_;
    StripLines<std::uint16_t> lines_;
};

// Of intermediate rows of a strip. Measured with 1 MiB of second-level cache: 24 to 256 KiB are alike for size 15, and
// slower than 512 for 101 and more.
inline constexpr int running_ring_bytes = 512 * 1024;

// Of smaller boxes products are faster: with taps of one part, and those of one instruction (VNNI) more so, or of few
// of them to a vector less.
inline bool runs_faster(const RunningBox& box, int low_bits) {
    constexpr int least = HWY_TARGET <= HWY_AVX3_DL ? 14 : HWY_TARGET <= HWY_AVX3 ? 10 : 6;
    return low_bits > 0 || box.rows.radius + box.columns.radius >= least;
}

// False where products are faster.
inline bool run_box(const PreparedFilter& made, const Band<std::uint16_t>& band) {
    if (!runs_faster(made.running_box, made.filter.low_bits)) {
        return false;
    }
    const int samples = band.src.samples();
    const int step = band.src.step;
    const int reach = made.filter.radius_x() * step;
    const int slots = running_slots(made.filter.radius_y());
    const int unit = column_unit() * step;
    const int widest = std::max(running_ring_bytes / (slots * static_cast<int>(sizeof(std::int16_t))) / unit, 1) * unit;
    const int strips = ceil_div(samples, widest);
    const int strip = std::min(widest, ceil_div(ceil_div(samples, strips), unit) * unit);
    thread_scratch().lines.reserve(StripLines<std::uint16_t>::bytes(strip, reach, step));
    for (int left = 0; left < samples; left += strip) {
        RunningStrip(made, band, left, std::min(strip, samples - left)).filter();
    }
    return true;
}

#endif  // HWY_TARGET
}  // namespace
}  // namespace vfilter::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // include guard for each target
