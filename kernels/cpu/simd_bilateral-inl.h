// Bilateral filters. Compiled once for each instruction set.
//
// Weights are four instructions on bytes: differences that saturate, taken from the reach. Neighbours go in twos, whose
// weights and samples lie side by side, so that one instruction multiplies both and adds. What is added up is
// w * (s - own), not w * s: of bytes that is at most 127^2 / 4, and eight of them fit 16 bits.

#if defined(VFILTER_SIMD_BILATERAL_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef VFILTER_SIMD_BILATERAL_INL
#undef VFILTER_SIMD_BILATERAL_INL
#else
#define VFILTER_SIMD_BILATERAL_INL
#endif

#include <algorithm>
#include <vector>

#include "kernels/cpu/simd_pairs-inl.h"
#include "kernels/cpu/simd_rank_lines-inl.h"

HWY_BEFORE_NAMESPACE();
namespace vfilter::simd::HWY_NAMESPACE {
namespace {
#if HWY_TARGET != HWY_SCALAR

using DByte = hn::Repartition<std::uint8_t, D16>;
using VByte = hn::VFromD<DByte>;

/// Where a sample's neighbours are: in which of the rows around it, and how far along.
struct Neighbour {
    int row = 0;
    int samples = 0;
    int reach = 0;
};

/// An even number of them, row by row, perhaps with one that has no weight; with the sample itself or without.
inline std::vector<Neighbour> neighbours_of(const Bilateral& filter, int step, bool with_own) {
    std::vector<Neighbour> all;
    for (int j = -filter.radius_y; j <= filter.radius_y; ++j) {
        for (int i = -filter.radius_x; i <= filter.radius_x; ++i) {
            if (filter.reach(i, j) > 0 && (with_own || i != 0 || j != 0)) {
                all.push_back({j + filter.radius_y, i * step, filter.reach(i, j)});
            }
        }
    }
    if (all.size() % 2 != 0) {
        all.push_back({filter.radius_y, 0, 0});
    }
    return all;
}

// a[2i] * b[2i] + a[2i+1] * b[2i+1], of which the sum fits; b is signed.
HWY_INLINE V16 dot_signed_bytes(VByte a, VByte b) {
    const D16 d16;
#if HWY_MAJOR > 1 || HWY_MINOR >= 1
    return hn::SatWidenMulPairwiseAdd(d16, a, hn::BitCast(hn::RebindToSigned<DByte>(), b));
#elif HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3
    return V16{_mm512_maddubs_epi16(a.raw, b.raw)};
#elif HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2
    return V16{_mm256_maddubs_epi16(a.raw, b.raw)};
#elif HWY_ARCH_X86 && HWY_TARGET <= HWY_SSSE3
    return V16{_mm_maddubs_epi16(a.raw, b.raw)};
#else
    const V16 a_pairs = hn::BitCast(d16, a);
    const V16 b_pairs = hn::BitCast(d16, b);
    const V16 even = hn::Mul(hn::And(a_pairs, hn::Set(d16, 0xff)), hn::ShiftRight<8>(hn::ShiftLeft<8>(b_pairs)));
    const V16 a_odd = hn::And(hn::ShiftRight<8>(a_pairs), hn::Set(d16, 0xff));
    return hn::Add(even, hn::Mul(a_odd, hn::ShiftRight<8>(b_pairs)));
#endif
}

/// Four vectors of 32 bits, in the order in which bytes come apart: lower and upper halves of each block of 128 bits,
/// and of these again.
struct ByteSums {
    V32 at[4];
};

HWY_INLINE void add_words(V16 low, V16 high, ByteSums& sums) {
    const D16 d16;
    const D32 d32;
    const V16 zero = hn::Zero(d16);
    // In the upper half of 32 bits, from where they are shifted down with their sign.
    const auto widened = [&](V16 both) HWY_ATTR { return hn::ShiftRight<16>(hn::BitCast(d32, both)); };
    sums.at[0] = hn::Add(sums.at[0], widened(hn::InterleaveLower(d16, zero, low)));
    sums.at[1] = hn::Add(sums.at[1], widened(hn::InterleaveUpper(d16, zero, low)));
    sums.at[2] = hn::Add(sums.at[2], widened(hn::InterleaveLower(d16, zero, high)));
    sums.at[3] = hn::Add(sums.at[3], widened(hn::InterleaveUpper(d16, zero, high)));
}

// (sum + weights / 2) / weights, rounded down. Neither exceeds 2^24 and the quotient not 127, so that the one of
// floating point is on the right side of every whole number: weights are below 2^16.
HWY_INLINE V32 small_quotient(V32 sum, V32 weights) {
    const D32 d32;
    const hn::RebindToFloat<D32> df;
    const auto dividend = hn::ConvertTo(df, hn::Add(sum, hn::ShiftRight<1>(weights)));
    return hn::ConvertTo(d32, hn::Floor(hn::Div(dividend, hn::ConvertTo(df, weights))));
}

// Quotients of words whose weights are unsigned, in the order of the words.
HWY_INLINE V16 small_quotients(V32 sum_low, V32 sum_high, V16 weights) {
    const D16 d16;
    const D32 d32;
    const V16 zero = hn::Zero(d16);
    const V32 low = small_quotient(sum_low, hn::BitCast(d32, hn::InterleaveLower(d16, weights, zero)));
    const V32 high = small_quotient(sum_high, hn::BitCast(d32, hn::InterleaveUpper(d16, weights, zero)));
    return hn::ReorderDemote2To(d16, low, high);
}

// The low bytes of words that came of the lower and upper halves of blocks, back in their order.
HWY_INLINE VByte join_bytes(V16 low, V16 high) {
    const DByte d8;
    alignas(16) static constexpr std::uint8_t first[16] = {0,    2,    4,    6,    8,    10,   12,   14,
                                                           0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80};
    alignas(16) static constexpr std::uint8_t second[16] = {0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80,
                                                            0,    2,    4,    6,    8,    10,   12,   14};
    return hn::Or(hn::TableLookupBytesOr0(hn::BitCast(d8, low), hn::LoadDup128(d8, first)),
                  hn::TableLookupBytesOr0(hn::BitCast(d8, high), hn::LoadDup128(d8, second)));
}

// Bytes that are compared as they are.
inline void average_bytes(const Bilateral& filter, const Band<std::uint8_t>& band) {
    constexpr int most = 0x7fff;
    const DByte d8;
    const D16 d16;
    const D32 d32;
    const int lanes = line_lanes<std::uint8_t>();
    const int step = band.src.step;
    const int samples = band.src.samples();
    const std::vector<Neighbour> neighbours = neighbours_of(filter, step, false);
    const int count = static_cast<int>(neighbours.size());
    const int own_reach = filter.reach(0, 0);
    // Twos of neighbours whose sums fit words.
    const int twos = std::max(most / std::max(2 * (own_reach * own_reach / 4), 1), 1);
    LineRing<std::uint8_t> ring(band, filter.radius_x * step, 2 * filter.radius_y + 1, thread_scratch());
    const std::uint8_t* rows[2 * max_bilateral_radius + 1];
    std::vector<const std::uint8_t*> lines(neighbours.size());
    for (int y = band.first; y < band.last; ++y) {
        for (int j = 0; j <= 2 * filter.radius_y; ++j) {
            rows[j] = ring.row(y + j - filter.radius_y);
        }
        std::ranges::transform(neighbours, lines.begin(),
                               [&](const Neighbour& one) { return rows[one.row] + one.samples; });
        const std::uint8_t* const middle = rows[filter.radius_y];
        for (int x = 0; x < samples; x += lanes) {
            const VByte own = hn::LoadU(d8, middle + x);
            ByteSums sums{{hn::Zero(d32), hn::Zero(d32), hn::Zero(d32), hn::Zero(d32)}};
            V16 weights_low = hn::Set(d16, static_cast<std::int16_t>(own_reach));
            V16 weights_high = weights_low;
            const VByte ones = hn::Set(d8, 1);
            for (int first = 0; first < count; first += 2 * twos) {
                V16 sums_low = hn::Zero(d16);
                V16 sums_high = hn::Zero(d16);
                const int last = std::min(first + 2 * twos, count);
                for (int i = first; i < last; i += 2) {
                    const auto at = static_cast<std::size_t>(i);
                    const VByte a = hn::LoadU(d8, lines[at] + x);
                    const VByte b = hn::LoadU(d8, lines[at + 1] + x);
                    const VByte reach_a = hn::Set(d8, static_cast<std::uint8_t>(neighbours[at].reach));
                    const VByte reach_b = hn::Set(d8, static_cast<std::uint8_t>(neighbours[at + 1].reach));
                    const VByte weight_a =
                        hn::SaturatedSub(hn::SaturatedSub(reach_a, hn::SaturatedSub(a, own)), hn::SaturatedSub(own, a));
                    const VByte weight_b =
                        hn::SaturatedSub(hn::SaturatedSub(reach_b, hn::SaturatedSub(b, own)), hn::SaturatedSub(own, b));
                    // Where there is a weight, differences are those of signed bytes.
                    const VByte difference_a = hn::Sub(a, own);
                    const VByte difference_b = hn::Sub(b, own);
                    const VByte low = hn::InterleaveLower(d8, weight_a, weight_b);
                    const VByte high = hn::InterleaveUpper(d8, weight_a, weight_b);
                    sums_low =
                        hn::Add(sums_low, dot_signed_bytes(low, hn::InterleaveLower(d8, difference_a, difference_b)));
                    sums_high =
                        hn::Add(sums_high, dot_signed_bytes(high, hn::InterleaveUpper(d8, difference_a, difference_b)));
                    weights_low = hn::Add(weights_low, dot_signed_bytes(low, ones));
                    weights_high = hn::Add(weights_high, dot_signed_bytes(high, ones));
                }
                add_words(sums_low, sums_high, sums);
            }
            const V16 low = small_quotients(sums.at[0], sums.at[1], weights_low);
            const V16 high = small_quotients(sums.at[2], sums.at[3], weights_high);
            store_line<std::uint8_t>(hn::Add(own, join_bytes(low, high)), band, band.dst.row(y) + x, samples - x);
        }
    }
}

// The same of any sums and weights that fit 32 and 16 bits.
HWY_INLINE V32 quotient(V32 sum, V32 weights) {
    const D32 d32;
    const hn::RebindToFloat<D32> df;
    const V32 dividend = hn::Add(sum, hn::ShiftRight<1>(weights));
    // Off by one at most, which the remainder shows.
    const V32 found = hn::ConvertTo(d32, hn::Floor(hn::Div(hn::ConvertTo(df, dividend), hn::ConvertTo(df, weights))));
    const V32 rest = hn::Sub(dividend, hn::Mul(found, weights));
    // A mask's lanes are -1.
    const V32 raised = hn::Add(found, hn::VecFromMask(d32, hn::Lt(rest, hn::Zero(d32))));
    return hn::Sub(raised, hn::VecFromMask(d32, hn::Gt(rest, hn::Sub(weights, hn::Set(d32, 1)))));
}

// The first `count` of as many samples as a vector has words, to where they are stored.
HWY_INLINE void store_words(V16 samples, const Band<std::uint16_t>& band, std::uint16_t* to, int count) {
    store_line<std::uint16_t>(samples, band, to, count);
}
HWY_INLINE void store_words(V16 samples, const Band<std::uint8_t>& /*band*/, std::uint8_t* to, int count) {
    const hn::Rebind<std::uint8_t, D16> d8;
    const auto bytes = hn::DemoteTo(d8, samples);
    if (HWY_LIKELY(count >= lanes16())) {
        hn::StoreU(bytes, d8, to);
        return;
    }
    HWY_ALIGN std::uint8_t rest[HWY_MAX_BYTES];
    hn::StoreU(bytes, d8, rest);
    std::memcpy(to, rest, static_cast<std::size_t>(count));
}

// Samples that are compared by their upper bits.
template <class T>
void average_words(const Bilateral& filter, const Band<T>& band) {
    const D16 d16;
    const D32 d32;
    const DWord du16;
    const int lanes = lanes16();
    const int step = band.src.step;
    const int samples = band.src.samples();
    const int shift = filter.shift();
    const std::vector<Neighbour> neighbours = neighbours_of(filter, step, true);
    LineRing<T> ring(band, filter.radius_x * step, 2 * filter.radius_y + 1, thread_scratch());
    const Line<T>* rows[2 * max_bilateral_radius + 1];
    std::vector<const Line<T>*> lines(neighbours.size());
    for (int y = band.first; y < band.last; ++y) {
        for (int j = 0; j <= 2 * filter.radius_y; ++j) {
            rows[j] = ring.row(y + j - filter.radius_y);
        }
        std::ranges::transform(neighbours, lines.begin(),
                               [&](const Neighbour& one) { return rows[one.row] + one.samples; });
        const Line<T>* const middle = rows[filter.radius_y];
        for (int x = 0; x < samples; x += lanes) {
            const V16 own = hn::ShiftRightSame(load_samples(middle + x), shift);
            V32 sums_low = hn::Zero(d32);
            V32 sums_high = hn::Zero(d32);
            V16 weights = hn::Zero(d16);
            for (std::size_t i = 0; i < lines.size(); i += 2) {
                const V16 a = load_samples(lines[i] + x);
                const V16 b = load_samples(lines[i + 1] + x);
                const auto weight = [&](V16 sample, int reach) HWY_ATTR {
                    const V16 difference = hn::Abs(hn::Sub(hn::ShiftRightSame(sample, shift), own));
                    const auto left = hn::SaturatedSub(hn::Set(du16, static_cast<std::uint16_t>(reach)),
                                                       hn::BitCast(du16, difference));
                    return hn::BitCast(d16, left);
                };
                const V16 weight_a = weight(a, neighbours[i].reach);
                const V16 weight_b = weight(b, neighbours[i + 1].reach);
                sums_low =
                    dot_pairs(hn::InterleaveLower(d16, weight_a, weight_b), hn::InterleaveLower(d16, a, b), sums_low);
                sums_high =
                    dot_pairs(hn::InterleaveUpper(d16, weight_a, weight_b), hn::InterleaveUpper(d16, a, b), sums_high);
                weights = hn::Add(weights, hn::Add(weight_a, weight_b));
            }
            const V16 zero = hn::Zero(d16);
            const V32 low = quotient(sums_low, hn::BitCast(d32, hn::InterleaveLower(d16, weights, zero)));
            const V32 high = quotient(sums_high, hn::BitCast(d32, hn::InterleaveUpper(d16, weights, zero)));
            store_words(hn::ReorderDemote2To(d16, low, high), band, band.dst.row(y) + x, samples - x);
        }
    }
}

#endif  // HWY_TARGET
}  // namespace
}  // namespace vfilter::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // VFILTER_SIMD_BILATERAL_INL
