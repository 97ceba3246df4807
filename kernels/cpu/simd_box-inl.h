// Boxes by running sums: of bytes, and of deeper samples whose columns' sums fit words. Compiled once for each
// instruction set.
//
// Where all taps are the same the order of the additions is free: each column's sum over the rows moves down by one
// addition and one subtraction. Along the row the sum over the box comes of a scan, or, where that has nothing for it,
// some neighbouring columns are summed up to a block, and blocks and single columns make up the box: all but the last
// step of that has room in 16 bits.

#if defined(VFILTER_SIMD_BOX_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef VFILTER_SIMD_BOX_INL
#undef VFILTER_SIMD_BOX_INL
#else
#define VFILTER_SIMD_BOX_INL
#endif

#include "kernels/cpu/simd_box_edges-inl.h"
#include "kernels/cpu/simd_box_narrow-inl.h"
#include "kernels/cpu/simd_box_scan-inl.h"
#include "kernels/cpu/simd_lines-inl.h"

HWY_BEFORE_NAMESPACE();
namespace vfilter::simd::HWY_NAMESPACE {
namespace {
#if HWY_TARGET != HWY_SCALAR

// to[x] = from[x] + from[x + step] + ... of kBlock columns, in whole vectors.
template <int kBlock>
void add_columns(const std::uint16_t* from, int step, int count, std::uint16_t* to) {
    const DWord dw;
    for (int x = 0; x < count; x += lanes16()) {
        auto sum = hn::LoadU(dw, from + x);
        for (int i = 1; i < kBlock; ++i) {
            sum = hn::Add(sum, hn::LoadU(dw, from + x + i * step));
        }
        hn::StoreU(sum, dw, to + x);
    }
}

/// From the row that is worked on to that which is fetched meanwhile.
inline constexpr int rows_ahead = 2;

/// Sums of single columns and, of bytes and if they are wanted, of blocks of some neighbouring ones.
template <class T>
class ColumnSums {
public:
    ColumnSums(const LinearFilter& filter, const Band<T>& band, bool in_blocks, Scratch& scratch)
        : band_(band),
          width_(static_cast<int>(filter.terms[0].rows.size())),
          height_(static_cast<int>(filter.terms[0].columns.size())),
          step_(band.src.step),
          reach_(width_ / 2 * step_),
          block_(in_blocks ? cheapest_block(width_, height_) : 1),
          front_(round_up(in_blocks ? reach_ : 2 * reach_ + lanes16() + reach_ + step_)),
          edges_(band, width_ / 2, scratch) {
        stride_ = round_up(front_ + band.src.samples() + reach_) + max_block * step_ + column_unit();
        scratch.words.reserve(2 * static_cast<std::size_t>(stride_));
        sums_ = scratch.words.get();
        std::fill_n(sums_, front_ - reach_, std::uint16_t{0});
    }

    void begin(int y) {
        const int samples = band_.src.samples();
        std::fill_n(own(), samples, std::uint16_t{0});
        for (int row = y - height_ / 2; row <= y + height_ / 2; ++row) {
            add(line(row), nullptr, next_line(row), 0, samples);
        }
        spread();
    }
    /// From row y - 1 to row y.
    void advance(int y) {
        add(line_in(y), line_out(y), next_in(y), 0, band_.src.samples());
        spread();
    }
    /// The same of the first vector and of the last two, and of what lies outside the picture.
    void advance_ends(int y) {
        const int samples = band_.src.samples();
        add(line_in(y), line_out(y), next_in(y), 0, lanes16());
        add(line_in(y), line_out(y), next_in(y), ((samples - 1) / lanes16() - 1) * lanes16(), samples);
        spread();
    }
    /// Rows that come in and go out between y - 1 and y. Null where the constant stands.
    [[nodiscard]] const T* line_in(int y) const { return line(y + height_ / 2); }
    [[nodiscard]] const T* line_out(int y) const { return line(y - height_ / 2 - 1); }
    /// One that comes in later.
    [[nodiscard]] const T* next_in(int y) const { return next_line(y + height_ / 2); }
    /// Of column 0 on.
    [[nodiscard]] std::uint16_t* own() { return sums_ + front_; }
    [[nodiscard]] int width() const { return width_; }
    [[nodiscard]] int step() const { return step_; }
    [[nodiscard]] int block() const { return block_; }
    [[nodiscard]] int reach() const { return reach_; }
    /// Sums of one component from column x - reach on: of single columns, and of blocks.
    [[nodiscard]] const std::uint16_t* columns() const { return sums_ + front_ - reach_; }
    [[nodiscard]] const std::uint16_t* blocks() const { return sums_ + stride_; }
    /// As long a row as that of the columns, where there are no blocks.
    [[nodiscard]] std::uint16_t* spare() { return sums_ + stride_; }

private:
    static constexpr int max_block = 8;

