// Bytes under short binomial kernels (the Gaussians of size 3 and 5) and short boxes, in 16-bit words. Compiled once
// for each instruction set.
//
// Sums that are exact in 16 bits leave room for twice as many columns in one instruction as pairs do, and the column
// pass needs additions alone: 1 4 6 4 1 is four times 1 1, so that each of four levels adds to a row the row before it,
// and keeps it for the next. A box keeps its last rows, and adds and takes away. These rows are the whole state, there
// is no ring. The even columns and the odd ones of a block of 2 * lanes columns stay in vectors of their own until
// their high bytes, the results, meet in picture order.

#if defined(VFILTER_SIMD_WORDS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef VFILTER_SIMD_WORDS_INL
#undef VFILTER_SIMD_WORDS_INL
#else
#define VFILTER_SIMD_WORDS_INL
#endif

#include <array>

#include "kernels/cpu/simd_strips-inl.h"

HWY_BEFORE_NAMESPACE();
namespace vfilter::simd::HWY_NAMESPACE {
namespace {
#if HWY_TARGET != HWY_SCALAR

using DByte = hn::Repartition<std::uint8_t, DWord>;
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

// Pairs of taps for the even and the odd columns, as PairedTaps has them, of samples side by side.
template <int kRadius>
struct TapPairs {
    VByte even[kRadius + 1];
    VByte odd[kRadius + 1];

    HWY_INLINE TapPairs(const WordTaps& words, int /*step*/) {
        for (std::size_t i = 0; i <= kRadius; ++i) {
            even[i] = hn::BitCast(DByte(), hn::Set(DWord(), words.rows_even[i]));
            odd[i] = hn::BitCast(DByte(), hn::Set(DWord(), words.rows_odd[i]));
        }
    }
    HWY_INLINE void sum(const std::uint8_t* line, int /*step*/, VWord& even_sum, VWord& odd_sum) const {
        for (int i = 0; i <= kRadius; ++i) {
            const VByte pairs = hn::LoadU(DByte(), line + 2 * i);
            const VWord own_even = dot_bytes(pairs, even[i]);
            const VWord own_odd = dot_bytes(pairs, odd[i]);
            even_sum = i == 0 ? own_even : hn::Add(even_sum, own_even);
            odd_sum = i == 0 ? own_odd : hn::Add(odd_sum, own_odd);
        }
    }
};

#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3_DL
// The same of samples that lie `step` apart, which any places of two vectors can be put side by side from. Two reads
// have all that 64 columns want.
template <int kRadius>
class DistantTaps {
public:
    HWY_INLINE DistantTaps(const WordTaps& words, int step) : end_(2 * kRadius * step - tail) {
        alignas(64) std::uint8_t places[lanes];
        // A place behind the first vector is one of the second, which ends with the last sample.
        const auto put = [&](int i, int from) {
            places[i] = static_cast<std::uint8_t>(from < lanes ? from : from - end_);
        };
        for (int i = 0; i < kRadius; ++i) {
            for (int odd = 0; odd < 2; ++odd) {
                for (int column = 0; column < lanes; column += 2) {
                    put(column, column + odd + 2 * i * step);
                    put(column + 1, column + odd + (2 * i + 1) * step);
                }
                (odd == 0 ? even_ : odd_)[i] = _mm512_load_si512(places);
            }
            pairs_[i] = hn::BitCast(DByte(), hn::Set(DWord(), words.rows_even[static_cast<std::size_t>(i)]));
        }
        for (int column = 0; column < lanes; ++column) {
            put(column, column + 2 * kRadius * step);
        }
        last_ = _mm512_load_si512(places);
        last_even_ = hn::BitCast(DByte(), hn::Set(DWord(), words.rows_even[kRadius]));
        last_odd_ = hn::BitCast(DByte(), hn::ShiftLeft<8>(hn::BitCast(DWord(), last_even_)));
    }
    HWY_INLINE void sum(const std::uint8_t* line, int /*step*/, VWord& even_sum, VWord& odd_sum) const {
        const __m512i samples = _mm512_loadu_si512(line);
        const auto* const rest = reinterpret_cast<const __m128i*>(line + lanes + end_);
        const __m512i more = _mm512_castsi128_si512(_mm_loadu_si128(rest));
        const VByte last{_mm512_permutex2var_epi8(samples, last_, more)};
        even_sum = dot_bytes(last, last_even_);
        odd_sum = dot_bytes(last, last_odd_);
        for (int i = 0; i < kRadius; ++i) {
            even_sum =
                hn::Add(even_sum, dot_bytes(VByte{_mm512_permutex2var_epi8(samples, even_[i], more)}, pairs_[i]));
            odd_sum = hn::Add(odd_sum, dot_bytes(VByte{_mm512_permutex2var_epi8(samples, odd_[i], more)}, pairs_[i]));
        }
    }

private:
    static constexpr int lanes = 64;
    static constexpr int tail = 16;  // of the second vector
    static_assert(2 * kRadius * max_step <= tail);

