// Linear filters by sums of words: which code runs which.

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/simd_bytes.cpp"
#define HWY_WANT_AVX3_DL 1  // VBMI: a byte from any place of two vectors
#include <hwy/foreach_target.h>
//
#include <hwy/highway.h>

#include "kernels/cpu/simd_box-inl.h"
#include "kernels/cpu/simd_bytes.h"
#include "kernels/cpu/simd_stencil-inl.h"
#include "kernels/cpu/simd_strips-inl.h"
#include "kernels/cpu/simd_words-inl.h"

HWY_BEFORE_NAMESPACE();
namespace vfilter::simd::HWY_NAMESPACE {
namespace {

void sum_words(const PreparedFilter& made, const Band<std::uint8_t>& band) {
#if HWY_TARGET == HWY_SCALAR
    filter_scalar(made.filter, band);
#else
    switch (made.code()) {
        case Code::box:
            return sums_words(made, band) ? filter_words(made, band) : filter_box(made.filter, band, thread_scratch());
        case Code::words:
            return filter_words(made, band);
        default:
            return filter_strips(made, band, made.stencil.radius == 1 ? filter_stencil<1> : filter_stencil<2>);
    }
#endif
}

bool sum_deep_box(const PreparedFilter& made, const Band<std::uint16_t>& band) {
#if HWY_TARGET == HWY_SCALAR
    static_cast<void>(made);
    static_cast<void>(band);
    return false;
#else
    return filter_box(made.filter, band, thread_scratch());
#endif
}

}  // namespace
}  // namespace vfilter::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace vfilter::simd {
HWY_EXPORT(sum_words);
HWY_EXPORT(sum_deep_box);

void filter_bytes(const PreparedFilter& made, const Band<std::uint8_t>& band) {
    HWY_DYNAMIC_DISPATCH(sum_words)(made, band);
}

bool filter_deep_box(const PreparedFilter& made, const Band<std::uint16_t>& band) {
    return HWY_DYNAMIC_DISPATCH(sum_deep_box)(made, band);
}

}  // namespace vfilter::simd
#endif
