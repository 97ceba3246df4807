#pragma once
// Guided filters in SIMD code: see filter_scalar, whose bytes it equals. Not for others than the SIMD code.

#include "kernels/arithmetic/guided.h"
#include "kernels/cpu/simd_band.h"

namespace vfilter::simd {

void filter_band(const Guided& filter, const Band<std::uint8_t>& band);
void filter_band(const Guided& filter, const Band<std::uint16_t>& band);

}  // namespace vfilter::simd
