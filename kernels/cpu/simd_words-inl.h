// Bytes under short binomial kernels (the Gaussians of size 3 and 5), in 16-bit words. Compiled once for each
// instruction set.
//
// Sums that are exact in 16 bits leave room for twice as many columns in one instruction as pairs do, and the column
// pass needs additions alone: 1 4 6 4 1 is four times 1 1, so that each of four levels adds to a row the row before it,
// and keeps it for the next. These last rows are the whole state, there is no ring. The even columns and the odd ones
// of a block of 2 * lanes columns stay in vectors of their own until their high bytes, the results, meet in picture
// order.

#if defined(VFILTER_SIMD_WORDS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef VFILTER_SIMD_WORDS_INL
#undef VFILTER_SIMD_WORDS_INL
#else
#define VFILTER_SIMD_WORDS_INL
#endif

#include "kernels/cpu/simd_lines-inl.h"

HWY_BEFORE_NAMESPACE();
namespace vfilter::simd::HWY_NAMESPACE {
namespace {
#if HWY_TARGET != HWY_SCALAR

using DByte = hn::Repartition<std::uint8_t, DWord>;
using VWord = hn::VFromD<DWord>;
using VByte = hn::VFromD<DByte>;

// a[2i] * taps[2i] + a[2i+1] * taps[2i+1] as words: no sum reaches 2^15, see prepare_words.
HWY_INLINE VWord dot_bytes(VByte a, VByte taps) {
    const DWord dw;
#if HWY_MAJOR > 1 || HWY_MINOR >= 1
    const hn::RebindToSigned<DByte> di8;
    return hn::BitCast(dw, hn::SatWidenMulPairwiseAdd(D16(), a, hn::BitCast(di8, taps)));
#elif HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3
    return VWord{_mm512_maddubs_epi16(a.raw, taps.raw)};
#elif HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2
    return VWord{_mm256_maddubs_epi16(a.raw, taps.raw)};
#elif HWY_ARCH_X86 && HWY_TARGET <= HWY_SSSE3
    return VWord{_mm_maddubs_epi16(a.raw, taps.raw)};
#else
    const VWord low = hn::Set(dw, 0xff);
    const VWord even = hn::Mul(hn::And(hn::BitCast(dw, a), low), hn::And(hn::BitCast(dw, taps), low));
    const VWord odd = hn::Mul(hn::ShiftRight<8>(hn::BitCast(dw, a)), hn::ShiftRight<8>(hn::BitCast(dw, taps)));
    return hn::Add(even, odd);
#endif
}

// Pairs of taps for the even and the odd columns, as PairedTaps has them.
template <int kRadius>
struct ByteTaps {
    VByte even[kRadius + 1];
    VByte odd[kRadius + 1];

