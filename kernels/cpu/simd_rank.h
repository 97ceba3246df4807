#pragma once
// Medians, and what looks at nothing but time, in SIMD code: see filter_scalar, whose bytes it equals. Not for others
// than the SIMD code.

#include "kernels/arithmetic/rank.h"
#include "kernels/arithmetic/temporal.h"
#include "kernels/cpu/simd_band.h"

namespace vfilter::simd {

void filter_band(const MedianFilter& median, const Band<std::uint8_t>& band);
void filter_band(const MedianFilter& median, const Band<std::uint16_t>& band);
void filter_band(const TemporalMedian& median, const Band<std::uint8_t>& band);
void filter_band(const TemporalMedian& median, const Band<std::uint16_t>& band);
void filter_band(const TemporalMean& mean, const Band<std::uint8_t>& band);
void filter_band(const TemporalMean& mean, const Band<std::uint16_t>& band);

}  // namespace vfilter::simd
