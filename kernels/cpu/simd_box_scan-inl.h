// The sums along a row of a box, by prefix sums. Compiled once for each instruction set, and there where a vector's
// lanes move to any place in one instruction (AVX-512).
//
// The box's sum moves to the next pixel by the column that comes in less the one that goes out. A vector of such
// differences becomes one of sums by as many additions of itself, moved up, as the logarithm of the pixels in it, and
// one of the last pixel of the vector before: however wide the box is. Where words have no room for the box's sum, but
// for those of a few parts of it, the columns themselves are scanned, in words, and the parts are differences of that.

#if defined(VFILTER_SIMD_BOX_SCAN_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef VFILTER_SIMD_BOX_SCAN_INL
#undef VFILTER_SIMD_BOX_SCAN_INL
#else
#define VFILTER_SIMD_BOX_SCAN_INL
#endif

#include "kernels/cpu/simd_pairs-inl.h"

HWY_BEFORE_NAMESPACE();
namespace vfilter::simd::HWY_NAMESPACE {
namespace {
#if HWY_TARGET != HWY_SCALAR

/// Sums of columns of a row as a scan reads them.
struct ScannedRow {
    /// Of pixel 0; what is left of the border's is zero for 2 * reach + 2 pixels.
    const std::uint16_t* columns = nullptr;
    int reach = 0;  ///< samples on either side that belong to the box
    int samples = 0;
    std::int32_t tap = 0;
    int shift = 0;
    int lsb = 0;  ///< of results deeper than bytes
    /// Room for the prefix sums of all columns that belong to boxes.
    std::uint16_t* prefixes = nullptr;
};

/// `next` is a row of results that follows.
using ScanRow = void (*)(const ScannedRow& row, std::uint8_t* to, std::uint8_t* next);
using ScanDeepRow = void (*)(const ScannedRow& row, std::uint16_t* to);

#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3
// Where lanes come from that are moved up within groups of kGroup lanes, level by level; the last pixel's that is whole
// in a group, for every pixel; and those of the second group.
template <class T, int kStep, int kGroup>
struct LaneTables {
    static constexpr int lanes = 64 / static_cast<int>(sizeof(T));
    static constexpr int levels = [] {
        int count = 0;
        while (kStep << count < kGroup) {
            ++count;
        }
        return count;
    }();

    alignas(64) T last[lanes]{};
    alignas(64) T second[lanes]{};
    alignas(64) T from[levels][lanes]{};
    std::uint32_t masks[levels]{};

    constexpr LaneTables() {
        for (int i = 0; i < lanes; ++i) {
            last[i] = static_cast<T>(kGroup / kStep * kStep - kStep + i % kStep);
            second[i] = static_cast<T>((kGroup + i) % lanes);
            for (int level = 0; level < levels; ++level) {
                const bool moved = i % kGroup >= kStep << level;
                from[level][i] = static_cast<T>(moved ? i - (kStep << level) : 0);
                masks[level] |= std::uint32_t{moved} << i;
            }
        }
    }
};

// Lanes of a vector of words or of 32 bits, moved up within groups of kGroup lanes.
template <class T, int kStep, int kGroup>
class LaneMoves {
public:
    // Prefix sums over the pixels of a group, from sums of 2^first pixels to those of 2^last, or all.
    template <int kFirst, int kLast = 8>
    HWY_INLINE __m512i scan(__m512i v) const {
        for (int level = kFirst; level < std::min(kLast, tables.levels); ++level) {
            v = add(v, moved(v, level));
        }
        return v;
    }
    // The last whole pixel's of a vector that is one group, for every pixel.
    HWY_INLINE __m512i last_pixel(__m512i v) const {
        const __m512i last = _mm512_load_si512(tables.last);
        if constexpr (sizeof(T) == 2) {
            return _mm512_permutexvar_epi16(last, v);
        } else {
            return _mm512_permutexvar_epi32(last, v);
        }
    }
    // Of words.
    HWY_INLINE __m256i second_group(__m512i v) const {
        if constexpr (kGroup == 16) {
            return _mm512_extracti64x4_epi64(v, 1);
        } else {
            return _mm512_castsi512_si256(_mm512_permutexvar_epi16(_mm512_load_si512(tables.second), v));
        }
    }
    static HWY_INLINE __m512i add(__m512i a, __m512i b) {
        if constexpr (sizeof(T) == 2) {
            return _mm512_add_epi16(a, b);
        } else {
            return _mm512_add_epi32(a, b);
        }
    }

private:
    HWY_INLINE __m512i moved(__m512i v, int level) const {
        const __m512i from = _mm512_load_si512(tables.from[level]);
        if constexpr (sizeof(T) == 2) {
            return _mm512_maskz_permutexvar_epi16(tables.masks[level], from, v);
        } else {
            return _mm512_maskz_permutexvar_epi32(static_cast<__mmask16>(tables.masks[level]), from, v);
        }
    }

