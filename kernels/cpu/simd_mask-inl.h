// Small exact masks of deep samples, in 32 bits. Compiled once for each instruction set.
//
// Where the row pass rounds nothing, a sum of terms is one mask, of whatever rank: each tap once, in pairs of
// neighbouring samples, and nothing between rows and columns. A magnitude has a mask for each term.

#if defined(VFILTER_SIMD_MASK_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef VFILTER_SIMD_MASK_INL
#undef VFILTER_SIMD_MASK_INL
#else
#define VFILTER_SIMD_MASK_INL
#endif

#include "kernels/cpu/simd_terms-inl.h"

HWY_BEFORE_NAMESPACE();
namespace vfilter::simd::HWY_NAMESPACE {
namespace {
#if HWY_TARGET != HWY_SCALAR

/// 32-bit words of the even and the odd columns of a block of kRows rows.
template <int kRows>
struct MaskBlock {
    Halves rows[kRows];
};

// Sums over a mask. lines[0] is the first that row 0 needs.
template <int kRows>
HWY_INLINE MaskBlock<kRows> sum_mask(const Mask& mask, const std::int16_t* const* lines, int x) {
    MaskBlock<kRows> sums;
    const V32 start = hn::Set(D32(), mask.start);
    for (int i = 0; i < kRows; ++i) {
        sums.rows[i] = {start, start};
    }
    for (const MaskPair& pair : mask.pairs) {
        const V16 even = broadcast_pair(pair.even);
        const V16 odd = broadcast_pair(pair.odd);
        for (int i = 0; i < kRows; ++i) {
            const V16 samples = hn::LoadU(D16(), lines[pair.line + i] + x + pair.column);
            sums.rows[i].even = dot_pairs(samples, even, sums.rows[i].even);
            sums.rows[i].odd = dot_pairs(samples, odd, sums.rows[i].odd);
        }
    }
    return sums;
}

/// What makes results of the sums over all masks.
template <Combine kCombine>
class MaskFinish {
public:
    explicit MaskFinish(const MaskFilter& made) : added_(made.added), shift_(made.shift), limit_(made.limit) {}

    // (isqrt(n) + 1) >> 1 = k where (2 k - 1)^2 <= n < (2 k + 1)^2. A float's root is less than 1/8 off below 2^20, so
    // that k is at most one off, and n less either square is far below 2^31: they may be modulo 2^32.
    static HWY_INLINE V32 half_root(V32 n, hn::VFromD<hn::RebindToFloat<D32>> estimate) {
        const D32 d32;
        const V32 one = hn::Set(d32, 1);
        const V32 k = hn::ShiftRight<1>(hn::Add(hn::ConvertTo(d32, hn::Sqrt(estimate)), one));
        const V32 below = hn::Sub(hn::Add(k, k), one);
        const V32 rest = hn::Sub(n, hn::Mul(below, below));
        const V32 less = hn::IfThenElseZero(hn::Lt(rest, hn::Zero(d32)), one);
        const V32 more = hn::IfThenZeroElse(hn::Lt(rest, hn::ShiftLeft<3>(k)), one);
        return hn::Max(hn::Add(hn::Sub(k, less), more), hn::Zero(d32));
    }

    HWY_INLINE V32 one(V32 sum) const {
        const V32 added = hn::Set(D32(), added_);
        if constexpr (kCombine == Combine::absolute) {
            sum = hn::Add(hn::Abs(sum), added);
        }
        return hn::ShiftRightSame(sum, shift_);
    }

    HWY_INLINE V32 magnitude(V32 first, V32 second) const {
        const D32 d32;
        const hn::RebindToFloat<D32> df;
        const V32 a = limited(first);
        const V32 b = limited(second);
        const auto x = hn::ConvertTo(df, a);
        const auto y = hn::ConvertTo(df, b);
        const V32 n = hn::Add(hn::Mul(a, a), hn::Mul(b, b));
        return hn::Add(half_root(n, hn::MulAdd(x, x, hn::Mul(y, y))), hn::Set(d32, added_));
    }

private:
    HWY_INLINE V32 limited(V32 sum) const {
        const D32 d32;
        return hn::Min(hn::Max(hn::ShiftRightSame(sum, shift_), hn::Set(d32, -limit_)), hn::Set(d32, limit_));
    }

