// One bounded term, as smoothings are, on pairs. Compiled once for each instruction set.
//
// A pair is a 32-bit word of two 16-bit values, of which one instruction multiplies sixteen (AVX-512) by a pair of taps
// and adds the two products. The row pass takes pairs of neighbouring samples; components are apart. It works on two
// rows at once and packs their results into pairs of vertical neighbours, which is what the column pass takes, so that
// nothing is shuffled between the two. A block of a slot of the ring is one vector of pairs for the even columns, then
// one for the odd.

#if defined(VFILTER_SIMD_PAIRS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef VFILTER_SIMD_PAIRS_INL
#undef VFILTER_SIMD_PAIRS_INL
#else
#define VFILTER_SIMD_PAIRS_INL
#endif

#include "kernels/cpu/simd_lines-inl.h"

HWY_BEFORE_NAMESPACE();
namespace vfilter::simd::HWY_NAMESPACE {
namespace {
#if HWY_TARGET != HWY_SCALAR

// acc + a[2i] * b[2i] + a[2i+1] * b[2i+1], modulo 2^32.
HWY_INLINE V32 dot_pairs(V16 a, V16 b, V32 acc) {
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3_DL && HWY_MAJOR == 1 && HWY_MINOR == 0
    // Highway 1.0 knows the target but not this instruction of it, nor lets its intrinsic through.
    asm("vpdpwssd %2, %1, %0" : "+v"(acc.raw) : "v"(a.raw), "v"(b.raw));
    return acc;
#else
    const D32 d32;
    V32 upper = hn::Zero(d32);
#if HWY_ARCH_X86 && HWY_TARGET != HWY_EMU128
    return hn::ReorderWidenMulAccumulate(d32, a, b, acc, upper);  // adds pairs, in order, and leaves `upper` alone
#else
    const V32 lower = hn::ReorderWidenMulAccumulate(d32, a, b, hn::Zero(d32), upper);
    return hn::Add(acc, hn::RearrangeToOddPlusEven(lower, upper));
#endif
#endif
}

HWY_INLINE V16 broadcast_pair(std::int32_t word) {
    return hn::BitCast(D16(), hn::Set(D32(), word));
}

// The low halves of `low` and of `high` side by side, in pairs.
HWY_INLINE V16 pack_pairs(V32 low, V32 high) {
    const D16 d16;
    return hn::OddEven(hn::BitCast(d16, hn::ShiftLeft<16>(high)), hn::BitCast(d16, low));
}

HWY_INLINE V16 load_samples(const std::uint8_t* from) {
    return hn::PromoteTo(D16(), hn::LoadU(hn::Rebind<std::uint8_t, D16>(), from));
}

HWY_INLINE V16 load_samples(const std::int16_t* from) {
    return hn::LoadU(D16(), from);
}

// The sums of one block of one row: those over the taps, or the high parts of split ones, and over their low parts.
template <bool kSplit>
struct Sums {
    V32 even, odd;
    V32 low_even, low_odd;
};

// The taps of one step, for the first and the second of the two results that an input serves.
template <bool kSplit>
struct TapPair {
    V16 first, second;
    V16 low_first, low_second;
};

template <bool kSplit>
HWY_INLINE Sums<kSplit> start_sums(const PairedPass& pass) {
    const V32 start = hn::Set(D32(), pass.start);
    const V32 low = hn::Set(D32(), pass.low_start);
    return {start, start, low, low};
}

template <bool kSplit>
HWY_INLINE TapPair<kSplit> load_taps(const PairedPass& pass, int m) {
    const auto i = static_cast<std::size_t>(m);
    const V16 even = broadcast_pair(pass.taps.even[i]);
    const V16 odd = broadcast_pair(pass.taps.odd[i]);
    if constexpr (kSplit) {
        const V16 low = broadcast_pair(pass.low.even[i]);
        return {even, odd, low, broadcast_pair(pass.low.odd[i])};
    }
    return {even, odd, even, odd};
}

template <bool kSplit>
HWY_INLINE V32 finish(V32 sum, V32 low, const PairedPass& pass) {
    if constexpr (kSplit) {
        sum = hn::Add(sum, hn::ShiftRightSame(low, pass.low_bits));
    }
    return hn::ShiftRightSame(sum, pass.shift);
}

// The pair of taps before which sums over low parts are carried: all fit until there. Others need not be.
template <bool kSplit>
HWY_INLINE int next_stop(const PairedPass& pass, int m, int pairs) {
    return kSplit ? std::min(m + pass.low_pairs, pairs) : pairs;
}

// The same sums, less in the low parts.
HWY_INLINE void carry(Sums<true>& sums, const PairedPass& pass) {
    const V32 rest = hn::Set(D32(), (1 << pass.low_bits) - 1);
    sums.even = hn::Add(sums.even, hn::ShiftRightSame(sums.low_even, pass.low_bits));
    sums.odd = hn::Add(sums.odd, hn::ShiftRightSame(sums.low_odd, pass.low_bits));
    sums.low_even = hn::And(sums.low_even, rest);
    sums.low_odd = hn::And(sums.low_odd, rest);
}

// --------------------------------------------------------------------------------------------------------- row pass

// Two rows of `columns` intermediates, rounded up to whole blocks, into one slot. kPairs: number of pairs of taps known
// to the compiler, or 0. kBlocks: blocks worked on together, to share the taps and keep the multipliers busy.
template <bool kSplit, int kPairs, int kBlocks, class L>
void pair_rows(const PairedPass& pass, const L* line0, const L* line1, int columns, std::int32_t* out) {
    const D32 d32;
    const int lanes = lanes16();
    const int pairs = kPairs != 0 ? kPairs : static_cast<int>(pass.taps.even.size());
    for (int x = 0; x < columns; x += kBlocks * lanes) {
        Sums<kSplit> top[kBlocks];
        Sums<kSplit> bottom[kBlocks];
        for (int i = 0; i < kBlocks; ++i) {
            top[i] = bottom[i] = start_sums<kSplit>(pass);
        }
        for (int m = 0; m < pairs;) {
            const int stop = next_stop<kSplit>(pass, m, pairs);
            for (; m < stop; ++m) {
                const TapPair<kSplit> taps = load_taps<kSplit>(pass, m);
                for (int i = 0; i < kBlocks; ++i) {
                    const int at = x + i * lanes + 2 * m;
                    const V16 a = load_samples(line0 + at);
                    const V16 b = load_samples(line1 + at);
                    top[i].even = dot_pairs(a, taps.first, top[i].even);
                    top[i].odd = dot_pairs(a, taps.second, top[i].odd);
                    bottom[i].even = dot_pairs(b, taps.first, bottom[i].even);
                    bottom[i].odd = dot_pairs(b, taps.second, bottom[i].odd);
                    if constexpr (kSplit) {
                        top[i].low_even = dot_pairs(a, taps.low_first, top[i].low_even);
                        top[i].low_odd = dot_pairs(a, taps.low_second, top[i].low_odd);
                        bottom[i].low_even = dot_pairs(b, taps.low_first, bottom[i].low_even);
                        bottom[i].low_odd = dot_pairs(b, taps.low_second, bottom[i].low_odd);
                    }
                }
            }
            if constexpr (kSplit) {
                for (int i = 0; m < pairs && i < kBlocks; ++i) {
                    carry(top[i], pass);
                    carry(bottom[i], pass);
                }
            }
        }
        for (int i = 0; i < kBlocks; ++i) {
            const V16 even = pack_pairs(finish<kSplit>(top[i].even, top[i].low_even, pass),
                                        finish<kSplit>(bottom[i].even, bottom[i].low_even, pass));
            const V16 odd = pack_pairs(finish<kSplit>(top[i].odd, top[i].low_odd, pass),
                                       finish<kSplit>(bottom[i].odd, bottom[i].low_odd, pass));
            hn::Store(hn::BitCast(d32, even), d32, out + x + i * lanes);
            hn::Store(hn::BitCast(d32, odd), d32, out + x + i * lanes + lanes / 2);
        }
    }
}

// ------------------------------------------------------------------------------------------------------ column pass

// Results of one block as samples in picture order. None is outside [0, max].
HWY_INLINE void store_samples(V32 even, V32 odd, int /*lsb*/, std::uint8_t* to) {
    const hn::Rebind<std::uint8_t, D16> d8;
    hn::StoreU(hn::DemoteTo(d8, pack_pairs(even, odd)), d8, to);
}

HWY_INLINE void store_samples(V32 even, V32 odd, int lsb, std::uint16_t* to) {
    const hn::RebindToUnsigned<D16> du;
    hn::StoreU(hn::ShiftLeftSame(hn::BitCast(du, pack_pairs(even, odd)), lsb), du, to);
}

// The first `columns` results of a block, of which there may be none.
template <bool kSplit, class T>
HWY_INLINE void store_block(const Sums<kSplit>& sums, const PairedPass& pass, const Band<T>& band, T* to, int columns) {
    V32 even = finish<kSplit>(sums.even, sums.low_even, pass);
    V32 odd = finish<kSplit>(sums.odd, sums.low_odd, pass);
    if constexpr (kSplit) {
        const V32 back = hn::Set(D32(), 1 << (band.depth - 1));
        even = hn::Add(even, back);
        odd = hn::Add(odd, back);
    }
    if (HWY_LIKELY(columns >= lanes16())) {
        store_samples(even, odd, band.dst.lsb, to);
        return;
    }
    if (columns > 0) {
        HWY_ALIGN T rest[HWY_MAX_BYTES / sizeof(std::int16_t)];
        store_samples(even, odd, band.dst.lsb, rest);
        std::memcpy(to, rest, static_cast<std::size_t>(columns) * sizeof(T));
    }
}

// Two rows of the picture from the slots; `bottom` is null where the band ends after one.
template <bool kSplit, int kPairs, int kBlocks, class T>
void pair_columns(const PairedPass& pass, const Band<T>& band, const std::int32_t* const* slots, int columns, T* top,
                  T* bottom) {
    const D16 d16;
    const int lanes = lanes16();
    const int pairs = kPairs != 0 ? kPairs : static_cast<int>(pass.taps.even.size());
    for (int x = 0; x < columns; x += kBlocks * lanes) {
        Sums<kSplit> first[kBlocks];
        Sums<kSplit> second[kBlocks];
        for (int i = 0; i < kBlocks; ++i) {
            first[i] = second[i] = start_sums<kSplit>(pass);
        }
        for (int m = 0; m < pairs;) {
            const int stop = next_stop<kSplit>(pass, m, pairs);
            for (; m < stop; ++m) {
                const TapPair<kSplit> taps = load_taps<kSplit>(pass, m);
                for (int i = 0; i < kBlocks; ++i) {
                    const auto* const pair = reinterpret_cast<const std::int16_t*>(slots[m] + x + i * lanes);
                    const V16 a = hn::Load(d16, pair);
                    const V16 b = hn::Load(d16, pair + lanes);
                    first[i].even = dot_pairs(a, taps.first, first[i].even);
                    first[i].odd = dot_pairs(b, taps.first, first[i].odd);
                    second[i].even = dot_pairs(a, taps.second, second[i].even);
                    second[i].odd = dot_pairs(b, taps.second, second[i].odd);
                    if constexpr (kSplit) {
                        first[i].low_even = dot_pairs(a, taps.low_first, first[i].low_even);
                        first[i].low_odd = dot_pairs(b, taps.low_first, first[i].low_odd);
                        second[i].low_even = dot_pairs(a, taps.low_second, second[i].low_even);
                        second[i].low_odd = dot_pairs(b, taps.low_second, second[i].low_odd);
                    }
                }
            }
            if constexpr (kSplit) {
                for (int i = 0; m < pairs && i < kBlocks; ++i) {
                    carry(first[i], pass);
                    carry(second[i], pass);
                }
            }
        }
        for (int i = 0; i < kBlocks; ++i) {
            store_block<kSplit>(first[i], pass, band, top + x + i * lanes, columns - x - i * lanes);
            if (bottom != nullptr) {
                store_block<kSplit>(second[i], pass, band, bottom + x + i * lanes, columns - x - i * lanes);
            }
        }
    }
}

// ------------------------------------------------------------------------------------------------------------ strips

template <class L>
using RowPass = void (*)(const PairedPass&, const L*, const L*, int, std::int32_t*);

// Of one term that is not split.
template <class L>
RowPass<L> choose_rows(const PairedPass& rows) {
    switch (rows.taps.even.size()) {
        case 1:
            return pair_rows<false, 1, 2, L>;
        case 2:
            return pair_rows<false, 2, 2, L>;
        case 3:
            return pair_rows<false, 3, 2, L>;
        case 4:
            return pair_rows<false, 4, 2, L>;
        default:
            return pair_rows<false, 0, 2, L>;
    }
}

// The code for one term: two lines to a slot, and slots to two rows of the picture.
template <class T>
struct PairPasses {
    RowPass<Line<T>> rows;
    void (*columns)(const PairedPass&, const Band<T>&, const std::int32_t* const*, int, T*, T*);
};

template <class T>
PairPasses<T> choose_passes(const PairedPass& rows, const PairedPass& columns) {
    if (!rows.low.even.empty()) {
        // Split taps take twice the registers, and no more than one block of them fits.
        return {pair_rows<true, 0, 1, Line<T>>, pair_columns<true, 0, 1, T>};
    }
    PairPasses<T> passes{choose_rows<Line<T>>(rows), pair_columns<false, 0, 2, T>};
    switch (columns.taps.even.size()) {
        case 2:
            passes.columns = pair_columns<false, 2, 2, T>;
            break;
        case 3:
            passes.columns = pair_columns<false, 3, 2, T>;
            break;
        case 4:
            passes.columns = pair_columns<false, 4, 2, T>;
            break;
        default:
            break;
    }
    return passes;
}

// A ring of slots for `terms` terms of `pairs` pairs of rows each: every slot stands twice, so that any run of `pairs`
// slots of a term is one range.
inline void make_ring(Scratch& scratch, int terms, int pairs, int width) {
    scratch.slots.clear();
    for (int term = 0; term < terms; ++term) {
        for (int i = 0; i < 2 * pairs; ++i) {
            scratch.slots.push_back(scratch.ring.get() + std::ptrdiff_t{term * pairs + i % pairs} * width);
        }
    }
}

template <class T>
void filter_pairs(const PreparedFilter& made, const Band<T>& band, int left, int columns, Scratch& scratch) {
    const PairedTerm& term = made.terms.front();
    const int step = band.src.step;
    const PairPasses<T> passes = choose_passes<T>(term.rows, term.columns);
    const int radius = made.filter.radius_y();
    const int pairs = radius + 1;
    const int width = slot_columns(columns, step);
    make_ring(scratch, 1, pairs, width);
    const auto slot = [&](int p) { return scratch.ring.get() + std::ptrdiff_t{p % pairs} * width; };
    StripLines<T> lines(band, left, columns, term.radius_x * step, scratch);
    StripResults<T> results(band, left, columns, false, scratch);
    const int row_pairs = (band.last - band.first + 1) / 2 + pairs - 1;
    for (int p = 0; p < row_pairs; ++p) {
        const int y = band.first - radius + 2 * p;
        lines.template rows<2>(y, [&](int x, int count, const auto& both) {
            passes.rows(term.rows, both[0], both[1], count, slot(p) + x);
        });
        if (p >= pairs - 1) {
            const int out = y - radius;  // = band.first + 2 * (p - pairs + 1)
            results.begin(out, out + 1 < band.last);
            passes.columns(term.columns, band, scratch.slots.data() + (p + 1) % pairs, results.columns(),
                           results.row(0), results.row(1));
            results.end();
        }
    }
}

#endif  // HWY_TARGET
}  // namespace
}  // namespace vfilter::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // include guard for each target
