// Sums of terms in int16. Compiled once for each instruction set.
//
// They go the way of simd_pairs-inl.h, with a ring of slots for each term; the sums of all terms meet in registers.

#if defined(VFILTER_SIMD_TERMS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef VFILTER_SIMD_TERMS_INL
#undef VFILTER_SIMD_TERMS_INL
#else
#define VFILTER_SIMD_TERMS_INL
#endif

#include "kernels/cpu/simd_pairs-inl.h"

HWY_BEFORE_NAMESPACE();
namespace vfilter::simd::HWY_NAMESPACE {
namespace {
#if HWY_TARGET != HWY_SCALAR

/// What the sums of the column pass go through, as vectors.
struct VectorFinish {
    // Two squares are below 2^23 then, and the float's root is exact: see root().
    static constexpr std::int64_t max_unlimited = 2047;

    Combine combine;
    int shift;
    int depth;
    std::int32_t start;  ///< of v: the centres of all terms, and for Combine::sum what is added before the shift
    std::int32_t added;  ///< before the shift for Combine::absolute; to the root, which may be the larger number
    std::int32_t gain;
    std::int32_t threshold;
    std::int32_t limit;
    bool limited =
        false;  ///< whether v may lie beyond the limit; if it does the result is the largest sample, either way
    bool needs_samples;