    // How many columns to a block take the fewest reads: of the columns for each block, and then of blocks and columns
    // for each result, which cost twice that where they are widened.
    static int cheapest_block(int width, int height) {
        constexpr int max_sum = 0xffff;
        const int widened = width * height * 255 > max_sum ? 2 : 1;
        int best = 1;
        int fewest = widened * width;
        for (int block = 2; block <= max_block && block * height * 255 <= max_sum; ++block) {
            const int reads = block + 1 + widened * (width / block + width % block);
            if (reads <= fewest) {
                best = block;
                fewest = reads;
            }
        }
        return best;
    }

    // Null where the constant stands.
    [[nodiscard]] const T* line(int y) const {
        const int row = border_index(y, band_.src.height, band_.border);
        return row < 0 ? nullptr : band_.src.row(row);
    }

    [[nodiscard]] const T* next_line(int y) const {
        return band_.src.row(std::clamp(y + rows_ahead, 0, band_.src.height - 1));
    }

    // Of the samples from `x` up to `end`; `next` is a row that comes in later.
    void add(const T* in, const T* out, const T* next, int x, int end) {
        const DWord dw;
        const int lanes = lanes16();
        std::uint16_t* const to = own();
        const auto black = hn::Set(dw, static_cast<std::uint16_t>(band_.black));
        const bool leaves = out != nullptr || started_;
        const int lsb = band_.src.lsb;
        const auto mask = hn::Set(dw, static_cast<std::uint16_t>(band_.max_value()));
        const auto load = [&](const T* from) HWY_ATTR {
            if constexpr (sizeof(T) == 1) {
                return hn::PromoteTo(dw, hn::LoadU(hn::Rebind<std::uint8_t, DWord>(), from));
            } else {
                return hn::And(hn::ShiftRightSame(hn::LoadU(dw, from), lsb), mask);
            }
        };
        for (; x + lanes <= end; x += lanes) {
            fetch(next + x);
            auto sum = hn::LoadU(dw, to + x);
            sum = hn::Add(sum, in != nullptr ? load(in + x) : black);
            if (leaves) {
                sum = hn::Sub(sum, out != nullptr ? load(out + x) : black);
            }
            hn::StoreU(sum, dw, to + x);
        }
        const auto sample = [&](const T* from) {
            return from == nullptr ? band_.black : (from[x] >> lsb) & band_.max_value();
        };
        for (; x < end; ++x) {
            to[x] = static_cast<std::uint16_t>(to[x] + sample(in) - (leaves ? sample(out) : 0));
        }
    }

    void spread() {
        started_ = true;
        edges_.spread(own(), static_cast<std::uint16_t>(band_.black * height_));
        if (block_ > 1) {
            constexpr decltype(&add_columns<1>) add_columns_of[max_block + 1] = {
                nullptr,        nullptr,        add_columns<2>, add_columns<3>, add_columns<4>,
                add_columns<5>, add_columns<6>, add_columns<7>, add_columns<8>};
            // Whole vectors read beyond what counts, and what they make of it is not read.
            add_columns_of[block_](columns(), step_, band_.src.samples() + 2 * reach_, sums_ + stride_);
        }
    }

