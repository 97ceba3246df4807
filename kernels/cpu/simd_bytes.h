#pragma once
// Linear filters by sums of words, of bytes and for boxes of deeper samples: see filter_scalar, whose bytes they equal.
// Not for others than the SIMD code.

#include "kernels/cpu/simd_band.h"
#include "kernels/cpu/simd_prepared.h"

namespace vfilter::simd {

/// `made.code()` is box, words or stencil.
void filter_bytes(const PreparedFilter& made, const Band<std::uint8_t>& band);
/// The same for a box of deeper samples whose running sums are sums of words; false where it is none, or where this
/// processor has nothing for it.
bool filter_deep_box(const PreparedFilter& made, const Band<std::uint16_t>& band);

}  // namespace vfilter::simd
