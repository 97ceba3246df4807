// Rows and columns fused, strip by strip. A strip is as wide as lets the intermediate rows that the column pass needs
// stay in the first or second level cache; they live in a ring of slots, two rows to a slot. simd_prepared.h
// says which code runs which filter.

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/simd.cpp"
#define HWY_WANT_AVX3_DL 1  // VNNI: multiply, add the pair and accumulate in one instruction
#include <hwy/foreach_target.h>
//
#include <hwy/highway.h>

#include <stdexcept>

#include "kernels/cpu/scalar.h"
#include "kernels/cpu/simd.h"
#include "kernels/cpu/simd_band.h"
#include "kernels/cpu/simd_bilateral.h"
#include "kernels/cpu/simd_blocks-inl.h"
#include "kernels/cpu/simd_box-inl.h"
#include "kernels/cpu/simd_deband.h"
#include "kernels/cpu/simd_decimated-inl.h"
#include "kernels/cpu/simd_int64-inl.h"
#include "kernels/cpu/simd_nl_means-inl.h"
#include "kernels/cpu/simd_pairs-inl.h"
#include "kernels/cpu/simd_rank.h"
#include "kernels/cpu/simd_terms-inl.h"
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
template <class Made, class T>
void filter_band(const Made& made, const Band<T>& band) {
    filter_scalar<T>(made.filter, band.src, band.dst, band.border, band.black, band.first, band.last);
}
#else

// Strip by strip; filter(band, left, columns, scratch) does one. `slots` are the ring's for one column.
template <class T, class Filter>
void filter_strips(const PreparedFilter& made, const Band<T>& band, const Filter& filter) {
    const int samples = band.src.samples();
    const int slots = std::max<int>(1, static_cast<int>(made.terms.size())) * (made.filter.radius_y() + 1);
    const auto column_bytes = static_cast<int>(sizeof(std::int32_t)) * slots;
    const int widest = std::max(ring_bytes / column_bytes / column_unit(), 1) * column_unit();
    const int strip = std::min(round_up(samples), widest);
    Scratch& scratch = thread_scratch();
    scratch.lines.reserve(StripLines<T>::bytes(strip, made.filter.radius_x() * band.src.step, band.src.step));
    scratch.ring.reserve(static_cast<std::size_t>(slots) * static_cast<std::size_t>(strip));
    for (int left = 0; left < samples; left += strip) {
        filter(made, band, left, std::min(strip, samples - left), scratch);
    }
}

template <class T>
void filter_band(const PreparedFilter& made, const Band<T>& band) {
    const Code code = made.code();
    if constexpr (sizeof(T) == 1) {
        if (code == Code::box) {
            return filter_box(made.filter, band, thread_scratch());
        }
        if (code == Code::words) {
            return filter_strips(made, band, made.words.radius() == 1 ? filter_words<1> : filter_words<2>);
        }
    }
    switch (code) {
        case Code::pairs:
            return filter_strips(made, band, filter_pairs<T>);
        case Code::terms:
            return filter_strips(made, band, filter_terms<T>);
        case Code::int64:
            return filter_int64(made.filter, band);
        case Code::box:
        case Code::words:
            break;
    }
    throw std::logic_error("no code for this filter");
}

template <class T>
void filter_band(const PreparedDecimation& made, const Band<T>& band) {
    filter_decimated(made, band, [](const PreparedFilter& inner, const Band<std::uint16_t>& picture) {
        filter_band(inner, picture);
    });
}

#endif  // HWY_TARGET

template <class Made, class T>
void filter_band(const PreparedBlocks<Made>& made, const Band<T>& band) {
    filter_band(made.filter, band);
}

void filter_8(const Prepared& prepared, const Band<std::uint8_t>& band) {
    std::visit([&](const auto& made) { filter_band(made, band); }, prepared.made);
}
void filter_16(const Prepared& prepared, const Band<std::uint16_t>& band) {
    std::visit([&](const auto& made) { filter_band(made, band); }, prepared.made);
}

}  // namespace
}  // namespace vfilter::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace vfilter {
namespace simd {
HWY_EXPORT(filter_8);
HWY_EXPORT(filter_16);

namespace {

int depth_of(const Prepared& prepared) {
    return std::visit([](const auto& made) { return made.filter.depth; }, prepared.made);
}

}  // namespace
}  // namespace simd

template <>
void SimdFilter::run(PlaneView<const std::uint8_t> src, std::span<const PlaneView<const std::uint8_t>> neighbours,
                     PlaneView<std::uint8_t> dst, Border border, int black, int first, int last) const {
    check_neighbours(neighbours.size());
    HWY_DYNAMIC_DISPATCH(simd::filter_8)
    (*prepared_, {src, dst, border, black, first, last, simd::depth_of(*prepared_), neighbours});
}

template <>
void SimdFilter::run(PlaneView<const std::uint16_t> src, std::span<const PlaneView<const std::uint16_t>> neighbours,
                     PlaneView<std::uint16_t> dst, Border border, int black, int first, int last) const {
    check_neighbours(neighbours.size());
    HWY_DYNAMIC_DISPATCH(simd::filter_16)
    (*prepared_, {src, dst, border, black, first, last, simd::depth_of(*prepared_), neighbours});
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
