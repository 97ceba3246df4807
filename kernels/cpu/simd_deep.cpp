// Linear filters of deep samples: which code runs which.

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/simd_deep.cpp"
#define HWY_WANT_AVX3_DL 1  // VNNI
#include <hwy/foreach_target.h>
//
#include <hwy/highway.h>

#include "kernels/cpu/simd_box_deep-inl.h"
#include "kernels/cpu/simd_deep.h"

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

}  // namespace
}  // namespace vfilter::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace vfilter::simd {
HWY_EXPORT(sum_running_box);

bool filter_running_box(const PreparedFilter& made, const Band<std::uint16_t>& band) {
    return HWY_DYNAMIC_DISPATCH(sum_running_box)(made, band);
}

}  // namespace vfilter::simd
#endif
