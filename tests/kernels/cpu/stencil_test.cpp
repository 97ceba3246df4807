// Filters of bytes that are summed up in words, stencils and boxes: which they are, and the bytes of the plain loops at
// the ends of what fits.

#include <gtest/gtest.h>

#include "filters/borders.h"
#include "kernels/cpu/simd_prepared.h"
#include "tests/kernels/cases.h"

namespace vfilter::test {

namespace {

constexpr Kernel short_stencils[] = {
    {"sobel", ""},
    {"sobel", "scale=0.25"},
    {"sobel", "scale=2"},
    {"sobel", "bias=20"},
    {"sobel", "direction=y:bias=128"},
    {"scharr", ""},
    {"prewitt", "x"},
    {"laplacian", ""},
    {"laplacian", "8:bias=128"},
    {"emboss", ""},
    {"sharpen", "1:size=3"},
    {"sharpen", "0.8"},
    {"sharpen", "9:size=5"},
    {"kernel", "1 2 1; 0 0 0; -1 -2 -1:normalise=no"},
    {"kernel", "1; 0; -1:normalise=no"},
    {"kernel", "-1 -2 0 2 1:normalise=no:bias=-3"},
    {"kernel", "-1 0 0 0 -1; 0 0 0 0 0; 0 0 9 0 0; 0 0 0 0 0; -1 0 0 0 -1:normalise=no"},
};

// Others: their sums or squares could leave words, their sides differ, or the row pass rounds.
constexpr Kernel no_stencils[] = {
    {"gaussian", "7"},
    {"sobel", "bias=-20"},
    {"sobel", "scale=0.3"},
    {"sharpen", "1:size=7"},
    {"sharpen", "0.8:threshold=3"},
    {"kernel", "1 2 3; 4 5 6; 7 8 10"},
    {"kernel", "100 0 -100; 0 0 0; -100 0 100:normalise=no"},
};

TEST(Stencil, HasTheBytesOfThePlainLoops) {
    Variety variety(31, max_step);
    for (const Kernel& kernel : short_stencils) {
        SCOPED_TRACE(std::string(kernel.filter) + " " + kernel.arguments);
        const LinearFilter filter = kernel.at(8);
        ASSERT_EQ(simd::PreparedFilter(filter).code(), simd::Code::stencil);
        for (const BorderName& border : border_names) {
            const int width = 1 + variety.below(90);
            ASSERT_NO_FATAL_FAILURE(expect_simd_equals_scalar(
                filter, variety.picture(width, 1 + variety.below(12), {8, 0}, border.border)));
        }
    }
}

TEST(Stencil, IsLeftToOthersWhereWordsAreNotEnough) {
    for (const Kernel& kernel : no_stencils) {
        SCOPED_TRACE(std::string(kernel.filter) + " " + kernel.arguments);
        EXPECT_NE(simd::PreparedFilter(kernel.at(8)).code(), simd::Code::stencil);
    }
    EXPECT_NE(simd::PreparedFilter(Kernel{"sobel", ""}.at(10)).code(), simd::Code::stencil);
}

TEST(SmallBox, HasTheBytesOfThePlainLoops) {
    Variety variety(32, max_step);
    for (const char* size : {"3", "5", "7", "9", "13", "15"}) {
        const LinearFilter filter = Kernel{"box", size}.at(8);
        ASSERT_EQ(simd::PreparedFilter(filter).code(), simd::Code::box);
        for (const Pattern pattern : {Pattern::random, Pattern::maxima}) {
            Case picture = variety.picture(1 + variety.below(90), 1 + variety.below(20), {8, 0}, Border::reflect);
            picture.pattern = pattern;
            ASSERT_NO_FATAL_FAILURE(expect_simd_equals_scalar(filter, picture));
        }
    }
}

// Rows of some vectors, and of the most that are too few for one pass over them.
TEST(NarrowBox, HasTheBytesOfThePlainLoops) {
    Variety variety(34, max_step);
    for (const char* size : {"3", "5", "7", "9"}) {
        SCOPED_TRACE(size);
        const LinearFilter filter = Kernel{"box", size}.at(8);
        for (const BorderName& border : border_names) {
            for (const int samples : {126, 127, 128, 129, 159, 160, 161, 192, 224, 256, 300}) {
                for (int step = 1; step <= max_step; ++step) {
                    Case picture =
                        variety.picture((samples + step - 1) / step, 2 + variety.below(24), {8, 0}, border.border);
                    picture.step = step;
                    picture.pattern = variety.below(4) == 0 ? Pattern::maxima : Pattern::random;
                    ASSERT_NO_FATAL_FAILURE(expect_simd_equals_scalar(filter, picture)) << samples << " " << step;
                }
            }
        }
    }
}

// Sums of words, of two to five parts that fit words, and of 32 bits; rows whose differences have room for some steps
// of a scan in words, and for none; more and less than the picture.
TEST(WideBox, HasTheBytesOfThePlainLoops) {
    Variety variety(33, max_step);
    for (const char* size : {"11", "15", "17", "21", "25", "27", "31", "33", "35", "37", "127", "129", "255"}) {
        SCOPED_TRACE(size);
        const LinearFilter filter = Kernel{"box", size}.at(8);
        for (const BorderName& border : border_names) {
            for (const Pattern pattern : {Pattern::random, Pattern::maxima}) {
                Case picture = variety.picture(1 + variety.below(200), 1 + variety.below(40), {8, 0}, border.border);
                picture.pattern = pattern;
                ASSERT_NO_FATAL_FAILURE(expect_simd_equals_scalar(filter, picture));
            }
        }
    }
}

}  // namespace

}  // namespace vfilter::test
