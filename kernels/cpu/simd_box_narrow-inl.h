// Narrow boxes of bytes: one pass over a row moves its columns' sums down and makes results of them. Compiled once for
// each instruction set, and there where lanes of two vectors move to any place in one instruction (AVX-512).
//
// The sums are still in registers when their neighbours want them: nothing is read again at places that vectors are not
// aligned to, of which each costs two reads.

#if defined(VFILTER_SIMD_BOX_NARROW_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef VFILTER_SIMD_BOX_NARROW_INL
#undef VFILTER_SIMD_BOX_NARROW_INL
#else
#define VFILTER_SIMD_BOX_NARROW_INL
#endif

#include "kernels/cpu/simd_lines-inl.h"

HWY_BEFORE_NAMESPACE();
namespace vfilter::simd::HWY_NAMESPACE {
namespace {
#if HWY_TARGET != HWY_SCALAR

/// A row of a box whose sum fits 16 bits.
struct NarrowRow {
    std::uint16_t* columns;  ///< sums of the row before, but where ColumnSums::advance_ends was; then of this
    const std::uint8_t* in;  ///< the row of samples that comes in
    const std::uint8_t* out;
    const std::uint8_t* next_in;  ///< one that comes in later
    std::uint8_t* next_to;        ///< where results go then
    int samples;                  ///< narrow_samples at least
    std::int32_t tap;
    int shift;
};

/// Samples of a row whose first vector, and last two, are not the same.
inline constexpr int narrow_samples = 128;

#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3
// For each pixel of the box but the first the places of its samples in two vectors.
template <int kWidth, int kStep>
struct NeighbourTables {
    alignas(64) std::uint16_t places[kWidth - 1][32]{};

    constexpr NeighbourTables() {
        for (int pixel = 1; pixel < kWidth; ++pixel) {
            for (int i = 0; i < 32; ++i) {
                places[pixel - 1][i] = static_cast<std::uint16_t>(i + pixel * kStep);
            }
        }
    }
};

// Sums of the first vector and the last two are moved down already, as those outside the picture come of them.
template <int kWidth, int kStep>
void filter_narrow_row(const NarrowRow& row, std::uint8_t* to) {
    static constexpr NeighbourTables<kWidth, kStep> tables;
    constexpr int lanes = 32;
    constexpr int reach = kWidth / 2 * kStep;
    const DWord dw;
    const hn::Rebind<std::uint8_t, DWord> d8;
    const auto tap = hn::Set(dw, static_cast<std::uint16_t>(row.tap));
    const auto rounding = hn::Set(dw, static_cast<std::uint16_t>(half<std::int32_t>(row.shift) >> 16));
    const int shift = row.shift - 16;
    // Results of the boxes that begin in the vector `first`, of which `second` is the next.
    const auto results = [&](VWord first, VWord second) HWY_ATTR {
        __m512i sum = first.raw;
        for (int pixel = 1; pixel < kWidth; ++pixel) {
            const __m512i places = _mm512_load_si512(tables.places[pixel - 1]);
            sum = _mm512_add_epi16(sum, _mm512_permutex2var_epi16(first.raw, places, second.raw));
        }
        const auto result = hn::ShiftRightSame(hn::Add(hn::MulHigh(VWord{sum}, tap), rounding), shift);
        return hn::VFromD<decltype(d8)>{_mm512_cvtepi16_epi8(result.raw)};
    };
    VWord first = hn::LoadU(dw, row.columns);
    HWY_ALIGN std::uint8_t begin[lanes];
    hn::Store(results(hn::LoadU(dw, row.columns - lanes), first), d8, begin);
    std::memcpy(to, begin + lanes - reach, reach);
    to += reach;
    const int last = (row.samples - 1) / lanes * lanes;
    int x = 0;
    for (; x + lanes < last - lanes; x += lanes) {
        fetch(row.next_in + x);
        fetch(row.next_to + x);
        std::uint16_t* const columns = row.columns + x + lanes;
        VWord second = hn::Add(hn::LoadU(dw, columns), hn::PromoteTo(dw, hn::LoadU(d8, row.in + x + lanes)));
        second = hn::Sub(second, hn::PromoteTo(dw, hn::LoadU(d8, row.out + x + lanes)));
        hn::StoreU(second, dw, columns);
        hn::StoreU(results(first, second), d8, to + x);
        first = second;
    }
    for (; x + reach < row.samples; x += lanes) {
        const VWord second = hn::LoadU(dw, row.columns + x + lanes);
        store_some(results(first, second), d8, to + x, row.samples - reach - x);
        first = second;
    }
}

using FilterNarrowRow = void (*)(const NarrowRow& row, std::uint8_t* to);

template <int kWidth>
FilterNarrowRow narrow_of_width(int step) {
    constexpr FilterNarrowRow of_step[] = {filter_narrow_row<kWidth, 1>, filter_narrow_row<kWidth, 2>,
                                           filter_narrow_row<kWidth, 3>, filter_narrow_row<kWidth, 4>};
    return step <= 4 ? of_step[step - 1] : nullptr;
}

/// What filters rows of a box whose sum fits 16 bits; null where there is nothing for it. Shorter ones are done in
/// words.
inline FilterNarrowRow narrow_of(int width, int step) {
    switch (width) {
        case 7:
            return narrow_of_width<7>(step);
        case 9:
            return narrow_of_width<9>(step);
        default:
            return nullptr;
    }
}
#else
using FilterNarrowRow = void (*)(const NarrowRow& row, std::uint8_t* to);
inline FilterNarrowRow narrow_of(int /*width*/, int /*step*/) {
    return nullptr;
}
#endif

#endif  // HWY_TARGET
}  // namespace
}  // namespace vfilter::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // include guard for each target
