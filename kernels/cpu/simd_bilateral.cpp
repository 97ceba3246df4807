// Bilateral filters: which code runs which.

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/simd_bilateral.cpp"
#include <hwy/foreach_target.h>
//
#include <hwy/highway.h>

#include "kernels/cpu/scalar.h"
#include "kernels/cpu/simd_bilateral-inl.h"
#include "kernels/cpu/simd_bilateral.h"

HWY_BEFORE_NAMESPACE();
namespace vfilter::simd::HWY_NAMESPACE {
namespace {

void bilateral_8(const Bilateral& filter, const Band<std::uint8_t>& band) {
#if HWY_TARGET == HWY_SCALAR
    filter_scalar<std::uint8_t>(filter, band.src, band.dst, band.border, band.black, band.first, band.last);
#else
    if (filter.coarse == 0) {
        average_bytes(filter, band);
    } else {
        average_words(filter, band);
    }
#endif
}
void bilateral_16(const Bilateral& filter, const Band<std::uint16_t>& band) {
#if HWY_TARGET == HWY_SCALAR
    filter_scalar<std::uint16_t>(filter, band.src, band.dst, band.border, band.black, band.first, band.last);
#else
    average_words(filter, band);
#endif
}

}  // namespace
}  // namespace vfilter::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace vfilter::simd {
HWY_EXPORT(bilateral_8);
HWY_EXPORT(bilateral_16);

void filter_band(const Bilateral& filter, const Band<std::uint8_t>& band) {
    HWY_DYNAMIC_DISPATCH(bilateral_8)(filter, band);
}
void filter_band(const Bilateral& filter, const Band<std::uint16_t>& band) {
    HWY_DYNAMIC_DISPATCH(bilateral_16)(filter, band);
}

}  // namespace vfilter::simd
#endif
