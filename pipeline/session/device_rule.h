#pragma once
// Whether a video is worth the start of a GPU.

#include <cstdint>
#include <string>
#include <vector>

#include "filters/filters.h"

namespace vfilter {

/// What the choice depends on.
struct DeviceFactors {
    std::int64_t pictures = 0;        ///< that are expected, 0 if nobody knows
    double pixels = 0;                ///< of a picture
    int depth = 8;                    ///< bits of a sample
    std::vector<FilterSpec> filters;  ///< all that there are
};

/// Why --device auto leaves a video to the CPU, for people; "" if it does not: where a GPU does more than its start
/// costs, or nobody can tell.
///
/// A GPU has its first picture 0.3 s after the program's start, when a short clip or a photograph could
/// be done. What the CPU takes is reckoned by the products of taps and samples, of which one core with AVX2 makes some
/// 45 * 10^9 a second: 3 * 10^9 are a fifth of what the GPU would cost. Only sums over taps, blocks and fills are
/// reckoned so; other filters take too different times to be guessed.
std::string too_short_for_gpu(const DeviceFactors& factors);

}  // namespace vfilter
