#pragma once
// Dithering: see filter_scalar, whose bytes it equals. Not for others than the SIMD code.

#include "kernels/cpu/simd_band.h"

namespace vfilter::simd {

void filter_band(const PreparedDithered& made, const Band<std::uint8_t>& band);
void filter_band(const PreparedDithered& made, const Band<std::uint16_t>& band);

}  // namespace vfilter::simd
