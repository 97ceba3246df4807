// Rows and columns fused, strip by strip. A strip is as wide as lets the intermediate rows that the column pass needs
// stay in the first or second level cache; they live in a ring of slots, two rows to a slot. simd_pairs-inl.h has the two
// passes for any convolution, simd_words-inl.h those for short dyadic ones.

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/simd.cpp"
#define HWY_WANT_AVX3_DL 1  // VNNI: multiply, add the pair and accumulate in one instruction
#include <hwy/foreach_target.h>
//
#include <hwy/highway.h>

#include <stdexcept>

#include "kernels/cpu/scalar.h"
#include "kernels/cpu/simd_band.h"
#include "kernels/cpu/simd_pairs-inl.h"
#include "kernels/cpu/simd_words-inl.h"

#ifndef VFILTER_SIMD_ONCE
#define VFILTER_SIMD_ONCE
namespace vfilter::simd {

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

// The code for a convolution: two lines to a slot, and slots to two rows of the picture.
template <class T>
struct Passes {
    void (*rows)(const SimdConvolution&, int, const Line<T>*, const Line<T>*, int, std::int32_t*);
    void (*columns)(const SimdConvolution&, const std::int32_t* const*, int, int, T*, T*);
};

// Wide taps take twice the registers, and no more than one block of them fits.
template <class T>
Passes<T> choose_pairs(const SimdConvolution& convolution, int step) {
    Passes<T> passes{pair_rows<false, 0, 2, Line<T>>, pair_columns<false, 0, 2, T>};
    const PairedPass& rows = convolution.rows(step);
    if (!rows.low.even.empty()) {
        return {pair_rows<true, 0, 1, Line<T>>, pair_columns<true, 0, 1, T>};
    }
    switch (rows.taps.even.size()) {
        case 2:
            passes.rows = pair_rows<false, 2, 2, Line<T>>;
            break;
        case 3:
            passes.rows = pair_rows<false, 3, 2, Line<T>>;
            break;
        case 4:
            passes.rows = pair_rows<false, 4, 2, Line<T>>;
            break;
        default:
            break;
    }
    switch (convolution.columns().taps.even.size()) {
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

Passes<std::uint16_t> choose_passes(const SimdConvolution& convolution, const Band<std::uint16_t>& band) {
    return choose_pairs<std::uint16_t>(convolution, band.src.step);
}

Passes<std::uint8_t> choose_passes(const SimdConvolution& convolution, const Band<std::uint8_t>& band) {
    const std::size_t half = band.src.step == 1 ? convolution.words().rows.size() : 0;
    switch (half) {
        case 2:
            return {word_rows<1>, word_columns<1>};
        case 3:
            return {word_rows<2>, word_columns<2>};
        default:
            return choose_pairs<std::uint8_t>(convolution, band.src.step);
    }
}

template <class T>
void filter_band(const Band<T>& band) {
    const SimdConvolution& convolution = *band.convolution;
    const Passes<T> passes = choose_passes(convolution, band);
    const int radius_x = convolution.convolution().rows.radius() * band.src.step;
    const int radius_y = convolution.convolution().columns.radius();
    const int samples = band.src.samples();
    const int pairs = radius_y + 1;

    const int unit = 2 * lanes16();  // columns that the passes round up to
    const auto round_up = [&](int n) { return (n + unit - 1) / unit * unit; };
    const int budget = static_cast<int>(ring_bytes / (sizeof(std::int32_t) * static_cast<std::size_t>(pairs)));
    const int strip = std::min(round_up(samples), std::max(budget / unit, 2) * unit);
    const int line = round_up(strip + 2 * radius_x) + unit;  // a whole vector may be read at the edge
    Scratch& scratch = thread_scratch();
    scratch.reserve(2 * static_cast<std::size_t>(line) * sizeof(Line<T>),
                    static_cast<std::size_t>(pairs) * static_cast<std::size_t>(strip));
    auto* const line0 = reinterpret_cast<Line<T>*>(scratch.lines.get());
    auto* const line1 = line0 + line;
    // Every slot stands twice, so that any run of `pairs` slots is one range.
    scratch.slots.resize(2 * static_cast<std::size_t>(pairs));
    for (int i = 0; i < 2 * pairs; ++i) {
        scratch.slots[static_cast<std::size_t>(i)] =
            scratch.ring.get() + static_cast<std::ptrdiff_t>(i % pairs) * strip;
    }
    std::fill_n(line0, 2 * line, Line<T>{0});

    const int row_pairs = (band.last - band.first + 1) / 2 + pairs - 1;
    for (int left = 0; left < samples; left += strip) {
        const int columns = std::min(strip, samples - left);
        const int begin = left - radius_x;
        const int end = left + columns + radius_x;
        find_edges(band, begin, end, scratch.edges);
        for (int p = 0; p < row_pairs; ++p) {
            const int y = band.first - radius_y + 2 * p;
            fill_line(band, y, begin, end, scratch.edges, line0);
            fill_line(band, y + 1, begin, end, scratch.edges, line1);
            passes.rows(convolution, band.src.step, line0, line1, columns,
                        scratch.ring.get() + static_cast<std::ptrdiff_t>(p % pairs) * strip);
            if (p < pairs - 1) {
                continue;
            }
            const int out = y - radius_y;  // = band.first + 2 * (p - pairs + 1)
            passes.columns(convolution, scratch.slots.data() + (p + 1) % pairs, columns, band.dst.lsb,
                           band.dst.row(out) + left, out + 1 < band.last ? band.dst.row(out + 1) + left : nullptr);
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
