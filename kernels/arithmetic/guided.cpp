#include "kernels/arithmetic/guided.h"

#include <algorithm>
#include <cmath>

namespace vfilter {

Guided make_guided(int depth, double sigma, int radius_x, int radius_y) {
    constexpr int most_bits = 37;
    Guided made{.depth = depth, .radius_x = radius_x, .radius_y = radius_y};
    const std::int64_t of_range = made.samples() * made.max_value();
    // The variance is largest where one half of the samples is black and the other white.
    while (of_range * of_range / 4 >> made.coarse >= std::int64_t{1} << most_bits) {
        ++made.coarse;
    }
    const auto samples = static_cast<double>(made.samples());
    made.epsilon = std::max<std::int64_t>(
        1, std::llround(std::ldexp(samples * samples * sigma * sigma, 2 * (depth - 8) - made.coarse)));
    return made;
}

}  // namespace vfilter
