// The row pass of boxes of deep samples by running sums: see simd_box_deep-inl.h. Compiled once for each instruction
// set.

#if defined(VFILTER_SIMD_BOX_DEEP_ROWS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef VFILTER_SIMD_BOX_DEEP_ROWS_INL
#undef VFILTER_SIMD_BOX_DEEP_ROWS_INL
#else
#define VFILTER_SIMD_BOX_DEEP_ROWS_INL
#endif

#include "kernels/cpu/simd_box_scan-inl.h"
#include "kernels/cpu/simd_pairs-inl.h"

HWY_BEFORE_NAMESPACE();
namespace vfilter::simd::HWY_NAMESPACE {
namespace {
#if HWY_TARGET != HWY_SCALAR && HWY_ARCH_X86

/// How sums become results.
enum class RunningKind {
    whole,    ///< taps of one part
    split,    ///< of two
    nearest,  ///< see BoxSide::nearest
};

/// One pass.
struct RunningPass {
    RunningPass(const BoxSide& side, const PairedPass& pass)
        : radius(side.radius),
          middle(side.middle),
          high(high_part(side.tap, pass.low_bits)),
          low(low_part(side.tap, pass.low_bits)),
          low_bits(pass.low_bits),
          shift(pass.shift),
          start(pass.start),
          kind(side.nearest        ? RunningKind::nearest
               : pass.low_bits > 0 ? RunningKind::split
                                   : RunningKind::whole),
          share(1 / static_cast<float>(2 * side.radius + 1)),
          centre(pair_word(side.centre, 0)),
          odd_centre(pair_word(0, side.centre)) {}

    int radius;
    int middle;  ///< the radius of the taps that have one more, or -1
    std::int32_t high, low;
    int low_bits;
    int shift;
    std::int32_t start;  ///< of rows: added to the products of high parts; of columns: what the rest starts from
    RunningKind kind;
    float share;                      ///< of a sample in the mean
    std::int32_t centre, odd_centre;  ///< what the middle tap has besides, as a pair of taps
};

// The pass's result of the sum over the box and of all that is not multiplied by its tap. `high_start` is added to the
// products of high parts.
template <RunningKind kKind>
HWY_INLINE V32 finish_running(const RunningPass& pass, V32 sum, V32 rest, V32 high_start) {
    const D32 d32;
    if constexpr (kKind == RunningKind::nearest) {
        const hn::RebindToFloat<D32> df;
        return hn::NearestInt(hn::Mul(hn::ConvertTo(df, sum), hn::Set(df, pass.share)));
    }
    const V32 result = hn::Add(hn::Mul(sum, hn::Set(d32, pass.high)), high_start);
    if constexpr (kKind == RunningKind::split) {
        rest = hn::ShiftRightSame(hn::Add(hn::Mul(sum, hn::Set(d32, pass.low)), rest), pass.low_bits);
    }
    return hn::ShiftRightSame(hn::Add(result, rest), pass.shift);
}

// Prefix sums within a vector.
HWY_INLINE V32 scan_lanes(V32 v) {
#if HWY_TARGET <= HWY_AVX3
    return V32{LaneMoves<std::int32_t, 1, 16>().template scan<0>(v.raw)};
#else
    const D32 d32;
    v = hn::Add(v, hn::ShiftLeftLanes<1>(d32, v));
    v = hn::Add(v, hn::ShiftLeftLanes<2>(d32, v));
    if constexpr (hn::MaxLanes(D32()) > 4) {
        v = hn::Add(v, hn::ConcatLowerLower(d32, hn::Broadcast<3>(v), hn::Zero(d32)));
    }
    return v;
#endif
}

HWY_INLINE V32 last_lane(V32 v) {
#if HWY_TARGET <= HWY_AVX3
    return V32{LaneMoves<std::int32_t, 1, 16>().last_pixel(v.raw)};
#else
    v = hn::Broadcast<3>(v);
    if constexpr (hn::MaxLanes(D32()) > 4) {
        v = hn::ConcatUpperUpper(D32(), v, v);
    }
    return v;
#endif
}

// Samples of a line; kRaw: of 16 bits, as they are stored.
template <bool kRaw>
HWY_INLINE V16 load_line(const std::int16_t* from) {
    const V16 samples = hn::LoadU(D16(), from);
    return kRaw ? hn::Xor(samples, hn::Set(D16(), -0x8000)) : samples;
}

/// Q[i], the sum of the first i samples of a line: those of even i apart from those of odd i.
class LinePrefixes {
public:
    LinePrefixes(std::int32_t* even, std::int32_t* odd) : even_(even), odd_(odd) {}

