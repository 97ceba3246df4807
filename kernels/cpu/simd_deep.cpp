// Linear filters of deep samples: which code runs which.

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/simd_deep.cpp"
#define HWY_WANT_AVX3_DL 1  // VNNI
#include <hwy/foreach_target.h>
//
#include <hwy/highway.h>

#include "kernels/cpu/simd_box_deep-inl.h"
#include "kernels/cpu/simd_deep.h"
#include "kernels/cpu/simd_mask-inl.h"

HWY_BEFORE_NAMESPACE();
namespace vfilter::simd::HWY_NAMESPACE {
namespace {

bool sum_running_box(const PreparedFilter& made, const Band<std::uint16_t>& band) {
#if HWY_TARGET == HWY_SCALAR || !HWY_ARCH_X86
    static_cast<void>(made);
    static_cast<void>(band);
    return false;
#else
    return run_box(made, band);
#endif
}

void sum_masks(const PreparedFilter& made, const Band<std::uint16_t>& band) {
#if HWY_TARGET == HWY_SCALAR
    filter_scalar(made.filter, band);
#else
    run_masks(made.mask, band);
#endif
}

}  // namespace
}  // namespace vfilter::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace vfilter::simd {
HWY_EXPORT(sum_running_box);
HWY_EXPORT(sum_masks);

bool filter_running_box(const PreparedFilter& made, const Band<std::uint16_t>& band) {
    return HWY_DYNAMIC_DISPATCH(sum_running_box)(made, band);
}

void filter_mask(const PreparedFilter& made, const Band<std::uint16_t>& band) {
    HWY_DYNAMIC_DISPATCH(sum_masks)(made, band);
}

}  // namespace vfilter::simd
#endif
