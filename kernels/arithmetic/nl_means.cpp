#include "kernels/arithmetic/nl_means.h"

#include <cmath>

namespace vfilter {

namespace {

// The mean difference of two patches, in sigma, from which on they have no weight. Weak noise hides less of what the
// picture itself has, and strong noise all of it, so it falls; outside of these limits it was not found to. Square
// roots are rounded alike everywhere, powers are not.
double difference_of_no_weight(double sigma) {
    return 1.7 / std::sqrt(std::sqrt(std::clamp(sigma, 5.0, 15.0) / 10));
}

constexpr int max_doublings = 8;

}  // namespace

NlMeans make_nl_means(int depth, double sigma, int patch, int search, TimeReach time) {
    NlMeans made{.depth = depth, .patch = patch, .search = search, .time = time};
    double scale = 256 * 255 / (difference_of_no_weight(sigma) * sigma * patch * patch);
    while (scale > 256 && made.doublings < max_doublings) {
        scale /= 2;
        ++made.doublings;
    }
    made.mul = std::clamp(static_cast<int>(std::lround(scale)), 1, 256);
    return made;
}

}  // namespace vfilter
