// Source rows, with what the border puts on either side of them. Compiled once for each instruction set.

#if defined(VFILTER_SIMD_LINES_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef VFILTER_SIMD_LINES_INL
#undef VFILTER_SIMD_LINES_INL
#else
#define VFILTER_SIMD_LINES_INL
#endif

#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cstring>

#include "kernels/cpu/simd_band.h"

HWY_BEFORE_NAMESPACE();
namespace vfilter::simd::HWY_NAMESPACE {
namespace {
#if HWY_TARGET != HWY_SCALAR

namespace hn = hwy::HWY_NAMESPACE;

using D16 = hn::ScalableTag<std::int16_t>;
using D32 = hn::RepartitionToWide<D16>;
using V16 = hn::VFromD<D16>;
using V32 = hn::VFromD<D32>;

HWY_INLINE int lanes16() { return static_cast<int>(hn::Lanes(D16())); }

// A sample as it stands in a line: bytes as they are; wider ones moved to bit 0, cleaned, and of 16 bits centred on zero,
// as multiplications are signed.
template <class T>
struct LineOf;
template <>
struct LineOf<std::uint8_t> {
    using type = std::uint8_t;
};
template <>
struct LineOf<std::uint16_t> {
    using type = std::int16_t;
};
template <class T>
using Line = typename LineOf<T>::type;

inline std::uint8_t one_sample(std::uint8_t stored, const Convolution& /*c*/, int /*lsb*/) { return stored; }

inline std::int16_t one_sample(std::uint16_t stored, const Convolution& c, int lsb) {
    return static_cast<std::int16_t>(((stored >> lsb) & c.max_value()) ^ (c.depth == 16 ? 0x8000 : 0));
}

// Samples [begin, end) of a row that lies inside the picture.
inline void copy_samples(const std::uint8_t* row, int begin, int end, const Convolution& /*c*/, int /*lsb*/,
                         std::uint8_t* line) {
    std::memcpy(line, row + begin, static_cast<std::size_t>(end - begin));
}

inline void copy_samples(const std::uint16_t* row, int begin, int end, const Convolution& c, int lsb,
                         std::int16_t* line) {
    const hn::RebindToUnsigned<D16> du;
    const int lanes = lanes16();
    const auto mask = hn::Set(du, static_cast<std::uint16_t>(c.max_value()));
    const auto centre = hn::Set(du, static_cast<std::uint16_t>(c.depth == 16 ? 0x8000 : 0));
    const auto move = [&](int x) {
        const auto sample = hn::And(hn::ShiftRightSame(hn::LoadU(du, row + x), lsb), mask);
        hn::StoreU(hn::BitCast(D16(), hn::Xor(sample, centre)), D16(), line + (x - begin));
    };
    int x = begin;
    for (; x + lanes <= end; x += lanes) {
        move(x);
    }
    if (x < end && end - begin >= lanes) {
        move(end - lanes);  // the last whole vector, overlapping
        x = end;
    }
    for (; x < end; ++x) {
        line[x - begin] = one_sample(row[x], c, lsb);
    }
}

// Where each sample of [begin, end) that lies outside the row comes from: a position in the row, or -1 for the constant.
template <class T>
void find_edges(const Band<T>& band, int begin, int end, std::vector<int>& edges) {
    const PlaneView<const T>& src = band.src;
    edges.clear();
    const auto add = [&](int x) {
        const int pixel = x >= 0 ? x / src.step : -((-x + src.step - 1) / src.step);
        const int from = border_index(pixel, src.width, band.border);
        edges.push_back(from < 0 ? -1 : from * src.step + x - pixel * src.step);
    };
    for (int x = begin; x < std::min(end, 0); ++x) {
        add(x);
    }
    for (int x = std::max(begin, src.samples()); x < end; ++x) {
        add(x);
    }
}

// One source row over the samples [begin, end), of which those in `edges` lie outside.
template <class T>
void fill_line(const Band<T>& band, int y, int begin, int end, const std::vector<int>& edges, Line<T>* line) {
    const Convolution& convolution = band.convolution->convolution();
    const PlaneView<const T>& src = band.src;
    const auto outside = static_cast<Line<T>>(band.black ^ (convolution.depth == 16 ? 0x8000 : 0));
    const int from_row = border_index(y, src.height, band.border);
    if (from_row < 0) {
        std::fill_n(line, end - begin, outside);
        return;
    }
    const T* const row = src.row(from_row);
    const int inside = std::clamp(0, begin, end);
    const int beyond = std::clamp(src.samples(), inside, end);
    copy_samples(row, inside, beyond, convolution, src.lsb, line + (inside - begin));
    const int ahead = border_index(y + 2, src.height, band.border);
    if (ahead >= 0) {
        const char* const next = reinterpret_cast<const char*>(src.row(ahead));
        for (std::ptrdiff_t at = inside * static_cast<int>(sizeof(T)); at < beyond * static_cast<int>(sizeof(T)); at += 64) {
            hwy::Prefetch(next + at);
        }
    }
    const int* edge = edges.data();
    const auto fill = [&](int from, int to) {
        for (int x = from; x < to; ++x, ++edge) {
            line[x - begin] = *edge < 0 ? outside : one_sample(row[*edge], convolution, src.lsb);
        }
    };
    fill(begin, inside);
    fill(beyond, end);
}

#endif  // HWY_TARGET
}  // namespace
}  // namespace vfilter::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // include guard for each target
