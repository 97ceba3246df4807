// Sums that reach far beyond the range of the samples.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

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

// A magnitude is rounded before its bias is added: with one between two levels every result would be that much off.
TEST(SumOfTerms, MagnitudesTakeWholeLevelsOfBias) {
    for (const char* const arguments : {"scale=0.25:bias=0.5", "bias=-0.5", "5:scale=0.3:bias=10.4", "bias=3.25"}) {
        EXPECT_THROW(static_cast<void>(Kernel{"sobel", arguments}.at(8)), std::invalid_argument) << arguments;
    }
    // With half levels of 9 bits, with one derivative alone, whose bias is rounded with it, and where nothing is added.
    EXPECT_NO_THROW(static_cast<void>(Kernel{"sobel", "scale=0.25:bias=0.5"}.at(9)));
    EXPECT_NO_THROW(static_cast<void>(Kernel{"sobel", "scale=0.25:bias=0.5:direction=x"}.at(8)));
    EXPECT_NO_THROW(static_cast<void>(Kernel{"sobel", "scale=0:bias=0.5"}.at(8)));
    for (const char* const bias : {"-20", "17", "0.1"}) {  // what an eighth of a level more misses holds
        const LinearFilter made = Kernel{"sobel", ("scale=0.25:bias=" + std::string(bias)).c_str()}.at(8);
        EXPECT_EQ(made.arithmetic, Arithmetic::int16) << bias;
        EXPECT_LT(made.error_bound, 0.5) << bias;
    }
    try {
        static_cast<void>(Kernel{"prewitt", "bias=0.3"}.at(10));
        FAIL() << "nothing was thrown";
    } catch (const std::invalid_argument& error) {
        EXPECT_STREQ(error.what(),
                     "a magnitude is rounded before its bias is added, so that at 10 bits the bias is a multiple of "
                     "0.25");
    }
}

}  // namespace

}  // namespace vfilter::test
