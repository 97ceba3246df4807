#pragma once
// Linear filters of samples deeper than bytes that have code of their own: see filter_scalar, whose bytes they equal.
// Not for others than the SIMD code.

#include "kernels/cpu/simd_band.h"
#include "kernels/cpu/simd_prepared.h"

namespace vfilter::simd {

/// `made.code()` is running_box. False where products are faster on this processor.
bool filter_running_box(const PreparedFilter& made, const Band<std::uint16_t>& band);
/// `made.code()` is mask.
void filter_mask(const PreparedFilter& made, const Band<std::uint16_t>& band);

}  // namespace vfilter::simd