    const Band<T>& band_;
    int width_;
    int height_;
    int step_;
    int reach_;  ///< samples on either side
    int block_;  ///< columns
    int front_;  ///< samples before column 0, which lies where vectors are aligned
    bool started_ = false;
    std::ptrdiff_t stride_ = 0;
    std::uint16_t* sums_ = nullptr;
    ColumnEdges edges_;
};

/// How a row's sums become results.
struct BoxRow {
    static constexpr int max_parts = 65535 / 255;  // boxes whose rows' sums fit 16 bits are no wider
    const std::uint16_t* parts[max_parts];         ///< sums that make up the box, for column 0
    int count;
    std::int32_t tap;
    int shift;
};

// kParts: their number if the compiler knows it, or 0.
template <int kParts>
void finish_box(const BoxRow& row, int samples, std::uint8_t* to) {
    const D32 d32;
    const hn::Rebind<std::uint16_t, D32> d16;
    const hn::Rebind<std::uint8_t, D32> d8;
    const int lanes = static_cast<int>(hn::Lanes(d32));
    const V32 tap = hn::Set(d32, row.tap);
    const V32 rounding = hn::Set(d32, half<std::int32_t>(row.shift));
    const int count = kParts != 0 ? kParts : row.count;
    const auto result = [&](int x) HWY_ATTR {
        V32 sum = hn::PromoteTo(d32, hn::LoadU(d16, row.parts[0] + x));
        for (int i = 1; i < count; ++i) {
            sum = hn::Add(sum, hn::PromoteTo(d32, hn::LoadU(d16, row.parts[i] + x)));
        }
        return hn::DemoteTo(d8, hn::ShiftRightSame(hn::Add(hn::Mul(sum, tap), rounding), row.shift));
    };
    int x = 0;
    for (; x + 2 * lanes <= samples; x += 2 * lanes) {
        const auto first = result(x);
        const auto second = result(x + lanes);
        hn::StoreU(first, d8, to + x);
        hn::StoreU(second, d8, to + x + lanes);
    }
    for (; x < samples; x += lanes) {
        HWY_ALIGN std::uint8_t rest[HWY_MAX_BYTES];
        hn::StoreU(result(x), d8, rest);
        std::memcpy(to + x, rest, static_cast<std::size_t>(std::min(lanes, samples - x)));
    }
}

// The same where the whole box's sum fits 16 bits. With T >= 17 nothing below bit 16 of the product decides, as what is
// added has no bits there; and 255 * 2^8 + 2^7, the most with T <= 24, fits as well.
template <int kParts>
void finish_small_box(const BoxRow& row, int samples, std::uint8_t* to) {
    const DWord dw;
    const hn::Rebind<std::uint8_t, DWord> d8;
    const auto tap = hn::Set(dw, static_cast<std::uint16_t>(row.tap));
    const auto rounding = hn::Set(dw, static_cast<std::uint16_t>(half<std::int32_t>(row.shift) >> 16));
    const int shift = row.shift - 16;
    const int count = kParts != 0 ? kParts : row.count;
    for (int x = 0; x < samples; x += lanes16()) {
        auto sum = hn::LoadU(dw, row.parts[0] + x);
        for (int i = 1; i < count; ++i) {
            sum = hn::Add(sum, hn::LoadU(dw, row.parts[i] + x));
        }
        const auto result = hn::ShiftRightSame(hn::Add(hn::MulHigh(sum, tap), rounding), shift);
        store_some(hn::DemoteTo(d8, hn::BitCast(D16(), result)), d8, to + x, samples - x);
    }
}

// finish(row's results, those of one that follows) for each row of the band.
template <class T, class Finish>
void filter_rows(ColumnSums<T>& sums, const Band<T>& band, const Finish& finish) {
    for (int y = band.first; y < band.last; ++y) {
        if (y == band.first) {
            sums.begin(y);
        } else {
            sums.advance(y);
        }
        finish(band.dst.row(y), band.dst.row(std::min(y + rows_ahead, band.last - 1)));
    }
}

// Of fewer columns blocks are as fast, or faster, or products of deeper samples.
inline constexpr int narrowest_scan = 11;

inline void filter_box(const LinearFilter& filter, const Band<std::uint8_t>& band, Scratch& scratch) {
    const auto width = static_cast<int>(filter.terms[0].rows.size());
    const auto height = static_cast<int>(filter.terms[0].columns.size());
    BoxRow row{{}, 0, filter.terms[0].columns[0], filter.finish.shift};
    const bool small = width * height * 255 <= 0xffff && row.shift >= 17 && row.shift <= 24;
    const ScanRow scan = width >= narrowest_scan ? scan_of(band.src.step, small, width, height) : nullptr;
    const int samples = band.src.samples();
    const FilterNarrowRow narrow = small && samples >= narrow_samples ? narrow_of(width, band.src.step) : nullptr;
    ColumnSums<std::uint8_t> sums(filter, band, scan == nullptr && narrow == nullptr, scratch);
    if (scan != nullptr) {
        const ScannedRow scanned{.columns = sums.own(),
                                 .reach = sums.reach(),
                                 .samples = samples,
                                 .tap = row.tap,
                                 .shift = row.shift,
                                 .prefixes = sums.spare()};
        return filter_rows(sums, band, [&](std::uint8_t* to, std::uint8_t* next) { scan(scanned, to, next); });
    }
    int done = 0;
    for (; sums.block() > 1 && done + sums.block() <= sums.width(); done += sums.block()) {
        row.parts[row.count++] = sums.blocks() + std::ptrdiff_t{done} * sums.step();
    }
    for (; done < sums.width(); ++done) {
        row.parts[row.count++] = sums.columns() + std::ptrdiff_t{done} * sums.step();
    }
    constexpr int most = 8;  // parts that the compiler knows of
    constexpr decltype(&finish_box<0>) finish_of[2][most + 1] = {
        {finish_box<0>, finish_box<0>, finish_box<0>, finish_box<3>, finish_box<4>, finish_box<5>, finish_box<6>,
         finish_box<7>, finish_box<8>},
        {finish_small_box<0>, finish_small_box<0>, finish_small_box<0>, finish_small_box<3>, finish_small_box<4>,
         finish_small_box<5>, finish_small_box<6>, finish_small_box<7>, finish_small_box<8>}};
    const auto finish = finish_of[small ? 1 : 0][row.count <= most ? row.count : 0];
    if (narrow == nullptr) {
        return filter_rows(sums, band, [&](std::uint8_t* to, std::uint8_t* /*next*/) { finish(row, samples, to); });
    }
    for (int y = band.first; y < band.last; ++y) {
        std::uint8_t* const next_to = band.dst.row(std::min(y + rows_ahead, band.last - 1));
        const NarrowRow here{sums.own(), sums.line_in(y), sums.line_out(y), sums.next_in(y),
                             next_to,    samples,         row.tap,          row.shift};
        if (y > band.first && here.in != nullptr && here.out != nullptr) {
            sums.advance_ends(y);
            narrow(here, band.dst.row(y));
            continue;
        }
        if (y == band.first) {
            sums.begin(y);
        } else {
            sums.advance(y);
        }
        finish(row, samples, band.dst.row(y));
    }
}

// False where another code does it.
inline bool filter_box(const LinearFilter& filter, const Band<std::uint16_t>& band, Scratch& scratch) {
    const std::size_t width = filter.uniform ? filter.terms[0].rows.size() : 0;
    const std::size_t height = filter.uniform ? filter.terms[0].columns.size() : 0;
    const bool fits = height * static_cast<std::size_t>(filter.max_value()) <= 0xffff;
    const ScanDeepRow scan = fits && width >= narrowest_scan ? deep_scan_of(band.src.step) : nullptr;
    if (scan == nullptr) {
        return false;
    }
    ColumnSums<std::uint16_t> sums(filter, band, false, scratch);
    const ScannedRow scanned{sums.columns() + sums.reach(), sums.reach(),        band.src.samples(),
                             filter.terms[0].columns[0],    filter.finish.shift, band.dst.lsb};
    filter_rows(sums, band, [&](std::uint16_t* to, std::uint16_t* /*next*/) { scan(scanned, to); });
    return true;
}

#endif  // HWY_TARGET
}  // namespace
}  // namespace vfilter::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // include guard for each target
