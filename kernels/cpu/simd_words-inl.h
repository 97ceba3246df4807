// Short dyadic kernels on bytes (the Gaussians of size 3 and 5), in 16-bit words. Compiled once for each instruction set.
//
// Where the taps, reduced, leave both sums exact in 16 bits, twice as many columns go into one instruction as with pairs.
// A vector of bytes read as words holds even columns in the low bytes and odd ones in the high bytes; they are worked on
// apart and never shuffled, for the result is put together the same way. A slot of the ring holds, for each block of
// 2 * lanes columns, the words of the even columns and then of the odd ones, for the first row, then for the second.

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

using DWord = hn::RebindToUnsigned<D16>;
using DByte = hn::Repartition<std::uint8_t, DWord>;
using VWord = hn::VFromD<DWord>;

// The taps from the outermost to the middle one.
template <int kRadius>
struct WordTaps {
    VWord tap[kRadius + 1];

    explicit HWY_INLINE WordTaps(const std::vector<std::uint16_t>& taps) {
        for (int i = 0; i <= kRadius; ++i) {
            tap[i] = hn::Set(DWord(), taps[static_cast<std::size_t>(i)]);
        }
    }

    // The sum over 2 * kRadius + 1 neighbours.
    template <class... V>
    HWY_INLINE VWord sum(V... values) const {
        const VWord v[] = {values...};
        VWord result = hn::Mul(tap[kRadius], v[kRadius]);
        for (int i = 0; i < kRadius; ++i) {
            result = hn::Add(result, hn::Mul(tap[i], hn::Add(v[i], v[2 * kRadius - i])));
        }
        return result;
    }
};

template <int kRadius>
HWY_INLINE void word_row(const WordTaps<kRadius>& taps, const std::uint8_t* line, std::uint16_t* out) {
    const DWord dw;
    const VWord low = hn::Set(dw, 0xff);
    VWord even[kRadius + 1];
    VWord odd[kRadius + 1];
    for (int i = 0; i <= kRadius; ++i) {
        const VWord both = hn::BitCast(dw, hn::LoadU(DByte(), line + 2 * i));
        even[i] = hn::And(both, low);
        odd[i] = hn::ShiftRight<8>(both);
    }
    VWord sum_even;
    VWord sum_odd;
    if constexpr (kRadius == 1) {
        sum_even = taps.sum(even[0], odd[0], even[1]);
        sum_odd = taps.sum(odd[0], even[1], odd[1]);
    } else {
        sum_even = taps.sum(even[0], odd[0], even[1], odd[1], even[2]);
        sum_odd = taps.sum(odd[0], even[1], odd[1], even[2], odd[2]);
    }
    hn::Store(sum_even, dw, out);
    hn::Store(sum_odd, dw, out + lanes16());
}

template <int kRadius>
void word_rows(const SimdConvolution& convolution, int /*step*/, const std::uint8_t* line0, const std::uint8_t* line1,
               int columns, std::int32_t* slot) {
    const int block = 2 * lanes16();
    const WordTaps<kRadius> taps(convolution.words().rows);
    for (int x = 0; x < columns; x += block) {
        auto* const out = reinterpret_cast<std::uint16_t*>(slot + x);
        word_row(taps, line0 + x, out);
        word_row(taps, line1 + x, out + block);
    }
}

// The high bytes of both, side by side: the results in picture order.
HWY_INLINE void store_bytes(VWord even, VWord odd, std::uint8_t* to, int columns) {
    const DByte d8;
    const auto bytes = hn::OddEven(hn::BitCast(d8, odd), hn::BitCast(d8, hn::ShiftRight<8>(even)));
    if (HWY_LIKELY(columns >= 2 * lanes16())) {
        hn::StoreU(bytes, d8, to);
        return;
    }
    HWY_ALIGN std::uint8_t rest[HWY_MAX_BYTES];
    hn::Store(bytes, d8, rest);
    std::memcpy(to, rest, static_cast<std::size_t>(columns));
}

// kRadius + 1 slots are 2 * kRadius + 2 rows: the two results take all but the last and all but the first.
template <int kRadius>
void word_columns(const SimdConvolution& convolution, const std::int32_t* const* slots, int columns, int /*lsb*/,
                  std::uint8_t* top, std::uint8_t* bottom) {
    const DWord dw;
    const int lanes = lanes16();
    const int block = 2 * lanes;
    const WordTaps<kRadius> taps(convolution.words().columns);
    const VWord half = hn::Set(dw, 128);
    const auto sums = [&](const VWord* v, VWord& first, VWord& second) {
        if constexpr (kRadius == 1) {
            first = hn::Add(half, taps.sum(v[0], v[1], v[2]));
            second = hn::Add(half, taps.sum(v[1], v[2], v[3]));
        } else {
            first = hn::Add(half, taps.sum(v[0], v[1], v[2], v[3], v[4]));
            second = hn::Add(half, taps.sum(v[1], v[2], v[3], v[4], v[5]));
        }
    };
    for (int x = 0; x < columns; x += block) {
        VWord even[2 * kRadius + 2];
        VWord odd[2 * kRadius + 2];
        for (int i = 0; i < 2 * kRadius + 2; ++i) {
            const auto* const row = reinterpret_cast<const std::uint16_t*>(slots[i / 2] + x) + i % 2 * block;
            even[i] = hn::Load(dw, row);
            odd[i] = hn::Load(dw, row + lanes);
        }
        VWord first_even, second_even, first_odd, second_odd;
        sums(even, first_even, second_even);
        sums(odd, first_odd, second_odd);
        store_bytes(first_even, first_odd, top + x, columns - x);
        if (bottom != nullptr) {
            store_bytes(second_even, second_odd, bottom + x, columns - x);
        }
    }
}

#endif  // HWY_TARGET
}  // namespace
}  // namespace vfilter::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // include guard for each target
