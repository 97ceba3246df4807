#pragma once
// Linear filters of bytes by sums of words: see filter_scalar, whose bytes it equals. Not for others than the SIMD
// code.

#include "kernels/cpu/simd_band.h"
#include "kernels/cpu/simd_prepared.h"

namespace vfilter::simd {

/// `made.code()` is box, words or stencil.
void filter_bytes(const PreparedFilter& made, const Band<std::uint8_t>& band);

}  // namespace vfilter::simd