    static constexpr LaneTables<T, kStep, kGroup> tables{};
};

// Samples of the whole pixels in so many lanes. A vector begins that many after the one before, so that all have the
// same component in a lane: the sums before it are a sum of vectors then, and no scan waits for the one before it.
template <int kStep>
constexpr int whole_pixels(int lanes) {
    return lanes / kStep * kStep;
}

// Where a scan begins that goes on by so many samples: no box there reaches into the picture.
HWY_INLINE int scan_begin(const ScannedRow& row, int by) {
    return -(2 * row.reach + by - 1) / by * by;
}

// Boxes whose sums fit 16 bits; see finish_small_box.
template <int kStep>
void scan_small_box(const ScannedRow& row, std::uint8_t* to, std::uint8_t* /*next*/) {
    const DWord dw;
    const hn::Rebind<std::uint8_t, DWord> d8;
    const LaneMoves<std::uint16_t, kStep, 32> moves;
    const auto tap = hn::Set(dw, static_cast<std::uint16_t>(row.tap));
    const auto rounding = hn::Set(dw, static_cast<std::uint16_t>(half<std::int32_t>(row.shift) >> 16));
    const int shift = row.shift - 16;
    const std::uint16_t* const in = row.columns + row.reach;
    const std::uint16_t* const out = row.columns - row.reach - kStep;
    constexpr int by = whole_pixels<kStep>(32);
    __m512i before = _mm512_setzero_si512();
    for (int x = scan_begin(row, by); x < row.samples; x += by) {
        const auto change = hn::Sub(hn::LoadU(dw, in + x), hn::LoadU(dw, out + x));
        const __m512i here = moves.template scan<0>(change.raw);
        const VWord sum{moves.add(here, before)};
        before = moves.add(before, moves.last_pixel(here));
        if (x >= 0) {
            const auto result = hn::ShiftRightSame(hn::Add(hn::MulHigh(sum, tap), rounding), shift);
            store_some(hn::DemoteTo(d8, hn::BitCast(D16(), result)), d8, to + x, row.samples - x);
        }
    }
}

// All others. kNarrow: steps of the scan that words have room for, 0 where the difference of two columns has none.
template <int kStep, int kNarrow, class T>
void scan_box(const ScannedRow& row, T* to) {
    const DWord dw;
    const D32 d32;
    const hn::Rebind<std::uint16_t, D32> d16;
    const hn::Rebind<T, D32> dt;
    constexpr int lanes = 16;
    constexpr int by = whole_pixels<kStep>(lanes);
    const LaneMoves<std::uint16_t, kStep, by> words;
    const LaneMoves<std::int32_t, kStep, lanes> moves;
    const V32 tap = hn::Set(d32, row.tap);
    const V32 rounding = hn::Set(d32, half<std::int32_t>(row.shift));
    const int shift = row.shift;
    const int samples = row.samples;
    const std::uint16_t* const in = row.columns + row.reach;
    const std::uint16_t* const out = row.columns - row.reach - kStep;
    __m512i before = _mm512_setzero_si512();
    const auto finish = [&](V32 change, int x) HWY_ATTR {
        const __m512i here = moves.template scan<kNarrow>(change.raw);
        const V32 sum{moves.add(here, before)};
        before = moves.add(before, moves.last_pixel(here));
        if (x >= 0) {
            const V32 result = hn::ShiftRightSame(hn::Add(hn::Mul(sum, tap), rounding), shift);
            if constexpr (sizeof(T) == 1) {
                store_some(hn::VFromD<decltype(dt)>{_mm512_cvtusepi32_epi8(result.raw)}, dt, to + x, samples - x);
            } else {
                const hn::VFromD<decltype(dt)> words_of{_mm512_cvtusepi32_epi16(result.raw)};
                store_some(hn::ShiftLeftSame(words_of, row.lsb), dt, to + x, samples - x);
            }
        }
    };
    for (int x = scan_begin(row, 2 * by); x < samples; x += 2 * by) {
        if constexpr (kNarrow > 0) {
            // Two groups. Behind a group's whole pixels are lanes of the next one, which it stores after this one.
            const auto change = hn::Sub(hn::LoadU(dw, in + x), hn::LoadU(dw, out + x));
            const __m512i sums = words.template scan<0, kNarrow>(change.raw);
            finish(V32{_mm512_cvtepi16_epi32(_mm512_castsi512_si256(sums))}, x);
            finish(V32{_mm512_cvtepi16_epi32(words.second_group(sums))}, x + by);
        } else {
            for (int i = 0; i < 2 * by; i += by) {
                finish(hn::Sub(hn::PromoteTo(d32, hn::LoadU(d16, in + x + i)),
                               hn::PromoteTo(d32, hn::LoadU(d16, out + x + i))),
                       x + i);
            }
        }
    }
}

template <int kStep, int kNarrow>
void scan_bytes(const ScannedRow& row, std::uint8_t* to, std::uint8_t* /*next*/) {
    scan_box<kStep, kNarrow>(row, to);
}

// Prefix sums of the columns, modulo 2^16, a window of them: its first pixel's are zero, or what came before.
template <int kStep>
class ColumnScan {
public:
    explicit HWY_INLINE ColumnScan(const ScannedRow& row)
        : from_(row.columns - row.reach), window_(row.prefixes), to_(window_ + kStep) {
        std::fill_n(window_, kStep, std::uint16_t{0});
    }
    [[nodiscard]] const std::uint16_t* window() const { return window_; }
    // Goes on until the window has so many samples.
    HWY_INLINE void fill(std::ptrdiff_t samples) {
        const DWord dw;
        __m512i before = before_;
        const std::uint16_t* from = from_;
        std::uint16_t* to = to_;
        for (std::uint16_t* const end = window_ + samples; to < end; to += by, from += by) {
            const __m512i here = moves_.template scan<0>(hn::LoadU(dw, from).raw);
            _mm512_storeu_si512(to, moves_.add(here, before));
            before = moves_.add(before, moves_.last_pixel(here));
        }
        before_ = before;
        from_ = from;
        to_ = to;
    }
    void move(std::ptrdiff_t samples) {
        to_ -= samples;
        std::memmove(window_, window_ + samples, sizeof(std::uint16_t) * static_cast<std::size_t>(to_ - window_));
    }

private:
    static constexpr int by = whole_pixels<kStep>(32);

