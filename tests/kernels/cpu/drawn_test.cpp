// Filters with arguments from all of their ranges: the scalar code as near to double precision as it promises, and
// every SIMD target the same bytes.

#include "tests/kernels/drawn.h"

#include <gtest/gtest.h>

#include "kernels/arithmetic/reference.h"

namespace vfilter::test {
namespace {

constexpr unsigned usual_seeds = 400;
constexpr std::int64_t most_work = 200'000;

void expect_near_double_precision(const DrawnCase& drawn) {
    const bool linear = std::holds_alternative<LinearFilter>(drawn.operation) ||
                        std::holds_alternative<DecimatedFilter>(drawn.operation) ||
                        std::holds_alternative<Dithered>(drawn.operation);
    constexpr double doubt = 1;  // at a threshold
    const std::vector<double> real = reference(drawn.operation, drawn.window);
    const Samples result = filter(drawn.operation, drawn.window, "scalar");
    for (std::size_t i = 0; i < real.size(); ++i) {
        ASSERT_LE(miss(drawn.operation, real[i], drawn.window.samples[0][i], result[i], doubt), linear ? 1 : 0)
            << drawn << ", at " << i << ": " << result[i] << ", exactly " << real[i];
    }
}

TEST(Drawn, FiltersAreNearDoublePrecisionAndTheSameOnEveryTarget) {
    const Seeds seeds = seeds_to_draw(usual_seeds);
    for (unsigned seed = seeds.first; seed != seeds.last; ++seed) {
        const DrawnCase drawn = draw_case(seed, most_work);
        ASSERT_NO_FATAL_FAILURE(expect_near_double_precision(drawn));
        ASSERT_NO_FATAL_FAILURE(expect_simd_equals_scalar(drawn.operation, drawn.window)) << drawn;
    }
}

}  // namespace
}  // namespace vfilter::test