    std::int32_t added_;
    int shift_;
    std::int32_t limit_;
};

// kRows rows of results, of which each has `columns`.
template <Combine kCombine, int kRows>
void mask_rows(const MaskFilter& made, const Band<std::uint16_t>& band, const std::int16_t* const* lines, int columns,
               std::uint16_t* const* to) {
    const MaskFinish<kCombine> finish(made);
    for (int x = 0; x < columns; x += lanes16()) {
        MaskBlock<kRows> sums = sum_mask<kRows>(made.masks.front(), lines, x);
        if constexpr (kCombine == Combine::magnitude) {
            const MaskBlock<kRows> others = sum_mask<kRows>(made.masks.back(), lines, x);
            for (int i = 0; i < kRows; ++i) {
                sums.rows[i] = {finish.magnitude(sums.rows[i].even, others.rows[i].even),
                                finish.magnitude(sums.rows[i].odd, others.rows[i].odd)};
            }
        } else {
            for (int i = 0; i < kRows; ++i) {
                sums.rows[i] = {finish.one(sums.rows[i].even), finish.one(sums.rows[i].odd)};
            }
        }
        for (int i = 0; i < kRows; ++i) {
            store_columns(sums.rows[i], band, to[i] + x, columns - x);
        }
    }
}

inline constexpr int most_mask_rows = 4;  ///< of results at once

template <Combine kCombine>
class MaskStrip {
public:
    MaskStrip(const MaskFilter& made, const Band<std::uint16_t>& band, int left, int columns, Scratch& scratch)
        : made_(made),
          band_(band),
          left_(left),
          columns_(columns),
          width_(slot_columns(columns, band.src.step)),
          lines_(band, left, columns, made.radius_x * band.src.step, scratch) {
        scratch.results.reserve(sizeof(std::uint16_t) * most_mask_rows * static_cast<std::size_t>(width_));
        results_ = reinterpret_cast<std::uint16_t*>(scratch.results.get());
    }

    template <int kRadius>
    void filter() {
        constexpr int rows = kRadius == 2 ? 2 : most_mask_rows;
        int y = band_.first;
        for (; y + rows <= band_.last; y += rows) {
            make<kRadius, rows>(y);
        }
        for (; y < band_.last; ++y) {
            make<kRadius, 1>(y);
        }
    }

private:
    template <int kRadius, int kRows>
    void make(int y) {
        const int step = band_.src.step;
        lines_.template rows<kRows + 2 * kRadius>(y - kRadius, [&](int x, int columns, const auto& lines) {
            std::uint16_t* to[kRows];
            for (int i = 0; i < kRows; ++i) {
                to[i] = step > 1 ? results_ + std::ptrdiff_t{i} * width_ + x : band_.dst.row(y + i) + left_ + x;
            }
            mask_rows<kCombine, kRows>(made_, band_, lines.data(), columns, to);
        });
        for (int i = 0; i < kRows && step > 1; ++i) {
            put_together(results_ + std::ptrdiff_t{i} * width_, width_ / step, step, columns_ / step,
                         band_.dst.row(y + i) + left_);
        }
    }

    const MaskFilter& made_;
    const Band<std::uint16_t>& band_;
    int left_;
    int columns_;
    int width_;
    StripLines<std::uint16_t> lines_;
    std::uint16_t* results_ = nullptr;
};

template <Combine kCombine>
void run_mask(const MaskFilter& made, const Band<std::uint16_t>& band, int left, int columns, Scratch& scratch) {
    MaskStrip<kCombine> strip(made, band, left, columns, scratch);
    switch (made.radius_y) {
        case 0:
            return strip.template filter<0>();
        case 1:
            return strip.template filter<1>();
        default:
            return strip.template filter<2>();
    }
}

inline void run_masks(const MaskFilter& made, const Band<std::uint16_t>& band) {
    constexpr int widest = 2048;  // columns whose lines fit the first-level cache
    const int samples = band.src.samples();
    const int step = band.src.step;
    const int unit = column_unit() * step;
    const int strip = std::min(round_up(samples), std::max(widest / unit, 1) * unit);
    Scratch& scratch = thread_scratch();
    scratch.lines.reserve(StripLines<std::uint16_t>::bytes(strip, made.radius_x * step, step));
    const auto run = made.combine == Combine::magnitude  ? run_mask<Combine::magnitude>
                     : made.combine == Combine::absolute ? run_mask<Combine::absolute>
                                                         : run_mask<Combine::sum>;
    for (int left = 0; left < samples; left += strip) {
        run(made, band, left, std::min(strip, samples - left), scratch);
    }
}

#endif  // HWY_TARGET
}  // namespace
}  // namespace vfilter::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // include guard for each target
