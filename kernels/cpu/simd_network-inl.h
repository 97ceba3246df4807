// Networks of minima and maxima on vectors (kernels/arithmetic/selection_network.h). Compiled once for each instruction
// set.

#if defined(VFILTER_SIMD_NETWORK_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef VFILTER_SIMD_NETWORK_INL
#undef VFILTER_SIMD_NETWORK_INL
#else
#define VFILTER_SIMD_NETWORK_INL
#endif

#include <algorithm>
#include <utility>

#include "kernels/arithmetic/selection_network.h"

HWY_BEFORE_NAMESPACE();
namespace vfilter::simd::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

template <const auto& made, std::size_t index, class V>
HWY_INLINE void network_step(V* values) {
    constexpr NetworkStep step = made.network.steps[index];
    const V low = values[step.low];
    const V high = values[step.high];
    if constexpr (step.minimum) {
        values[step.low] = hn::Min(low, high);
    }
    if constexpr (step.maximum) {
        values[step.high] = hn::Max(low, high);
    }
}

template <const auto& made, std::size_t first, class V, std::size_t... index>
HWY_INLINE void network_steps(V* values, std::index_sequence<index...> /*steps*/) {
    (network_step<made, first + index>(values), ...);
}

/// The steps of a network, from the first on.
template <const auto& made, std::size_t first = 0, class V>
HWY_INLINE void run_network(V* values) {
    constexpr std::size_t most = 64;  // compilers nest the steps of one expression
    constexpr auto count = static_cast<std::size_t>(made.network.count);
    if constexpr (first < count) {
        network_steps<made, first>(values, std::make_index_sequence<std::min(most, count - first)>());
        run_network<made, first + most>(values);
    }
}

}  // namespace
}  // namespace vfilter::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // include guard for each target
