// Rows and columns fused, strip by strip. A strip is as wide as lets the intermediate rows that the column pass needs
// stay in the first or second level cache; they live in a ring of slots, two rows to a slot. simd_pairs-inl.h has the
// two passes for any convolution, simd_words-inl.h those for short dyadic ones, simd_terms-inl.h those of narrow
// composites, simd_wide-inl.h those of wide ones, simd_uniform-inl.h those of boxes. simd_coarse-inl.h is for
// large Gaussians.

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/simd.cpp"
#define HWY_WANT_AVX3_DL 1  // VNNI: multiply, add the pair and accumulate in one instruction
#include <hwy/foreach_target.h>
//
#include <hwy/highway.h>

#include <stdexcept>

#include "kernels/cpu/scalar.h"
#include "kernels/cpu/simd_band.h"
#include "kernels/cpu/simd_coarse-inl.h"
#include "kernels/cpu/simd_pairs-inl.h"
#include "kernels/cpu/simd_terms-inl.h"
#include "kernels/cpu/simd_uniform-inl.h"
#include "kernels/cpu/simd_wide-inl.h"
#include "kernels/cpu/simd_words-inl.h"

#ifndef VFILTER_SIMD_ONCE
#define VFILTER_SIMD_ONCE
namespace vfilter::simd {

// Bytes of intermediate rows that one strip may hold: with a strip's lines they fit the first-level cache, 32 KiB on
// most processors. Measured on an EPYC of family 26 (48 KiB; 2026-11, 1080p, 8 bits): from 16 to 40 KiB alike, 64 and
// more cost a quarter of the time at sizes 31 and 63.
constexpr int ring_bytes = 24 * 1024;

}  // namespace vfilter::simd
#endif

HWY_BEFORE_NAMESPACE();
namespace vfilter::simd::HWY_NAMESPACE {
namespace {

#if HWY_TARGET == HWY_SCALAR
// A processor with no vectors that Highway knows: pairs make no sense there, and the plain loops give the same bytes.
template <class T>
void filter_band(const SimdConvolution& made, const Band<T>& band) {
    convolve_scalar(made.convolution(), band.src, band.dst, band.border, band.black, band.first, band.last);
}
template <class T>
void filter_band(const SimdComposite& made, const Band<T>& band) {
    convolve_scalar(made.composite(), band.src, band.dst, band.border, band.black, band.first, band.last);
}
template <class T>
void filter_band(const SimdCoarse& made, const Band<T>& band) {
    convolve_scalar(made.convolution(), band.src, band.dst, band.border, band.black, band.first, band.last);
}
#else

void filter_strip(const SimdConvolution& made, const Band<std::uint16_t>& band, int left, int columns,
                  Scratch& scratch) {
    filter_pairs(made, band, left, columns, scratch);
}

void filter_strip(const SimdConvolution& made, const Band<std::uint8_t>& band, int left, int columns,
                  Scratch& scratch) {
    const int word_radius = band.src.step == 1 ? made.words().radius() : 0;
    switch (word_radius) {
        case 1:
            filter_words<1>(made, band, left, columns, scratch);
            break;
        case 2:
            filter_words<2>(made, band, left, columns, scratch);
            break;
        default:
            filter_pairs(made, band, left, columns, scratch);
    }
}

template <class T>
void filter_strip(const SimdComposite& made, const Band<T>& band, int left, int columns, Scratch& scratch) {
    filter_terms(made, band, left, columns, scratch);
}

// Strip by strip; `slots` are the ring's for one column.
template <class T, class Made>
void filter_strips(const Made& made, const Band<T>& band, int radius_x, int slots) {
    const int samples = band.src.samples();
    const auto column_bytes = static_cast<int>(sizeof(std::int32_t)) * slots;
    const int widest = std::max(ring_bytes / column_bytes / column_unit(), 1) * column_unit();
    const int strip = std::min(round_up(samples), widest);
    Scratch& scratch = thread_scratch();
    const int line = StripLines<T>::line_samples(strip, radius_x * band.src.step);
    scratch.lines.reserve(2 * static_cast<std::size_t>(line) * sizeof(Line<T>));
    scratch.ring.reserve(static_cast<std::size_t>(slots) * static_cast<std::size_t>(strip));
    for (int left = 0; left < samples; left += strip) {
        filter_strip(made, band, left, std::min(strip, samples - left), scratch);
    }
}

template <class T>
void filter_band(const SimdConvolution& made, const Band<T>& band) {
    const Convolution& convolution = made.convolution();
    if constexpr (sizeof(T) == 1) {
        // Below this size there are fewer taps than additions.
        constexpr int least_radius = 4;
        if (convolution.uniform() && band.src.step == 1 &&
            std::min(convolution.rows.radius(), convolution.columns.radius()) >= least_radius) {
            filter_uniform(convolution, band, thread_scratch());
            return;
        }
    }
    filter_strips(made, band, convolution.rows.radius(), convolution.columns.radius() + 1);
}

template <class T>
void filter_band(const SimdComposite& made, const Band<T>& band) {
    const Composite& composite = made.composite();
    if (!made.paired()) {
        sum_widely(composite, band);
        return;
    }
    const int terms = std::max<int>(1, static_cast<int>(composite.terms.size()));
    filter_strips(made, band, composite.radius_x(), terms * (composite.radius_y() + 1));
}

template <class T>
void filter_band(const SimdCoarse& made, const Band<T>& band) {
    filter_coarse(made, band, [](const SimdConvolution& coarse, const Band<std::uint16_t>& picture) {
        filter_band(coarse, picture);
    });
}

#endif  // HWY_TARGET

void convolution_8(const SimdConvolution& made, const Band<std::uint8_t>& band) {
    filter_band(made, band);
}
void convolution_16(const SimdConvolution& made, const Band<std::uint16_t>& band) {
    filter_band(made, band);
}
void composite_8(const SimdComposite& made, const Band<std::uint8_t>& band) {
    filter_band(made, band);
}
void composite_16(const SimdComposite& made, const Band<std::uint16_t>& band) {
    filter_band(made, band);
}
void coarse_8(const SimdCoarse& made, const Band<std::uint8_t>& band) {
    filter_band(made, band);
}
void coarse_16(const SimdCoarse& made, const Band<std::uint16_t>& band) {
    filter_band(made, band);
}

}  // namespace
}  // namespace vfilter::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace vfilter {
namespace simd {
HWY_EXPORT(convolution_8);
HWY_EXPORT(convolution_16);
HWY_EXPORT(composite_8);
HWY_EXPORT(composite_16);
HWY_EXPORT(coarse_8);
HWY_EXPORT(coarse_16);
}  // namespace simd