    LaneMoves<std::uint16_t, kStep, 32> moves_;
    const std::uint16_t* from_;
    std::uint16_t* window_;
    std::uint16_t* to_;
    __m512i before_ = _mm512_setzero_si512();
};

// Boxes of a few parts, side by side, whose sums fit 16 bits each: these are differences of prefix sums, whatever those
// have lost. Two parts together are multiplied and added in one instruction.
template <int kStep, int kParts>
void scan_parts(const ScannedRow& row, std::uint8_t* to, std::uint8_t* next) {
    const D32 d32;
    const DWord dw;
    const hn::Rebind<std::uint8_t, DWord> d8;
    constexpr int half_range = 0x8000;
    constexpr int block = 960;  // columns: with all that is read for them they fit the first-level cache
    const int width = 2 * row.reach / kStep + 1;
    int ends[kParts + 1] = {};
    for (int part = 0; part < kParts; ++part) {
        ends[part + 1] = ends[part] + (width / kParts + (part < width % kParts ? 1 : 0)) * kStep;
    }
    const V16 taps = hn::Set(D16(), static_cast<std::int16_t>(row.tap));
    const auto centred = static_cast<std::uint32_t>(kParts * half_range) * static_cast<std::uint32_t>(row.tap);
    const V32 start =
        hn::Set(d32, static_cast<std::int32_t>(centred + static_cast<std::uint32_t>(half<std::int32_t>(row.shift))));
    const auto centre = hn::Set(dw, static_cast<std::uint16_t>(half_range));
    const int shift = row.shift;
    const int samples = row.samples;
    const auto result = [&](const std::uint16_t* from) HWY_ATTR {
        // Factors have a sign: with half of the range added to every second prefix sum, so much is off each part.
        __m512i parts[kParts + 1];
        auto last = hn::LoadU(dw, from);
        for (int part = 0; part < kParts; ++part) {
            const auto loaded = hn::LoadU(dw, from + ends[part + 1]);
            const auto end = part % 2 == 0 ? hn::Xor(loaded, centre) : loaded;
            parts[part] = hn::Sub(end, last).raw;
            last = end;
        }
        parts[kParts] = _mm512_setzero_si512();
        V32 low = start;
        V32 high = start;
        for (int part = 0; part < kParts; part += 2) {
            low = dot_pairs(V16{_mm512_unpacklo_epi16(parts[part], parts[part + 1])}, taps, low);
            high = dot_pairs(V16{_mm512_unpackhi_epi16(parts[part], parts[part + 1])}, taps, high);
        }
        const __m512i words =
            _mm512_packus_epi32(hn::ShiftRightSame(low, shift).raw, hn::ShiftRightSame(high, shift).raw);
        return hn::VFromD<decltype(d8)>{_mm512_cvtepi16_epi8(words)};
    };
    ColumnScan<kStep> scan(row);
    for (int left = 0; left < samples; left += block) {
        const int count = std::min(block, samples - left);
        scan.fill(count + ends[kParts]);
        const std::uint16_t* from = scan.window();
        for (int x = 0; x < count; x += 32, from += 32) {
            fetch(next + left + x);
            store_some(result(from), d8, to + left + x, count - x);
        }
        scan.move(count);
    }
}

template <int kStep>
ScanRow parts_of(int width, int height) {
    constexpr int most = 5;  // of 37 columns and more a scan in wider lanes is as fast
    constexpr ScanRow of_parts[most + 1] = {
        nullptr, nullptr, scan_parts<kStep, 2>, scan_parts<kStep, 3>, scan_parts<kStep, 4>, scan_parts<kStep, 5>};
    const int fits = 0xffff / 255 / height;  // columns of a part
    const int parts = fits > 0 ? (width + fits - 1) / fits : most + 1;
    return parts <= most ? of_parts[parts] : nullptr;
}

template <int kStep>
ScanRow scan_of_step(bool small, int width, int height) {
    constexpr int narrow = 2;
    constexpr int most = 32767 / 255 >> narrow;  // rows whose differences have room for so many steps
    if (const ScanRow parts = small ? nullptr : parts_of<kStep>(width, height)) {
        return parts;
    }
    return small ? scan_small_box<kStep> : height <= most ? scan_bytes<kStep, narrow> : scan_bytes<kStep, 0>;
}

/// What scans rows of a box. `small`: its sum fits 16 bits. Null where there is nothing for that many components.
inline ScanRow scan_of(int step, bool small, int width, int height) {
    switch (step) {
        case 1:
            return scan_of_step<1>(small, width, height);
        case 2:
            return scan_of_step<2>(small, width, height);
        case 3:
            return scan_of_step<3>(small, width, height);
        case 4:
            return scan_of_step<4>(small, width, height);
        default:
            return nullptr;
    }
}

/// The same of deeper samples.
inline ScanDeepRow deep_scan_of(int step) {
    switch (step) {
        case 1:
            return scan_box<1, 0, std::uint16_t>;
        case 2:
            return scan_box<2, 0, std::uint16_t>;
        case 3:
            return scan_box<3, 0, std::uint16_t>;
        case 4:
            return scan_box<4, 0, std::uint16_t>;
        default:
            return nullptr;
    }
}
#else
inline ScanRow scan_of(int /*step*/, bool /*small*/, int /*width*/, int /*height*/) {
    return nullptr;
}
inline ScanDeepRow deep_scan_of(int /*step*/) {
    return nullptr;
}
#endif

#endif  // HWY_TARGET
}  // namespace
}  // namespace vfilter::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // include guard for each target