    explicit HWY_INLINE ByteTaps(const WordTaps& words) {
        for (int i = 0; i <= kRadius; ++i) {
            even[i] = hn::BitCast(DByte(), hn::Set(DWord(), words.rows_even[static_cast<std::size_t>(i)]));
            odd[i] = hn::BitCast(DByte(), hn::Set(DWord(), words.rows_odd[static_cast<std::size_t>(i)]));
        }
    }
};

template <int kRadius, bool kPaired>
HWY_INLINE void word_row(const ByteTaps<kRadius>& taps, PairedLine<std::uint8_t> line, int x, int step, VWord& even,
                         VWord& odd) {
    for (int i = 0; i <= kRadius; ++i) {
        const int at = x + i * (kPaired ? 2 * step : 2);
        const VByte pairs = hn::LoadU(DByte(), line.even + at);
        const VByte odd_pairs = kPaired ? hn::LoadU(DByte(), line.odd + at) : pairs;
        const VWord own_even = dot_bytes(pairs, taps.even[i]);
        const VWord own_odd = dot_bytes(odd_pairs, kPaired ? taps.even[i] : taps.odd[i]);
        even = i == 0 ? own_even : hn::Add(even, own_even);
        odd = i == 0 ? own_odd : hn::Add(odd, own_odd);
    }
}

// Two rows go in, and come out as two results, which lie kRadius rows above. `state` holds a vector for each level.
template <int kRadius>
HWY_INLINE void word_levels(VWord& first, VWord& second, std::uint16_t* state) {
    const DWord dw;
    for (int level = 0; level < 2 * kRadius; ++level, state += 2 * lanes16()) {
        const VWord last = hn::Load(dw, state);
        hn::Store(second, dw, state);
        second = hn::Add(second, first);
        first = hn::Add(first, last);
    }
}

// The high bytes of both, side by side: the results in picture order.
HWY_INLINE void store_bytes(VWord even, VWord odd, std::uint8_t* to, int columns) {
    const DByte d8;
    const VWord half = hn::Set(DWord(), 128);
    even = hn::ShiftRight<8>(hn::Add(even, half));
    odd = hn::Add(odd, half);
    const auto bytes = hn::OddEven(hn::BitCast(d8, odd), hn::BitCast(d8, even));
    if (HWY_LIKELY(columns >= column_unit())) {
        hn::StoreU(bytes, d8, to);
        return;
    }
    HWY_ALIGN std::uint8_t rest[HWY_MAX_BYTES];
    hn::Store(bytes, d8, rest);
    std::memcpy(to, rest, static_cast<std::size_t>(columns));
}

// `top` and `bottom` are null where no result is wanted. Inlined, so that the taps stay in registers: behind a
// reference they would be read anew after each store to `state`.
template <int kRadius, bool kPaired>
HWY_INLINE void word_passes(const ByteTaps<kRadius>& taps, PairedLine<std::uint8_t> line0,
                            PairedLine<std::uint8_t> line1, int step, int columns, std::uint16_t* state,
                            std::uint8_t* top, std::uint8_t* bottom) {
    for (int x = 0; x < columns; x += column_unit(), state += 2 * kRadius * column_unit()) {
        VWord even[2];  // of the two rows
        VWord odd[2];
        word_row<kRadius, kPaired>(taps, line0, x, step, even[0], odd[0]);
        word_row<kRadius, kPaired>(taps, line1, x, step, even[1], odd[1]);
        word_levels<kRadius>(even[0], even[1], state);
        word_levels<kRadius>(odd[0], odd[1], state + lanes16());
        if (top != nullptr) {
            store_bytes(even[0], odd[0], top + x, columns - x);
        }
        if (bottom != nullptr) {
            store_bytes(even[1], odd[1], bottom + x, columns - x);
        }
    }
}

template <int kRadius, bool kPaired>
void filter_words(const PreparedFilter& made, const Band<std::uint8_t>& band, int left, int columns, Scratch& scratch) {
    const ByteTaps<kRadius> taps(made.words);
    const int step = band.src.step;
    StripLines<std::uint8_t> lines(band, left, columns, kRadius * step, scratch);
    auto* const state = reinterpret_cast<std::uint16_t*>(scratch.ring.get());
    // What the state holds from before has left it after the first 2 * kRadius rows, those above the band.
    for (int y = band.first - kRadius; y < band.last + kRadius; y += 2) {
        const int out = y - kRadius;
        std::uint8_t* const top = out >= band.first ? band.dst.row(out) + left : nullptr;
        std::uint8_t* const bottom = out >= band.first && out + 1 < band.last ? band.dst.row(out + 1) + left : nullptr;
        lines.row_pair(
            y, [&](int x, int count, PairedLine<std::uint8_t> line0, PairedLine<std::uint8_t> line1) HWY_ATTR {
                word_passes<kRadius, kPaired>(taps, line0, line1, step, count, state + 2 * kRadius * x,
                                              top == nullptr ? top : top + x, bottom == nullptr ? bottom : bottom + x);
            });
    }
}

template <int kRadius>
void filter_words(const PreparedFilter& made, const Band<std::uint8_t>& band, int left, int columns, Scratch& scratch) {
    const auto filter = band.src.step > 1 ? filter_words<kRadius, true> : filter_words<kRadius, false>;
    filter(made, band, left, columns, scratch);
}

#endif  // HWY_TARGET
}  // namespace
}  // namespace vfilter::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // include guard for each target
