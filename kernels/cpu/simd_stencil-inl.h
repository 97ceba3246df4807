// Filters of bytes of radius 1 and 2 whose row pass rounds nothing: masks for edges, sharpening, matrices of whole
// numbers. Compiled once for each instruction set.
//
// What the row pass makes fits words, so it takes 16 bits where pairs take 32, and reads the line as it is, whatever
// the number of components. Taps on either side of the middle are the same but for their sign, so that two samples are
// added, or subtracted, before they are multiplied. Magnitudes stay in words up to their squares; sums go on in pairs,
// among them the sample itself with its gain.

#if defined(VFILTER_SIMD_STENCIL_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef VFILTER_SIMD_STENCIL_INL
#undef VFILTER_SIMD_STENCIL_INL
#else
#define VFILTER_SIMD_STENCIL_INL
#endif

#include "kernels/cpu/simd_pairs-inl.h"

HWY_BEFORE_NAMESPACE();
namespace vfilter::simd::HWY_NAMESPACE {
namespace {
#if HWY_TARGET != HWY_SCALAR

template <int kRadius>
struct Folded {
    V16 taps[kRadius + 1];
    bool odd;

    explicit HWY_INLINE Folded(const StencilTaps& from) : odd(from.odd) {
        for (int i = 0; i <= kRadius; ++i) {
            taps[i] = hn::Set(D16(), from.taps[static_cast<std::size_t>(i)]);
        }
    }
};

HWY_INLINE V16 fold(bool odd, V16 before, V16 after) {
    return odd ? hn::Sub(after, before) : hn::Add(after, before);
}

// One row of one term's intermediates, rounded up to whole blocks. `line` begins kRadius pixels before the first.
template <int kRadius>
void stencil_row(const StencilTaps& own, const std::uint8_t* line, int step, int columns, std::int16_t* out) {
    const Folded<kRadius> row(own);
    const std::uint8_t* const middle = line + kRadius * step;
    for (int x = 0; x < columns; x += lanes16()) {
        V16 sum = hn::Mul(load_samples(middle + x), row.taps[0]);
        for (int i = 1; i <= kRadius; ++i) {
            const V16 both = fold(row.odd, load_samples(middle + x - i * step), load_samples(middle + x + i * step));
            sum = hn::Add(sum, hn::Mul(both, row.taps[i]));
        }
        hn::Store(sum, D16(), out + x);
    }
}

/// The intermediates that the rows of a result are made of, term by term.
template <int kRadius>
using StencilRows = const std::int16_t* [max_stencil_terms][2 * kRadius + 1];

// A term's sum for a block of columns.
template <int kRadius>
HWY_INLINE V16 column_sum(const Folded<kRadius>& own, const std::int16_t* const* rows, int x) {
    const D16 d16;
    V16 sum = hn::Mul(hn::Load(d16, rows[kRadius] + x), own.taps[0]);
    for (int i = 1; i <= kRadius; ++i) {
        const V16 both = fold(own.odd, hn::Load(d16, rows[kRadius - i] + x), hn::Load(d16, rows[kRadius + i] + x));
        sum = hn::Add(sum, hn::Mul(both, own.taps[i]));
    }
    return sum;
}

// kTerms: 1 or 2.
template <int kRadius, int kTerms>
void stencil_magnitudes(const PreparedFilter& made, const StencilRows<kRadius>& rows, const std::uint8_t* /*samples*/,
                        int columns, std::uint8_t* to) {
    const D16 d16;
    const D32 d32;
    const DWord dw;
    const hn::RebindToFloat<D32> df;
    const hn::Rebind<std::uint8_t, D16> d8;
    const Stencil& stencil = made.stencil;
    const int up = stencil.up;
    const int down = stencil.down;
    const Folded<kRadius> first(stencil.terms.front().columns);
    const Folded<kRadius> second(stencil.terms.back().columns);
    const V16 rounding = hn::Set(d16, static_cast<std::int16_t>(half<int>(down)));
    const V16 added =
        hn::Set(d16, static_cast<std::int16_t>(made.filter.finish.rounded_bias() >> made.filter.finish.shift));
    const auto scaled = [&](V16 sum) HWY_ATTR {
        return hn::ShiftRightSame(hn::Add(hn::ShiftLeftSame(sum, up), rounding), down);
    };
    const auto root = [&](V16 pairs) HWY_ATTR {
        const V32 squares = dot_pairs(pairs, pairs, hn::Zero(d32));
        return hn::ConvertTo(d32, hn::Sqrt(hn::ConvertTo(df, squares)));  // see simd_terms-inl.h
    };
    for (int x = 0; x < columns; x += lanes16()) {
        const V16 own = scaled(column_sum(first, rows[0], x));
        const V16 other = kTerms == 2 ? scaled(column_sum(second, rows[kTerms - 1], x)) : hn::Zero(d16);
        const auto pairs = pair_up(d16, own, other);
        const auto whole = hn::BitCast(dw, pack_pairs(root(pairs.even), root(pairs.odd)));
        const V16 rounded = hn::BitCast(d16, hn::ShiftRight<1>(hn::Add(whole, hn::Set(dw, 1))));
        store_some(hn::DemoteTo(d8, hn::SaturatedAdd(rounded, added)), d8, to + x, columns - x);
    }
}

// Sums that fit words.
template <int kRadius, int kTerms>
void stencil_words(const PreparedFilter& made, const StencilRows<kRadius>& rows, const std::uint8_t* samples,
                   int columns, std::uint8_t* to) {
    const D16 d16;
    const hn::Rebind<std::uint8_t, D16> d8;
    const Stencil& stencil = made.stencil;
    const bool absolute = made.filter.finish.combine == Combine::absolute;
    const int shift = stencil.shift;
    const V16 added = hn::Set(d16, static_cast<std::int16_t>(stencil.added));
    constexpr int inputs = kTerms * (kRadius + 1);  // before the sample: see Stencil
    const std::int32_t pair = stencil.weights[inputs / 2];
    const auto gain_word = static_cast<std::int16_t>(inputs % 2 == 0 ? pair & 0xffff : pair >> 16);
    const V16 gain = hn::Set(d16, gain_word);
    const Folded<kRadius> first(stencil.terms.front().columns);
    const Folded<kRadius> second(stencil.terms.back().columns);
    for (int x = 0; x < columns; x += lanes16()) {
        V16 sum = column_sum(first, rows[0], x);
        if constexpr (kTerms == 2) {
            sum = hn::Add(sum, column_sum(second, rows[1], x));
        }
        if (gain_word != 0) {
            sum = hn::Add(sum, hn::Mul(gain, hn::PromoteTo(d16, load_some(d8, samples + x, columns - x))));
        }
        sum = hn::Add(absolute ? hn::Abs(sum) : sum, added);
        store_some(hn::DemoteTo(d8, hn::ShiftRightSame(sum, shift)), d8, to + x, columns - x);
    }
}

// kGain: whether the sample is one of the inputs.
template <int kRadius, int kTerms, bool kGain>
void stencil_sums(const PreparedFilter& made, const StencilRows<kRadius>& rows, const std::uint8_t* samples,
                  int columns, std::uint8_t* to) {
    constexpr int own = kTerms * (kRadius + 1);
    constexpr int inputs = own + (kGain ? 2 : 0);
    constexpr int pairs = (inputs + 1) / 2;
    const D16 d16;
    const D32 d32;
    const hn::Rebind<std::uint8_t, D16> d8;
    const Stencil& stencil = made.stencil;
    const bool absolute = made.filter.finish.combine == Combine::absolute;
    const int shift = stencil.shift;
    const V32 added = hn::Set(d32, stencil.added);
    const V32 start = absolute ? hn::Zero(d32) : added;
    const bool odd_columns[] = {stencil.terms.front().columns.odd, stencil.terms.back().columns.odd};
    V16 weights[pairs];
    for (int p = 0; p < pairs; ++p) {
        weights[p] = broadcast_pair(stencil.weights[static_cast<std::size_t>(p)]);
    }
    const auto result = [&](V32 v)
                            HWY_ATTR { return hn::ShiftRightSame(absolute ? hn::Add(hn::Abs(v), added) : v, shift); };
    for (int x = 0; x < columns; x += lanes16()) {
        V16 in[2 * pairs];
        in[2 * pairs - 1] = hn::Zero(d16);
        for (int t = 0; t < kTerms; ++t) {
            const std::int16_t* const* const from = rows[t];
            in[t * (kRadius + 1)] = hn::Load(d16, from[kRadius] + x);
            for (int i = 1; i <= kRadius; ++i) {
                in[t * (kRadius + 1) + i] =
                    fold(odd_columns[t], hn::Load(d16, from[kRadius - i] + x), hn::Load(d16, from[kRadius + i] + x));
            }
        }
        if constexpr (kGain) {
            in[own] = hn::PromoteTo(d16, load_some(d8, samples + x, columns - x));
            in[own + 1] = hn::ShiftLeft<7>(in[own]);
            static_assert(1 << 7 == Stencil::coarse);
        }
        V32 even = start;
        V32 odd = start;
        for (int p = 0; p < pairs; ++p) {
            const auto both = pair_up(d16, in[2 * p], in[2 * p + 1]);
            even = dot_pairs(both.even, weights[p], even);
            odd = dot_pairs(both.odd, weights[p], odd);
        }
        store_some(hn::DemoteTo(d8, pack_pairs(result(even), result(odd))), d8, to + x, columns - x);
    }
}

template <int kRadius, int kTerms>
auto stencil_pass(const PreparedFilter& made) {
    return made.filter.finish.combine == Combine::magnitude ? stencil_magnitudes<kRadius, kTerms>
           : made.stencil.in_words                          ? stencil_words<kRadius, kTerms>
           : made.filter.finish.gain != 0                   ? stencil_sums<kRadius, kTerms, true>
                                                            : stencil_sums<kRadius, kTerms, false>;
}

template <int kRadius>
void filter_stencil(const PreparedFilter& made, const Band<std::uint8_t>& band, int left, int columns,
                    Scratch& scratch) {
    constexpr int height = 2 * kRadius + 1;
    const Stencil& stencil = made.stencil;
    const auto terms = static_cast<int>(stencil.terms.size());
    const auto pass = terms == 2 ? stencil_pass<kRadius, 2>(made) : stencil_pass<kRadius, 1>(made);
    const int step = band.src.step;
    const std::ptrdiff_t width = round_up(columns);
    const StripLines<std::uint8_t> lines(band, left, columns, kRadius * step, scratch, Reading::copied);
    scratch.ring.reserve(static_cast<std::size_t>(width * terms * height) / 2);
    auto* const ring = reinterpret_cast<std::int16_t*>(scratch.ring.get());
    StencilRows<kRadius> rows{};
    for (int y = band.first - kRadius; y < band.last + kRadius; ++y) {
        const std::uint8_t* const line = lines.row(y);
        for (int t = 0; t < terms; ++t) {
            std::int16_t* const slot = ring + (t * height + (y - band.first + height) % height) * width;
            stencil_row<kRadius>(stencil.terms[static_cast<std::size_t>(t)].rows, line, step, columns, slot);
            std::copy_n(rows[t] + 1, height - 1, rows[t]);
            rows[t][height - 1] = slot;
        }
        const int out = y - kRadius;
        if (out >= band.first) {
            pass(made, rows, band.src.row(out) + left, columns, band.dst.row(out) + left);
        }
    }
}

#endif  // HWY_TARGET
}  // namespace
}  // namespace vfilter::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // include guard for each target
