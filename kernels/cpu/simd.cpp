// Which code runs which operation; simd_prepared.h says it of linear filters. Other files have what VNNI has nothing
// for.

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/simd.cpp"
#define HWY_WANT_AVX3_DL 1  // VNNI: multiply, add the pair and accumulate in one instruction
#include <hwy/foreach_target.h>
//
#include <hwy/highway.h>

#include <stdexcept>

#include "kernels/cpu/simd.h"
#include "kernels/cpu/simd_band.h"
#include "kernels/cpu/simd_blocks-inl.h"
#include "kernels/cpu/simd_bytes.h"
#include "kernels/cpu/simd_decimated-inl.h"
#include "kernels/cpu/simd_deep.h"
#include "kernels/cpu/simd_int64-inl.h"
#include "kernels/cpu/simd_nl_means-inl.h"
#include "kernels/cpu/simd_operations.h"
#include "kernels/cpu/simd_pairs-inl.h"
#include "kernels/cpu/simd_strips-inl.h"
#include "kernels/cpu/simd_terms-inl.h"

HWY_BEFORE_NAMESPACE();
namespace vfilter::simd::HWY_NAMESPACE {
namespace {

#if HWY_TARGET == HWY_SCALAR
// A processor with no vectors that Highway knows: pairs make no sense there, and the plain loops give the same bytes.
template <class T>
void filter_band(const PreparedFilter& made, const Band<T>& band) {
    filter_scalar(made.filter, band);
}

template <class T>
void filter_band(const PreparedDecimation& made, const Band<T>& band) {
    filter_scalar(made.filter, band);
}
#else

template <class T>
void filter_band(const PreparedFilter& made, const Band<T>& band) {
    const Code code = made.code();
    switch (code) {
        case Code::running_box:
            if constexpr (sizeof(T) == 2) {
                if (filter_deep_box(made, band) || filter_running_box(made, band)) {
                    return;
                }
            }
            return filter_strips(made, band, filter_pairs<T>);
        case Code::pairs:
            return filter_strips(made, band, filter_pairs<T>);
        case Code::terms:
            return filter_strips(made, band, filter_terms<T>);
        case Code::mask:
            if constexpr (sizeof(T) == 2) {
                return filter_mask(made, band);
            }
            break;
        case Code::int64:
            return filter_int64(made.filter, band);
        case Code::box:
        case Code::words:
        case Code::stencil:
            if constexpr (sizeof(T) == 1) {
                return filter_bytes(made, band);
            }
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

using simd::filter_band;  // of the other operations

template <class Made, class T>
void filter_band(const Unprepared<Made>& made, const Band<T>& band) {
    filter_band(made.filter, band);
}

void filter(const Prepared& prepared, const AnyBand& any) {
    std::visit([](const auto& made, const auto& band) { filter_band(made, band.get()); }, prepared.made, any);
}

}  // namespace
}  // namespace vfilter::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace vfilter {
namespace simd {
HWY_EXPORT(filter);
}  // namespace simd

template <class T>
void SimdFilter::run(PlaneView<const T> src, std::span<const PlaneView<const T>> neighbours, PlaneView<T> dst,
                     Border border, int black, int first, int last) const {
    check_neighbours(neighbours.size());
    const int depth = std::visit([](const auto& made) { return made.filter.depth; }, prepared_->made);
    const Band<T> band{src, dst, border, black, first, last, depth, neighbours};
    HWY_DYNAMIC_DISPATCH(simd::filter)(*prepared_, band);
}

template void SimdFilter::run(PlaneView<const std::uint8_t>, Neighbours<std::uint8_t>, PlaneView<std::uint8_t>, Border,
                              int, int, int) const;
template void SimdFilter::run(PlaneView<const std::uint16_t>, Neighbours<std::uint16_t>, PlaneView<std::uint16_t>,
                              Border, int, int, int) const;

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
    throw std::invalid_argument("this processor and program have no SIMD target '" + name +
                                "'; --list devices names those that there are");
}

}  // namespace vfilter
#endif
