#pragma once
// What kernels on the host have to know of a composite's magnitude; magnitude.cuh makes it.

#include <cstdint>
#include <cstdlib>

#include "kernels/arithmetic/linear_filter.h"

namespace vfilter::cuda {

/// What is added before a shift to round.
inline std::int64_t rounding(int shift) {
    return shift > 0 ? std::int64_t{1} << (shift - 1) : 0;
}

/// Levels that a magnitude's bias adds.
inline std::int64_t magnitude_bias(const Composite& composite) {
    return (composite.bias + rounding(composite.scale)) >> composite.scale;
}

/// Whether one of two gradients at most is what magnitude.cuh can make.
inline bool takes_magnitude(const Composite& composite) {
    const std::int64_t levels = std::int64_t{1} << composite.depth;
    return composite.gain == 0 && composite.terms.size() <= 2 && std::abs(magnitude_bias(composite)) <= levels;
}

}  // namespace vfilter::cuda
