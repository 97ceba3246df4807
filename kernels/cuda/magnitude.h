#pragma once
// What the host has to know of a filter's magnitude; magnitude.cuh makes it.

#include <cstdint>
#include <cstdlib>

#include "kernels/arithmetic/linear_filter.h"

namespace vfilter::cuda {

/// Levels that a magnitude's bias adds.
inline std::int64_t magnitude_bias(const LinearFilter& filter) {
    return filter.finish.rounded_bias() >> filter.finish.shift;
}

/// Whether one of two gradients at most is what magnitude.cuh can make.
inline bool takes_magnitude(const LinearFilter& filter) {
    const std::int64_t levels = std::int64_t{1} << filter.depth;
    return filter.finish.gain == 0 && filter.terms.size() <= 2 && std::abs(magnitude_bias(filter)) <= levels;
}

}  // namespace vfilter::cuda