    int end_;  ///< of the second vector's beginning, behind the first vector's end
    __m512i even_[kRadius];
    __m512i odd_[kRadius];
    __m512i last_;
    VByte pairs_[kRadius];
    VByte last_even_;
    VByte last_odd_;
};
#else
// Single taps, of samples that lie `step` apart: to put them side by side costs more than twice as many products.
template <int kRadius>
struct DistantTaps {
    VByte even[2 * kRadius + 1];
    VByte odd[2 * kRadius + 1];

    HWY_INLINE DistantTaps(const WordTaps& words, int /*step*/) {
        for (std::size_t i = 0; i <= 2 * kRadius; ++i) {
            const auto tap = static_cast<std::uint16_t>(words.rows_even[i / 2] >> (i % 2 == 0 ? 0 : 8) & 0xff);
            even[i] = hn::BitCast(DByte(), hn::Set(DWord(), tap));
            odd[i] = hn::BitCast(DByte(), hn::Set(DWord(), static_cast<std::uint16_t>(tap << 8)));
        }
    }
    HWY_INLINE void sum(const std::uint8_t* line, int step, VWord& even_sum, VWord& odd_sum) const {
        for (int i = 0; i <= 2 * kRadius; ++i) {
            const VByte samples = hn::LoadU(DByte(), line + i * step);
            const VWord own_even = dot_bytes(samples, even[i]);
            const VWord own_odd = dot_bytes(samples, odd[i]);
            even_sum = i == 0 ? own_even : hn::Add(even_sum, own_even);
            odd_sum = i == 0 ? own_odd : hn::Add(odd_sum, own_odd);
        }
    }
};
#endif

// Rows that go through the levels together: the state is read and written once for all of them.
inline constexpr std::size_t word_rows = 4;

// Rows go in, and come out as as many results, which lie kRadius rows above. The state holds a vector for each of
// 2 * kRadius levels.
template <int kRadius>
class Binomials {
public:
    explicit HWY_INLINE Binomials(const LinearFilter& /*filter*/) {}
    static HWY_INLINE void sum(VWord (&rows)[word_rows], std::uint16_t* state) {
        const DWord dw;
        for (int level = 0; level < 2 * kRadius; ++level, state += 2 * lanes16()) {
            const VWord last = hn::Load(dw, state);
            hn::Store(rows[word_rows - 1], dw, state);
            for (std::size_t i = word_rows - 1; i > 0; --i) {
                rows[i] = hn::Add(rows[i], rows[i - 1]);
            }
            rows[0] = hn::Add(rows[0], last);
        }
    }
    // The high bytes of both, side by side: the results in picture order.
    static HWY_INLINE VByte results(VWord even, VWord odd) {
        const DByte d8;
        const VWord half = hn::Set(DWord(), 128);
        even = hn::ShiftRight<8>(hn::Add(even, half));
        odd = hn::Add(odd, half);
        return hn::OddEven(hn::BitCast(d8, odd), hn::BitCast(d8, even));
    }
};

// The same of a box; the state holds the last 2 * kRadius rows.
template <int kRadius>
class RunningSums {
public:
    explicit HWY_INLINE RunningSums(const LinearFilter& filter)
        : tap_(hn::Set(DWord(), static_cast<std::uint16_t>(filter.terms.front().columns.front()))),
          rounding_(hn::Set(DWord(), static_cast<std::uint16_t>(half<std::int32_t>(filter.finish.shift) >> 16))),
          down_(filter.finish.shift - 16) {}
    static HWY_INLINE void sum(VWord (&rows)[word_rows], std::uint16_t* state) {
        constexpr std::size_t kept = 2 * kRadius;
        const DWord dw;
        const auto last = [&](std::size_t i) HWY_ATTR { return state + static_cast<int>(i) * 2 * lanes16(); };
        // What was read is read again: registers are few.
        VWord sum = rows[0];
        for (std::size_t i = 0; i < kept; ++i) {
            sum = hn::Add(sum, hn::Load(dw, last(i)));
        }
        VWord made[word_rows];
        made[0] = sum;
        for (std::size_t i = 1; i < word_rows; ++i) {
            const VWord out = i <= kept ? hn::Load(dw, last(i - 1)) : rows[i - 1 - kept];
            sum = hn::Add(hn::Sub(sum, out), rows[i]);
            made[i] = sum;
        }
        for (std::size_t i = 0; i < kept; ++i) {
            hn::Store(rows[word_rows - kept + i], dw, last(i));
        }
        for (std::size_t i = 0; i < word_rows; ++i) {
            rows[i] = made[i];
        }
    }
    // See finish_small_box; of the odd columns' results the lower bits stay behind in the lower byte.
    HWY_INLINE VByte results(VWord even, VWord odd) const {
        const DByte d8;
        even = hn::ShiftRightSame(hn::Add(hn::MulHigh(even, tap_), rounding_), down_);
        odd = hn::ShiftLeftSame(hn::Add(hn::MulHigh(odd, tap_), rounding_), 8 - down_);
        return hn::OddEven(hn::BitCast(d8, odd), hn::BitCast(d8, even));
    }

private:
    VWord tap_;
    VWord rounding_;
    int down_;
};

HWY_INLINE void store_bytes(VByte bytes, std::uint8_t* to, int columns) {
    const DByte d8;
    if (HWY_LIKELY(columns >= column_unit())) {
        hn::StoreU(bytes, d8, to);
        return;
    }
    HWY_ALIGN std::uint8_t rest[HWY_MAX_BYTES];
    hn::Store(bytes, d8, rest);
    std::memcpy(to, rest, static_cast<std::size_t>(columns));
}

// Where results go; null where none is wanted.
using WordResults = std::array<std::uint8_t*, word_rows>;

// The rows that follow, or the last ones.
struct NextWords {
    std::array<const std::uint8_t*, word_rows> in;
    std::array<std::uint8_t*, word_rows> out;

