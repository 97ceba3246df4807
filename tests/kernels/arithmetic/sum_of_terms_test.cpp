// Sums that reach far beyond the range of the samples.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "kernels/arithmetic/reference.h"
#include "tests/kernels/cases.h"

namespace vfilter::test {

namespace {

// Whole numbers times any scale: what misses is the scale, and the end of the range is the end of the range.
TEST(SumOfTerms, SobelsOfEveryScaleAndDepthAreHeld) {
    Variety variety(27);
    for (int depth = 8; depth <= 16; ++depth) {
        for (int n = 0; n < 40; ++n) {
            constexpr const char* directions[] = {"both", "x", "y"};
            const std::string arguments =
                fmt::format("{}:scale={}:bias={}:direction={}", 3 + 2 * variety.below(3),
                            0.001 + 0.1 * variety.below(1000), variety.below(511) - 255, directions[n % 3]);
            const LinearFilter made = Kernel{"sobel", arguments.c_str()}.at(depth);
            Case picture = variety.picture(1 + variety.below(40), 1 + variety.below(9), {depth, 0}, Border::reflect);
            picture.pattern = n % 2 == 0 ? Pattern::random : Pattern::half;
            const Window window{picture, {make_samples(picture)}};
            const std::vector<double> real = reference(made, window);
            const Samples result = filter(made, window, "scalar");
            for (std::size_t i = 0; i < real.size(); ++i) {
                ASSERT_LE(miss(made, real[i], window.samples[0][i], result[i], 0), 1)
                    << arguments << ", " << picture << " at " << i;
            }
            ASSERT_NO_FATAL_FAILURE(expect_simd_equals_scalar(made, window)) << arguments;
        }
    }
}

}  // namespace

}  // namespace vfilter::test