template <>
void SimdConvolution::run(PlaneView<const std::uint8_t> src, PlaneView<std::uint8_t> dst, Border border, int black,
                          int first, int last) const {
    HWY_DYNAMIC_DISPATCH(simd::convolution_8)(*this, {src, dst, border, black, first, last, convolution_.depth});
}

template <>
void SimdConvolution::run(PlaneView<const std::uint16_t> src, PlaneView<std::uint16_t> dst, Border border, int black,
                          int first, int last) const {
    HWY_DYNAMIC_DISPATCH(simd::convolution_16)(*this, {src, dst, border, black, first, last, convolution_.depth});
}

template <>
void SimdComposite::run(PlaneView<const std::uint8_t> src, PlaneView<std::uint8_t> dst, Border border, int black,
                        int first, int last) const {
    HWY_DYNAMIC_DISPATCH(simd::composite_8)(*this, {src, dst, border, black, first, last, composite_.depth});
}

template <>
void SimdComposite::run(PlaneView<const std::uint16_t> src, PlaneView<std::uint16_t> dst, Border border, int black,
                        int first, int last) const {
    HWY_DYNAMIC_DISPATCH(simd::composite_16)(*this, {src, dst, border, black, first, last, composite_.depth});
}

template <>
void SimdCoarse::run(PlaneView<const std::uint8_t> src, PlaneView<std::uint8_t> dst, Border border, int black,
                     int first, int last) const {
    HWY_DYNAMIC_DISPATCH(simd::coarse_8)(*this, {src, dst, border, black, first, last, convolution_.depth});
}

template <>
void SimdCoarse::run(PlaneView<const std::uint16_t> src, PlaneView<std::uint16_t> dst, Border border, int black,
                     int first, int last) const {
    HWY_DYNAMIC_DISPATCH(simd::coarse_16)(*this, {src, dst, border, black, first, last, convolution_.depth});
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