    // `y` is the first row that goes in now, `result` the first one that comes out.
    HWY_INLINE NextWords(const Band<std::uint8_t>& band, int left, int y, int result) {
        for (std::size_t i = 0; i < word_rows; ++i) {
            const auto later = static_cast<int>(word_rows + i);
            in[i] = band.src.row(std::clamp(y + later, 0, band.src.height - 1)) + left;
            out[i] = band.dst.row(std::clamp(result + later, band.first, band.last - 1)) + left;
        }
    }
};

// Inlined, so that the taps stay in registers: behind a reference they would be read anew after each store to `state`.
template <int kRadius, class Taps, class Sums>
HWY_INLINE void word_passes(const Taps& taps, const Sums& sums, const std::array<const std::uint8_t*, word_rows>& lines,
                            int step, int columns, std::uint16_t* state, const WordResults& to, const NextWords& next,
                            int left) {
    for (int x = 0; x < columns; x += column_unit(), state += 2 * kRadius * column_unit()) {
        for (std::size_t i = 0; i < word_rows; ++i) {
            fetch(next.in[i] + left + x);
            fetch(next.out[i] + left + x);
        }
        VWord even[word_rows];
        VWord odd[word_rows];
        for (std::size_t i = 0; i < word_rows; ++i) {
            taps.sum(lines[i] + x, step, even[i], odd[i]);
        }
        sums.sum(even, state);
        sums.sum(odd, state + lanes16());
        for (std::size_t i = 0; i < word_rows; ++i) {
            if (to[i] != nullptr) {
                store_bytes(sums.results(even[i], odd[i]), to[i] + x, columns - x);
            }
        }
    }
}

template <int kRadius, class Taps, class Sums>
void filter_words(const PreparedFilter& made, const Band<std::uint8_t>& band, int left, int columns, Scratch& scratch) {
    const int step = band.src.step;
    const Taps taps(made.words, step);
    const Sums sums(made.filter);
    StripLines<std::uint8_t> lines(band, left, columns, kRadius * step, scratch, Reading::in_place);
    auto* const state = reinterpret_cast<std::uint16_t*>(scratch.ring.get());
    // What the state holds from before has left it after the first 2 * kRadius rows, those above the band.
    for (int y = band.first - kRadius; y < band.last + kRadius; y += static_cast<int>(word_rows)) {
        WordResults results;
        for (std::size_t i = 0; i < word_rows; ++i) {
            const int out = y - kRadius + static_cast<int>(i);
            results[i] = out >= band.first && out < band.last ? band.dst.row(out) + left : nullptr;
        }
        const NextWords next(band, left, y, y - kRadius);
        lines.rows<word_rows>(y, [&](int x, int count, const auto& own) HWY_ATTR {
            WordResults to = results;
            for (std::uint8_t*& result : to) {
                result = result == nullptr ? nullptr : result + x;
            }
            word_passes<kRadius>(taps, sums, own, step, count, state + 2 * kRadius * x, to, next, x);
        });
    }
}

template <int kRadius, class Sums>
void filter_words_of(const PreparedFilter& made, const Band<std::uint8_t>& band) {
    filter_strips(made, band,
                  band.src.step > 1 ? filter_words<kRadius, DistantTaps<kRadius>, Sums>
                                    : filter_words<kRadius, TapPairs<kRadius>, Sums>);
}

/// Whether a box is done in words: where taps lie apart and vectors are short, blocks of columns are faster.
inline bool sums_words(const PreparedFilter& made, const Band<std::uint8_t>& band) {
    constexpr bool long_vectors = HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3;
    return made.words.radius() > 0 && (band.src.step == 1 || long_vectors);
}

inline void filter_words(const PreparedFilter& made, const Band<std::uint8_t>& band) {
    const bool box = made.filter.uniform;
    if (made.words.radius() == 1) {
        return box ? filter_words_of<1, RunningSums<1>>(made, band) : filter_words_of<1, Binomials<1>>(made, band);
    }
    return box ? filter_words_of<2, RunningSums<2>>(made, band) : filter_words_of<2, Binomials<2>>(made, band);
}

#endif  // HWY_TARGET
}  // namespace
}  // namespace vfilter::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // include guard for each target