    /// Up to Q[last] and some more; as many samples are read, in whole vectors.
    template <bool kRaw>
    HWY_INLINE void scan(const std::int16_t* line, int last) const {
        const D32 d32;
        const V16 both = broadcast_pair(pair_word(1, 1));
        const V16 less_both = broadcast_pair(pair_word(-1, -1));
        const V16 less_odd = broadcast_pair(pair_word(0, -1));
        const int lanes = lanes16();
        V32 before = hn::Zero(d32);
        for (int x = 0; x <= last; x += lanes) {
            const V16 samples = load_line<kRaw>(line + x);
            const V32 here = scan_lanes(dot_pairs(samples, both, hn::Zero(d32)));
            const V32 sums = hn::Add(here, before);  // Q[2], Q[4], ...
            before = hn::Add(before, last_lane(here));
            hn::StoreU(dot_pairs(samples, less_both, sums), d32, even_ + x / 2);
            hn::StoreU(dot_pairs(samples, less_odd, sums), d32, odd_ + x / 2);
        }
    }
    /// From Q[i] on, every second.
    [[nodiscard]] const std::int32_t* from(int i) const { return (i % 2 == 0 ? even_ : odd_) + i / 2; }

private:
    std::int32_t* even_;
    std::int32_t* odd_;
};

// Q[i + size] - Q[i] for every second i from `first` on.
class LineSums {
public:
    LineSums(const LinePrefixes& prefixes, int first, int size)
        : begin_(prefixes.from(first)), end_(prefixes.from(first + size)) {}
    [[nodiscard]] HWY_INLINE V32 at(int i) const {
        const D32 d32;
        return hn::Sub(hn::LoadU(d32, end_ + i), hn::LoadU(d32, begin_ + i));
    }

private:
    const std::int32_t* begin_;
    const std::int32_t* end_;
};

// Means of a short line's neighbours, in whole vectors, each sum by itself: kRadius is 0 to 3.
template <int kRadius, bool kRaw>
void short_row(const RunningPass& all, const LinePrefixes& /*prefixes*/, const std::int16_t* line, int columns,
               std::int16_t* to) {
    const RunningPass pass = all;  // which no store changes
    const D16 d16;
    const V32 none = hn::Zero(D32());
    const V16 both = broadcast_pair(pair_word(1, 1));
    const V16 first = broadcast_pair(pair_word(1, 0));
    const V16 second = broadcast_pair(pair_word(0, 1));
    for (int x = 0; x < columns; x += lanes16()) {
        V16 samples = load_line<kRaw>(line + x);
        if constexpr (kRadius == 0) {
            hn::StoreU(samples, d16, to + x);
            continue;
        }
        V32 even = dot_pairs(samples, both, none);
        V32 odd = dot_pairs(samples, second, none);
        for (int i = 1; i <= kRadius; ++i) {
            samples = load_line<kRaw>(line + x + 2 * i);
            even = dot_pairs(samples, i < kRadius ? both : first, even);
            odd = dot_pairs(samples, both, odd);
        }
        const V16 mids = pack_pairs(finish_running<RunningKind::nearest>(pass, even, none, none),
                                    finish_running<RunningKind::nearest>(pass, odd, none, none));
        hn::StoreU(mids, d16, to + x);
    }
}

// Intermediates of a line, in whole vectors.
template <RunningKind kKind, bool kMiddle, bool kRaw>
void running_row(const RunningPass& all, const LinePrefixes& prefixes, const std::int16_t* line, int columns,
                 std::int16_t* to) {
    const RunningPass pass = all;  // which no store changes
    const D16 d16;
    const V32 start = hn::Set(D32(), pass.start);
    const int lanes = lanes16();
    const int size = 2 * pass.radius + 1;
    const int middle = 2 * pass.middle + 1;
    const int inside = pass.radius - pass.middle;
    prefixes.scan<kRaw>(line, (columns + lanes - 1) / lanes * lanes - 1 + size);
    const LineSums even(prefixes, 0, size);
    const LineSums odd(prefixes, 1, size);
    const LineSums even_middle(prefixes, inside, middle);
    const LineSums odd_middle(prefixes, inside + 1, middle);
    const V16 centre = broadcast_pair(pass.centre);
    const V16 odd_centre = broadcast_pair(pass.odd_centre);
    for (int x = 0; x < columns; x += lanes) {
        V32 even_rest = hn::Zero(D32());
        V32 odd_rest = even_rest;
        if constexpr (kMiddle) {
            even_rest = even_middle.at(x / 2);
            odd_rest = odd_middle.at(x / 2);
        }
        if constexpr (kKind != RunningKind::nearest) {
            const V16 samples = load_line<kRaw>(line + x + pass.radius);
            even_rest = dot_pairs(samples, centre, even_rest);
            odd_rest = dot_pairs(samples, odd_centre, odd_rest);
        }
        const V16 mids = pack_pairs(finish_running<kKind>(pass, even.at(x / 2), even_rest, start),
                                    finish_running<kKind>(pass, odd.at(x / 2), odd_rest, start));
        hn::StoreU(mids, d16, to + x);
    }
}

#endif  // HWY_TARGET
}  // namespace
}  // namespace vfilter::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // include guard for each target
