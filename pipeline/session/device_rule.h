#pragma once
// Whether a video is worth starting a GPU.

#include <cstdint>
#include <string>
#include <vector>

#include "filters/filters.h"

namespace vfilter {

/// What the choice depends on.
struct DeviceFactors {
    std::int64_t pictures = 0;        ///< expected number, 0 if unknown
    double pixels = 0;                ///< per picture
    int depth = 8;                    ///< bits per sample
    std::vector<FilterSpec> filters;  ///< all of them
};

/// Why --device auto leaves a video to the CPU, for display; "" if it does not: if a GPU saves more than its start
/// costs, or if that cannot be determined.
///
/// A GPU has its first picture 0.3 s after the program's start, by when a short clip or a photograph could be finished.
/// The CPU's time is estimated from the number of products of taps and samples, of which one core with AVX2 computes
/// some 45 * 10^9 a second: 3 * 10^9 are a fifth of what the GPU would cost. Only sums over taps, blocks and fills are
/// estimated; the times of other filters vary too much.
std::string too_short_for_gpu(const DeviceFactors& factors);

}  // namespace vfilter