    explicit VectorFinish(const LinearFilter& filter)
        : combine(filter.finish.combine),
          shift(filter.finish.shift),
          depth(filter.depth),
          added(static_cast<std::int32_t>(combine == Combine::magnitude ? filter.finish.rounded_bias() >> shift
                                                                        : filter.finish.rounded_bias())),
          gain(static_cast<std::int32_t>(filter.finish.gain)),
          threshold(static_cast<std::int32_t>(filter.finish.threshold)),
          limit(filter.magnitude_limit()),
          needs_samples(filter.finish.gain != 0 || filter.finish.threshold != 0) {
        std::int64_t sum = combine == Combine::sum ? added : 0;
        for (const Term& term : filter.terms) {
            sum += term.centre_sum();
            std::int64_t max = 1;  // of |v|, less what the shift of the rows takes away
            for (const std::vector<std::int32_t>* const taps : {&term.rows, &term.columns}) {
                std::int64_t taps_sum = 0;
                for (const std::int32_t tap : *taps) {
                    taps_sum += std::abs(tap);
                }
                max *= taps_sum;
            }
            limited = limited || ((max >> term.row_shift) + 1) * filter.max_value() >> (shift - 1) > max_unlimited;
        }
        start = static_cast<std::int32_t>(sum);  // modulo 2^32, as all sums
    }
};

/// The even and the odd columns of a block.
struct Halves {
    V32 even, odd;
};

// Samples as they are in the picture, 16 or more at a time.
HWY_INLINE Halves split(V16 samples) {
    const D32 d32;
    const V32 pairs = hn::BitCast(d32, samples);
    const hn::RebindToUnsigned<D32> du32;
    return {hn::And(pairs, hn::Set(d32, 0xffff)), hn::BitCast(d32, hn::ShiftRight<16>(hn::BitCast(du32, pairs)))};
}

HWY_INLINE Halves load_block(const Band<std::uint8_t>& /*band*/, const std::uint8_t* from) {
    return split(load_samples(from));
}

HWY_INLINE Halves load_block(const Band<std::uint16_t>& band, const std::uint16_t* from) {
    const hn::RebindToUnsigned<D16> du;
    const auto mask = hn::Set(du, static_cast<std::uint16_t>(band.max_value()));
    return split(hn::BitCast(D16(), hn::And(hn::ShiftRightSame(hn::LoadU(du, from), band.src.lsb), mask)));
}

// The first `columns` samples of a block, and nothing after them.
template <class T>
HWY_INLINE Halves load_samples_of(const Band<T>& band, const T* from, int columns) {
    if (HWY_LIKELY(columns >= lanes16())) {
        return load_block(band, from);
    }
    HWY_ALIGN T rest[HWY_MAX_BYTES / sizeof(std::int16_t)] = {};
    std::memcpy(rest, from, static_cast<std::size_t>(std::max(columns, 0)) * sizeof(T));
    return load_block(band, rest);
}

// From v to the result: Combine::sum and Combine::absolute.
HWY_INLINE V32 finish_sum(const VectorFinish& f, V32 v, V32 sample) {
    const D32 d32;
    if (f.gain != 0) {
        v = hn::Add(v, hn::Mul(sample, hn::Set(d32, f.gain)));
    }
    if (f.combine == Combine::absolute) {
        v = hn::Add(hn::Abs(v), hn::Set(d32, f.added));
    }
    const V32 result = hn::ShiftRightSame(v, f.shift);
    if (f.threshold == 0) {
        return result;
    }
    const V32 change = hn::Sub(hn::Sub(v, hn::Set(d32, f.added)), hn::ShiftLeftSame(sample, f.shift));
    return hn::IfThenElse(hn::Lt(hn::Abs(change), hn::Set(d32, f.threshold)), sample, result);
}

// From one term's v to its part of the sum of squares.
HWY_INLINE V32 square(const VectorFinish& f, V32 v) {
    const D32 d32;
    const V32 halves = hn::ShiftRightSame(v, f.shift - 1);
    if (!f.limited) {
        return hn::Mul(halves, halves);
    }
    const V32 limited = hn::Min(hn::Max(halves, hn::Set(d32, -f.limit)), hn::Set(d32, f.limit));
    return hn::Mul(limited, limited);
}

// The floor of the root of n. A float holds n < 2^24 and rounds its root correctly; below 2^23 that root is less than
// 2897, so that k^2 - 1 has one that is 1 / (2 k) > 2^-13 away from k, more than half a unit in the last place:
// truncation is exact. For n up to 2^29 the estimate is at most 1 off, as n is rounded to 24 bits and the root has no
// more than 15.
template <bool kSmall>
HWY_INLINE V32 root(V32 n) {
    const D32 d32;
    const hn::RebindToFloat<D32> df;
    V32 r = hn::ConvertTo(d32, hn::Sqrt(hn::ConvertTo(df, n)));
    if constexpr (kSmall) {
        return r;
    }
    const V32 one = hn::Set(d32, 1);
    r = hn::Sub(r, hn::IfThenElseZero(hn::Gt(hn::Mul(r, r), n), one));
    const V32 next = hn::Add(r, one);
    return hn::IfThenElse(hn::Gt(hn::Mul(next, next), n), r, next);
}

HWY_INLINE V32 finish_squares(const VectorFinish& f, V32 n) {
    const D32 d32;
    const V32 whole = f.depth == 8 ? root<true>(n) : root<false>(n);
    const V32 rounded = hn::ShiftRight<1>(hn::Add(whole, hn::Set(d32, 1)));
    return hn::Add(rounded, hn::Set(d32, f.added));
}

HWY_INLINE void store_clamped(Halves values, const Band<std::uint8_t>& /*band*/, std::uint8_t* to) {
    const D32 d32;
    const V32 zero = hn::Zero(d32);
    const V32 max = hn::Set(d32, 255);
    const hn::Rebind<std::uint8_t, D16> d8;
    hn::StoreU(
        hn::DemoteTo(d8, pack_pairs(hn::Min(hn::Max(values.even, zero), max), hn::Min(hn::Max(values.odd, zero), max))),
        d8, to);
}

HWY_INLINE void store_clamped(Halves values, const Band<std::uint16_t>& band, std::uint16_t* to) {
    const D32 d32;
    const hn::RebindToUnsigned<D16> du;
    const V32 zero = hn::Zero(d32);
    const V32 max = hn::Set(d32, band.max_value());
    const V16 pairs = pack_pairs(hn::Min(hn::Max(values.even, zero), max), hn::Min(hn::Max(values.odd, zero), max));
    hn::StoreU(hn::ShiftLeftSame(hn::BitCast(du, pairs), band.dst.lsb), du, to);
}

template <class T>
HWY_INLINE void store_columns(Halves values, const Band<T>& band, T* to, int columns) {
    if (HWY_LIKELY(columns >= lanes16())) {
        store_clamped(values, band, to);
    } else if (columns > 0) {
        HWY_ALIGN T rest[HWY_MAX_BYTES / sizeof(std::int16_t)];
        store_clamped(values, band, rest);
        std::memcpy(to, rest, static_cast<std::size_t>(columns) * sizeof(T));
    }
}

/// v, or sums of squares, of one block of two rows.
struct TwoRows {
    Halves top, bottom;
};

// Adds the column pass of one term to `sums`.
HWY_INLINE void add_term(const PairedTerm& term, const std::int32_t* const* slots, int x, TwoRows& sums) {
    const D16 d16;
    const int lanes = lanes16();
    for (int m = term.first_pair; m < term.last_pair; ++m) {
        const auto i = static_cast<std::size_t>(m);
        const V16 first = broadcast_pair(term.columns.taps.even[i]);
        const V16 second = broadcast_pair(term.columns.taps.odd[i]);
        const auto* const pair = reinterpret_cast<const std::int16_t*>(slots[m] + x);
        const V16 a = hn::Load(d16, pair);
        const V16 b = hn::Load(d16, pair + lanes);
        sums.top.even = dot_pairs(a, first, sums.top.even);
        sums.top.odd = dot_pairs(b, first, sums.top.odd);
        sums.bottom.even = dot_pairs(a, second, sums.bottom.even);
        sums.bottom.odd = dot_pairs(b, second, sums.bottom.odd);
    }
}

// Two rows of results from the slots, of which every term has `2 * pairs`.
template <bool kMagnitude, class T>
void term_columns(const PreparedFilter& made, const VectorFinish& f, const Band<T>& band, int pairs,
                  const std::int32_t* const* slots, const StripResults<T>& results) {
    const D32 d32;
    const int columns = results.columns();
    const auto& terms = made.terms;
    const V32 start = hn::Set(d32, f.start);
    for (int x = 0; x < columns; x += lanes16()) {
        TwoRows sums{{start, start}, {start, start}};
        if constexpr (kMagnitude) {
            const V32 zero = hn::Zero(d32);
            sums = {{zero, zero}, {zero, zero}};
        }
        for (std::size_t t = 0; t < terms.size(); ++t) {
            const std::int32_t* const* const own = slots + static_cast<std::ptrdiff_t>(t) * 2 * pairs;
            if constexpr (kMagnitude) {
                const Term& term = made.filter.terms[t];
                const V32 begin = hn::Set(d32, static_cast<std::int32_t>(term.centre_sum() + ((1 << f.shift) >> 2)));
                TwoRows v{{begin, begin}, {begin, begin}};
                add_term(terms[t], own, x, v);
                sums.top = {hn::Add(sums.top.even, square(f, v.top.even)), hn::Add(sums.top.odd, square(f, v.top.odd))};
                sums.bottom = {hn::Add(sums.bottom.even, square(f, v.bottom.even)),
                               hn::Add(sums.bottom.odd, square(f, v.bottom.odd))};
            } else {
                add_term(terms[t], own, x, sums);
            }
        }
        const auto store = [&](const Halves& v, int row) {
            if constexpr (kMagnitude) {
                store_columns({finish_squares(f, v.even), finish_squares(f, v.odd)}, band, results.row(row) + x,
                              columns - x);
            } else {
                Halves samples{start, start};
                if (f.needs_samples) {
                    samples = load_samples_of(band, results.samples(row) + x, columns - x);
                }
                store_columns({finish_sum(f, v.even, samples.even), finish_sum(f, v.odd, samples.odd)}, band,
                              results.row(row) + x, columns - x);
            }
        };
        store(sums.top, 0);
        if (results.row(1) != nullptr) {
            store(sums.bottom, 1);
        }
    }
}

template <class T>
void filter_terms(const PreparedFilter& made, const Band<T>& band, int left, int columns, Scratch& scratch) {
    const LinearFilter& filter = made.filter;
    const VectorFinish finish(filter);
    const int step = band.src.step;
    const int radius_x = filter.radius_x();
    const int radius = filter.radius_y();
    const int pairs = radius + 1;
    const auto count = static_cast<int>(made.terms.size());
    const int width = slot_columns(columns, step);
    make_ring(scratch, count, pairs, width);
    const auto slot = [&](int term, int p) {
        return scratch.ring.get() + (std::ptrdiff_t{term} * pairs + p % pairs) * width;
    };
    StripLines<T> lines(band, left, columns, radius_x * step, scratch);
    StripResults<T> results(band, left, columns, finish.needs_samples, scratch);
    const int row_pairs = (band.last - band.first + 1) / 2 + pairs - 1;
    for (int p = 0; p < row_pairs; ++p) {
        const int y = band.first - radius + 2 * p;
        lines.template rows<2>(y, [&](int x, int own_columns, const auto& both) {
            for (int term = 0; term < count; ++term) {
                const PairedTerm& own = made.terms[static_cast<std::size_t>(term)];
                const int skip = radius_x - own.radius_x;
                choose_rows<Line<T>>(own.rows)(own.rows, both[0] + skip, both[1] + skip, own_columns,
                                               slot(term, p) + x);
            }
        });
        if (p >= pairs - 1) {
            const int out = y - radius;  // = band.first + 2 * (p - pairs + 1)
            const auto pass =
                filter.finish.combine == Combine::magnitude ? term_columns<true, T> : term_columns<false, T>;
            results.begin(out, out + 1 < band.last);
            pass(made, finish, band, pairs, scratch.slots.data() + (p + 1) % pairs, results);
            results.end();
        }
    }
}

#endif  // HWY_TARGET
}  // namespace
}  // namespace vfilter::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // include guard for each target
