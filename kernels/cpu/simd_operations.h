#pragma once
// Operations whose SIMD code is compiled by itself: see filter_scalar, whose bytes it equals. Not for others than the
// SIMD code.

#include "kernels/cpu/simd_band.h"

namespace vfilter::simd {

void filter_band(const MedianFilter& median, const AnyBand& band);
void filter_band(const TemporalMedian& median, const AnyBand& band);
void filter_band(const TemporalMean& mean, const AnyBand& band);
void filter_band(const Bilateral& filter, const AnyBand& band);
void filter_band(const Deband& deband, const AnyBand& band);
void filter_band(const Guided& filter, const AnyBand& band);
void filter_band(const PreparedDithered& made, const AnyBand& band);

}  // namespace vfilter::simd
