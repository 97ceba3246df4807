// Rows and columns fused, strip by strip. A strip is a few hundred columns wide, so that the intermediate rows that the
// column pass needs stay in the first or second level cache; they live in a ring of row pairs.
//
// The unit of work is a pair: a 32-bit word of two 16-bit values, of which one instruction multiplies sixteen (AVX-512)
// by a pair of taps and adds the two products. The row pass takes pairs of neighbouring samples. It works on two rows at
// once and packs their results into pairs of vertical neighbours, which is what the column pass takes, so that nothing
// is shuffled between the two. A block of the ring is one vector of pairs for the even columns, then one for the odd.

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/simd.cpp"
#define HWY_WANT_AVX3_DL 1  // VNNI: multiply, add the pair and accumulate in one instruction
#include <hwy/foreach_target.h>
//
#include <hwy/aligned_allocator.h>
#include <hwy/highway.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <stdexcept>

#include "kernels/cpu/scalar.h"
#include "kernels/cpu/simd.h"

#ifndef VFILTER_SIMD_ONCE
#define VFILTER_SIMD_ONCE
namespace vfilter::simd {

// Scratch memory of one thread, grown once to what the largest picture needs.
struct Scratch {
    hwy::AlignedFreeUniquePtr<std::int16_t[]> lines;  // two source rows, widened, with the border on either side
    hwy::AlignedFreeUniquePtr<std::int32_t[]> ring;
    std::vector<const std::int32_t*> slots;
    std::size_t line_capacity = 0;
    std::size_t ring_capacity = 0;

    void reserve(std::size_t line_samples, std::size_t ring_words) {
        if (line_samples > line_capacity) {
            lines = hwy::AllocateAligned<std::int16_t>(line_samples);
            line_capacity = line_samples;
        }
        if (ring_words > ring_capacity) {
            ring = hwy::AllocateAligned<std::int32_t>(ring_words);
            ring_capacity = ring_words;
        }
        if (!lines || !ring) {
            throw std::bad_alloc();
        }
    }
};

inline Scratch& thread_scratch() {
    thread_local Scratch scratch;
    return scratch;
}

template <class T>
struct Band {
    const SimdConvolution* convolution;
    PlaneView<const T> src;
    PlaneView<T> dst;
    Border border;
    int black;
    int first;
    int last;
};

// Bytes of intermediate rows that one strip may hold: half of a small first-level cache... measured, see docs.
constexpr std::size_t ring_bytes = 64 * 1024;

}  // namespace vfilter::simd
#endif

