// Rows and columns fused, strip by strip. A strip is as wide as lets the intermediate rows that the column pass needs
// stay in the first or second level cache; they live in a ring of slots, two rows to a slot. Compiled once for each
// instruction set.

#if defined(VFILTER_SIMD_STRIPS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef VFILTER_SIMD_STRIPS_INL
#undef VFILTER_SIMD_STRIPS_INL
#else
#define VFILTER_SIMD_STRIPS_INL
#endif

#include "kernels/cpu/simd_lines-inl.h"

HWY_BEFORE_NAMESPACE();
namespace vfilter::simd::HWY_NAMESPACE {
namespace {
#if HWY_TARGET != HWY_SCALAR

// Strip by strip; filter(band, left, columns, scratch) does one. `slots` are the ring's for one column.
template <class T, class Filter>
void filter_strips(const PreparedFilter& made, const Band<T>& band, const Filter& filter) {
    const int samples = band.src.samples();
    const int slots = std::max<int>(1, static_cast<int>(made.terms.size())) * (made.filter.radius_y() + 1);
    const auto column_bytes = static_cast<int>(sizeof(std::int32_t)) * slots;
    // Whole blocks of each component.
    const int unit = column_unit() * band.src.step;
    const int widest = std::max(ring_bytes / column_bytes / unit, 1) * unit;
    const int strip = std::min(round_up(samples), widest);
    const int ring_width = std::max(strip, slot_columns(std::min(samples, strip), band.src.step));
    Scratch& scratch = thread_scratch();
    scratch.lines.reserve(StripLines<T>::bytes(strip, made.filter.radius_x() * band.src.step, band.src.step));
    scratch.ring.reserve(static_cast<std::size_t>(slots) * static_cast<std::size_t>(ring_width));
    for (int left = 0; left < samples; left += strip) {
        filter(made, band, left, std::min(strip, samples - left), scratch);
    }
}

#endif  // HWY_TARGET
}  // namespace
}  // namespace vfilter::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // include guard for each target
