// Bilateral filters: which code runs which.

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/simd_bilateral.cpp"
#include <hwy/foreach_target.h>
//
#include <hwy/highway.h>

#include "kernels/cpu/simd_bilateral-inl.h"
#include "kernels/cpu/simd_operations.h"

HWY_BEFORE_NAMESPACE();
namespace vfilter::simd::HWY_NAMESPACE {
namespace {

template <class T>
void average_band(const Bilateral& filter, const Band<T>& band) {
#if HWY_TARGET == HWY_SCALAR
    filter_scalar(filter, band);
#else
    if constexpr (sizeof(T) == 1) {
        if (filter.coarse == 0) {
            return average_bytes(filter, band);
        }
    }
    average_words(filter, band);
#endif
}

void average(const Bilateral& filter, const AnyBand& any) {
    std::visit([&](const auto& band) { average_band(filter, band.get()); }, any);
}

}  // namespace
}  // namespace vfilter::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace vfilter::simd {
HWY_EXPORT(average);

void filter_band(const Bilateral& filter, const AnyBand& band) {
    HWY_DYNAMIC_DISPATCH(average)(filter, band);
}

}  // namespace vfilter::simd
#endif