HWY_BEFORE_NAMESPACE();
namespace vfilter::simd::HWY_NAMESPACE {
namespace {

#if HWY_TARGET == HWY_SCALAR
// A processor with no vectors that Highway knows: pairs make no sense there, and the plain loops give the same bytes.
template <class T>
void filter_band(const Band<T>& band) {
    convolve_scalar(band.convolution->convolution(), band.src, band.dst, band.border, band.black, band.first, band.last);
}
#else

namespace hn = hwy::HWY_NAMESPACE;

using D16 = hn::ScalableTag<std::int16_t>;
using D32 = hn::RepartitionToWide<D16>;
using V16 = hn::VFromD<D16>;
using V32 = hn::VFromD<D32>;

// acc + a[2i] * b[2i] + a[2i+1] * b[2i+1], modulo 2^32.
HWY_INLINE V32 dot_pairs(V16 a, V16 b, V32 acc) {
#if HWY_TARGET == HWY_AVX3_DL && HWY_MAJOR == 1 && HWY_MINOR == 0
    // Highway 1.0 knows the target but not this instruction of it, nor lets its intrinsic through.
    asm("vpdpwssd %2, %1, %0" : "+v"(acc.raw) : "v"(a.raw), "v"(b.raw));
    return acc;
#else
    const D32 d32;
    V32 upper = hn::Zero(d32);
    const V32 lower = hn::ReorderWidenMulAccumulate(d32, a, b, hn::Zero(d32), upper);
    return hn::Add(acc, hn::RearrangeToOddPlusEven(lower, upper));
#endif
}

HWY_INLINE V16 broadcast_pair(std::int32_t word) { return hn::BitCast(D16(), hn::Set(D32(), word)); }

// The low halves of `low` and of `high` side by side, in pairs.
HWY_INLINE V16 pack_pairs(V32 low, V32 high) {
    const D16 d16;
    return hn::OddEven(hn::BitCast(d16, hn::ShiftLeft<16>(high)), hn::BitCast(d16, low));
}

// Sums of kRows x kBlocks x {even, odd} results that share loads.
template <bool kWide>
struct Sums {
    V32 even, odd;
    V32 low_even, low_odd;
};

template <bool kWide>
HWY_INLINE Sums<kWide> start_sums(const PairedPass& pass) {
    const V32 start = hn::Set(D32(), pass.start);
    const V32 low = hn::Set(D32(), pass.low_start);
    return {start, start, low, low};
}

template <bool kWide>
HWY_INLINE V32 finish(V32 sum, V32 low, int shift) {
    if constexpr (kWide) {
        sum = hn::Add(sum, hn::ShiftRight<8>(low));
    }
    return hn::ShiftRightSame(sum, shift);
}

// ------------------------------------------------------------------------------------------------------ source rows

HWY_INLINE V16 widen(const std::uint8_t* from, int /*lsb*/, V16 /*mask*/, V16 /*centre*/) {
    return hn::PromoteTo(D16(), hn::LoadU(hn::Rebind<std::uint8_t, D16>(), from));
}

HWY_INLINE V16 widen(const std::uint16_t* from, int lsb, V16 mask, V16 centre) {
    const hn::RebindToUnsigned<D16> du;
    const auto sample = hn::ShiftRightSame(hn::LoadU(du, from), lsb);
    return hn::Xor(hn::And(hn::BitCast(D16(), sample), mask), centre);
}

// One source row over the columns [begin, end), which may lie outside the picture, as centred 16-bit samples.
template <class T>
void fill_line(const Band<T>& band, int y, int begin, int end, std::int16_t* line) {
    const Convolution& convolution = band.convolution->convolution();
    const int from_row = border_index(y, band.src.height, band.border);
    const int mask = convolution.max_value();
    const int centre = convolution.depth == 16 ? 0x8000 : 0;
    const int outside = static_cast<std::int16_t>(band.black ^ centre);
    if (from_row < 0) {
        std::fill_n(line, end - begin, static_cast<std::int16_t>(outside));
        return;
    }
    const PlaneView<const T>& src = band.src;
    const T* const row = src.row(from_row);
    const auto one = [&](int x) {
        return static_cast<std::int16_t>(((row[x] >> src.lsb) & mask) ^ centre);
    };
    const auto edge = [&](int x) {
        const int pixel = x >= 0 ? x / src.step : -((-x + src.step - 1) / src.step);
        const int from = border_index(pixel, src.width, band.border);
        return from < 0 ? static_cast<std::int16_t>(outside) : one(from * src.step + x - pixel * src.step);
    };
    const int inside = std::max(begin, 0);
    const int beyond = std::min(end, src.samples());
    for (int x = begin; x < inside; ++x) {
        line[x - begin] = edge(x);
    }
    const D16 d16;
    const int lanes = static_cast<int>(hn::Lanes(d16));
    const V16 mask_vector = hn::Set(d16, static_cast<std::int16_t>(mask));
    const V16 centre_vector = hn::Set(d16, static_cast<std::int16_t>(centre));
    int x = inside;
    for (; x + lanes <= beyond; x += lanes) {
        hn::StoreU(widen(row + x, src.lsb, mask_vector, centre_vector), d16, line + (x - begin));
    }
    if (x < beyond && beyond - inside >= lanes) {
        x = beyond - lanes;  // the last whole vector again, overlapping
        hn::StoreU(widen(row + x, src.lsb, mask_vector, centre_vector), d16, line + (x - begin));
        x = beyond;
    }
    for (; x < beyond; ++x) {
        line[x - begin] = one(x);
    }
    for (x = std::max(x, beyond); x < end; ++x) {
        line[x - begin] = edge(x);
    }
}

// --------------------------------------------------------------------------------------------------------- row pass

// kPairs: number of pairs of taps known to the compiler, or 0.
template <bool kWide, int kPairs>
void row_pass(const PairedPass& pass, const std::int16_t* line0, const std::int16_t* line1, int columns,
              std::int32_t* out) {
    const D16 d16;
    const D32 d32;
    const int lanes = static_cast<int>(hn::Lanes(d16));
    const int pairs = kPairs != 0 ? kPairs : static_cast<int>(pass.taps.even.size());
    const std::int32_t* HWY_RESTRICT even = pass.taps.even.data();
    const std::int32_t* HWY_RESTRICT odd = pass.taps.odd.data();
    const std::int32_t* HWY_RESTRICT low_even = pass.low.even.data();
    const std::int32_t* HWY_RESTRICT low_odd = pass.low.odd.data();
    const int shift = pass.shift;
    for (int x = 0; x < columns; x += lanes) {
        Sums<kWide> top = start_sums<kWide>(pass);
        Sums<kWide> bottom = top;
        HWY_UNROLL(4)
        for (int m = 0; m < pairs; ++m) {
            const V16 a = hn::LoadU(d16, line0 + x + 2 * m);
            const V16 b = hn::LoadU(d16, line1 + x + 2 * m);
            const V16 tap_even = broadcast_pair(even[m]);
            const V16 tap_odd = broadcast_pair(odd[m]);
            top.even = dot_pairs(a, tap_even, top.even);
            top.odd = dot_pairs(a, tap_odd, top.odd);
            bottom.even = dot_pairs(b, tap_even, bottom.even);
            bottom.odd = dot_pairs(b, tap_odd, bottom.odd);
            if constexpr (kWide) {
                const V16 low_tap_even = broadcast_pair(low_even[m]);
                const V16 low_tap_odd = broadcast_pair(low_odd[m]);
                top.low_even = dot_pairs(a, low_tap_even, top.low_even);
                top.low_odd = dot_pairs(a, low_tap_odd, top.low_odd);
                bottom.low_even = dot_pairs(b, low_tap_even, bottom.low_even);
                bottom.low_odd = dot_pairs(b, low_tap_odd, bottom.low_odd);
            }
        }
        const V16 pair_even = pack_pairs(finish<kWide>(top.even, top.low_even, shift),
                                         finish<kWide>(bottom.even, bottom.low_even, shift));
        const V16 pair_odd = pack_pairs(finish<kWide>(top.odd, top.low_odd, shift),
                                        finish<kWide>(bottom.odd, bottom.low_odd, shift));
        hn::Store(hn::BitCast(d32, pair_even), d32, out + x);
        hn::Store(hn::BitCast(d32, pair_odd), d32, out + x + lanes / 2);
    }
}

// ------------------------------------------------------------------------------------------------------ column pass

// Results of one block as samples in picture order. Whatever is outside [0, max] is clamped.
HWY_INLINE void store_samples(V32 even, V32 odd, const Convolution& /*c*/, int /*lsb*/, std::uint8_t* to) {
    const hn::Rebind<std::uint8_t, D16> d8;
    hn::StoreU(hn::DemoteTo(d8, pack_pairs(even, odd)), d8, to);
}

HWY_INLINE void store_samples(V32 even, V32 odd, const Convolution& c, int lsb, std::uint16_t* to) {
    const D32 d32;
    const hn::RebindToUnsigned<D16> du;
    const V32 zero = hn::Zero(d32);
    const V32 most = hn::Set(d32, c.max_value());
    even = hn::Min(hn::Max(even, zero), most);
    odd = hn::Min(hn::Max(odd, zero), most);
    hn::StoreU(hn::ShiftLeftSame(hn::BitCast(du, pack_pairs(even, odd)), lsb), du, to);
}

template <bool kWide, class T>
HWY_INLINE void store_block(const Sums<kWide>& sums, const SimdConvolution& convolution, int lsb, T* to, int columns) {
    const int lanes = static_cast<int>(hn::Lanes(D16()));
    const int shift = convolution.columns().shift;
    V32 even = finish<kWide>(sums.even, sums.low_even, shift);
    V32 odd = finish<kWide>(sums.odd, sums.low_odd, shift);
    if constexpr (kWide) {
        const V32 back = hn::Set(D32(), 1 << (convolution.convolution().depth - 1));
        even = hn::Add(even, back);
        odd = hn::Add(odd, back);
    }
    if (HWY_LIKELY(columns >= lanes)) {
        store_samples(even, odd, convolution.convolution(), lsb, to);
        return;
    }
    HWY_ALIGN T rest[HWY_MAX_BYTES / sizeof(std::int16_t)];
    store_samples(even, odd, convolution.convolution(), lsb, rest);
    std::memcpy(to, rest, static_cast<std::size_t>(columns) * sizeof(T));
}

// Two rows of the picture from the row pairs in `slots`; `bottom` is null where the band ends after one.
template <bool kWide, int kPairs, class T>
void column_pass(const SimdConvolution& convolution, const std::int32_t* const* slots, int columns, int lsb, T* top,
                 T* bottom) {
    const D16 d16;
    const int lanes = static_cast<int>(hn::Lanes(d16));
    const PairedPass& pass = convolution.columns();
    const int pairs = kPairs != 0 ? kPairs : static_cast<int>(pass.taps.even.size());
    const std::int32_t* HWY_RESTRICT even = pass.taps.even.data();
    const std::int32_t* HWY_RESTRICT odd = pass.taps.odd.data();
    const std::int32_t* HWY_RESTRICT low_even = pass.low.even.data();
    const std::int32_t* HWY_RESTRICT low_odd = pass.low.odd.data();
    for (int x = 0; x < columns; x += lanes) {
        Sums<kWide> first = start_sums<kWide>(pass);
        Sums<kWide> second = first;
        HWY_UNROLL(4)
        for (int m = 0; m < pairs; ++m) {
            const std::int16_t* const pair = reinterpret_cast<const std::int16_t*>(slots[m] + x);
            const V16 a = hn::Load(d16, pair);
            const V16 b = hn::Load(d16, pair + lanes);
            const V16 tap_first = broadcast_pair(even[m]);
            const V16 tap_second = broadcast_pair(odd[m]);
            first.even = dot_pairs(a, tap_first, first.even);
            first.odd = dot_pairs(b, tap_first, first.odd);
            second.even = dot_pairs(a, tap_second, second.even);
            second.odd = dot_pairs(b, tap_second, second.odd);
            if constexpr (kWide) {
                const V16 low_first = broadcast_pair(low_even[m]);
                const V16 low_second = broadcast_pair(low_odd[m]);
                first.low_even = dot_pairs(a, low_first, first.low_even);
                first.low_odd = dot_pairs(b, low_first, first.low_odd);
                second.low_even = dot_pairs(a, low_second, second.low_even);
                second.low_odd = dot_pairs(b, low_second, second.low_odd);
            }
        }
        store_block<kWide>(first, convolution, lsb, top + x, columns - x);
        if (bottom != nullptr) {
            store_block<kWide>(second, convolution, lsb, bottom + x, columns - x);
        }
    }
}

// ------------------------------------------------------------------------------------------------------------ strips

template <class T>
using ColumnPass = void (*)(const SimdConvolution&, const std::int32_t* const*, int, int, T*, T*);
using RowPass = void (*)(const PairedPass&, const std::int16_t*, const std::int16_t*, int, std::int32_t*);

RowPass choose_row_pass(const PairedPass& pass) {
    if (!pass.low.even.empty()) {
        return row_pass<true, 0>;
    }
    switch (pass.taps.even.size()) {
        case 2:
            return row_pass<false, 2>;
        case 3:
            return row_pass<false, 3>;
        case 4:
            return row_pass<false, 4>;
        default:
            return row_pass<false, 0>;
    }
}

template <class T>
ColumnPass<T> choose_column_pass(const PairedPass& pass) {
    if (!pass.low.even.empty()) {
        return column_pass<true, 0, T>;
    }
    switch (pass.taps.even.size()) {
        case 2:
            return column_pass<false, 2, T>;
        case 3:
            return column_pass<false, 3, T>;
        case 4:
            return column_pass<false, 4, T>;
        default:
            return column_pass<false, 0, T>;
    }
}

template <class T>
void filter_band(const Band<T>& band) {
    const SimdConvolution& convolution = *band.convolution;
    const PairedPass& rows = convolution.rows(band.src.step);
    const int radius_x = convolution.convolution().rows.radius() * band.src.step;
    const int radius_y = convolution.convolution().columns.radius();
    const int lanes = static_cast<int>(hn::Lanes(D16()));
    const int samples = band.src.samples();
    const int pairs = radius_y + 1;

    const auto round_up = [&](int n) { return (n + lanes - 1) / lanes * lanes; };
    const int budget = static_cast<int>(ring_bytes / (sizeof(std::int32_t) * static_cast<std::size_t>(pairs)));
    const int strip = std::min(round_up(samples), std::max(budget / lanes, 4) * lanes);
    const int line = round_up(strip + 2 * radius_x) + 2 * lanes;  // a whole vector may be read at the edge
    Scratch& scratch = thread_scratch();
    scratch.reserve(static_cast<std::size_t>(2 * line), static_cast<std::size_t>(pairs) * static_cast<std::size_t>(strip));
    std::int16_t* const line0 = scratch.lines.get();
    std::int16_t* const line1 = line0 + line;
    // Every slot stands twice, so that any run of `pairs` slots is one range.
    scratch.slots.resize(2 * static_cast<std::size_t>(pairs));
    for (int i = 0; i < 2 * pairs; ++i) {
        scratch.slots[static_cast<std::size_t>(i)] = scratch.ring.get() + static_cast<std::ptrdiff_t>(i % pairs) * strip;
    }
    std::fill_n(line0, 2 * line, std::int16_t{0});

    const RowPass row = choose_row_pass(rows);
    const ColumnPass<T> column = choose_column_pass<T>(convolution.columns());
    const int row_pairs = (band.last - band.first + 1) / 2 + pairs - 1;
    for (int left = 0; left < samples; left += strip) {
        const int columns = std::min(strip, samples - left);
        for (int p = 0; p < row_pairs; ++p) {
            const int y = band.first - radius_y + 2 * p;
            fill_line(band, y, left - radius_x, left + columns + radius_x, line0);
            fill_line(band, y + 1, left - radius_x, left + columns + radius_x, line1);
            row(rows, line0, line1, columns, scratch.ring.get() + static_cast<std::ptrdiff_t>(p % pairs) * strip);
            if (p < pairs - 1) {
                continue;
            }
            const int out = y - radius_y;  // = band.first + 2 * (p - pairs + 1)
            column(convolution, scratch.slots.data() + (p + 1) % pairs, columns, band.dst.lsb, band.dst.row(out) + left,
                   out + 1 < band.last ? band.dst.row(out + 1) + left : nullptr);
        }
    }
}

#endif  // HWY_TARGET

void filter_band_8(const Band<std::uint8_t>& band) { filter_band(band); }
void filter_band_16(const Band<std::uint16_t>& band) { filter_band(band); }

}  // namespace
}  // namespace vfilter::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace vfilter {
namespace simd {
HWY_EXPORT(filter_band_8);
HWY_EXPORT(filter_band_16);
}  // namespace simd

template <>
void SimdConvolution::run(PlaneView<const std::uint8_t> src, PlaneView<std::uint8_t> dst, Border border, int black,
                          int first, int last) const {
    HWY_DYNAMIC_DISPATCH(simd::filter_band_8)({this, src, dst, border, black, first, last});
}

template <>
void SimdConvolution::run(PlaneView<const std::uint16_t> src, PlaneView<std::uint16_t> dst, Border border, int black,
                          int first, int last) const {
    HWY_DYNAMIC_DISPATCH(simd::filter_band_16)({this, src, dst, border, black, first, last});
}

std::vector<std::string> simd_targets() {
    std::vector<std::string> names;
    for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
        names.emplace_back(hwy::TargetName(target));
    }
    return names;
}

std::string simd_target() {
    return simd_targets().at(0);
}

void force_simd_target(const std::string& name) {
    hwy::SetSupportedTargetsForTest(0);
    if (name.empty()) {
        return;
    }
    for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
        if (name == hwy::TargetName(target)) {
            hwy::SetSupportedTargetsForTest(target);
            return;
        }
    }
    throw std::invalid_argument("this processor and program have no SIMD target '" + name + "'");
}

}  // namespace vfilter
#endif
