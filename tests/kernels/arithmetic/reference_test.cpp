// The scalar code against the specification in double precision: never more than 1 LSB from the rounded result, and
// never further from the unrounded one than the convolution's own bound promises, for whatever picture.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "filters/borders.h"
#include "kernels/cpu/simd.h"
#include "tests/kernels/harness.h"

namespace vfilter::test {

namespace {

constexpr Pattern reference_patterns[] = {Pattern::random,       Pattern::zeros,    Pattern::maxima,
                                          Pattern::checkerboard, Pattern::impulses, Pattern::half};

TEST(Reference, ScalarWithinOneLsbForEveryPatternDepthAndBorder) {
    unsigned seed = 0;
    for (const SeparableKernel& kernel :
         {kernel_of("gaussian", "3"), kernel_of("gaussian", "5"), kernel_of("gaussian", "9", 2, 1),
          kernel_of("gaussian", "sigma=0.4"), kernel_of("gaussian", "31"), kernel_of("box", "5"),
          kernel_of("box", "7", 2, 2)}) {
        for (int depth = 8; depth <= 16; ++depth) {
            for (const Pattern pattern : reference_patterns) {
                Case picture{.width = 31, .height = 17, .depth = depth};
                picture.pattern = pattern;
                picture.border = border_names[seed % border_names.size()].border;
                picture.step = seed % 4 == 0 ? 2 : 1;
                picture.seed = ++seed;
                ASSERT_NO_FATAL_FAILURE(
                    expect_near_reference(make_linear_filter(one_term(kernel), picture.depth), kernel, picture));
            }
        }
    }
}

TEST(Reference, ScalarWithinOneLsbForLargeKernels) {
    unsigned seed = 100;
    for (const SeparableKernel& kernel : {kernel_of("gaussian", "255"), kernel_of("gaussian", "63"),
                                          kernel_of("gaussian", "sigma=42"), kernel_of("box", "255")}) {
        for (const int depth : {8, 11, 14, 16}) {
            for (const Pattern pattern : {Pattern::random, Pattern::half}) {
                Case picture{.width = 67, .height = 13, .depth = depth, .gap = 3};
                picture.pattern = pattern;
                picture.border = border_names[++seed % border_names.size()].border;
                picture.seed = seed;
                ASSERT_NO_FATAL_FAILURE(
                    expect_near_reference(make_linear_filter(one_term(kernel), picture.depth), kernel, picture));
            }
        }
    }
}

TEST(Reference, ScalarWithinOneLsbForTheLargestKernels) {
    unsigned seed = 200;
    for (const SeparableKernel& kernel :
         {kernel_of("gaussian", "sigma=100"), kernel_of("gaussian", "sigma=50"), kernel_of("box", "601")}) {
        for (int depth = 8; depth <= 16; ++depth) {
            for (const Pattern pattern : {Pattern::random, Pattern::maxima, Pattern::checkerboard}) {
                Case picture{.width = 7, .height = 3, .depth = depth};
                picture.pattern = pattern;
                picture.border = border_names[++seed % border_names.size()].border;
                picture.seed = seed;
                ASSERT_NO_FATAL_FAILURE(
                    expect_near_reference(make_linear_filter(one_term(kernel), picture.depth), kernel, picture));
            }
        }
    }
}

// The picture that hurts most: samples at their maximum exactly where the integer taps are too large and at 0
// elsewhere, so that no error cancels another. One result, in the middle, sees all of it.
enum class Worst { rows, columns, both };

Samples worst_samples(const LinearFilter& c, Worst worst, bool inverse) {
    const auto error = [](const Pass& pass, const std::vector<double>& real, std::size_t i) {
        return pass.taps[i] * pass.unit - real[i];
    };
    const Pass rows = rows_of(c);
    const Pass columns = columns_of(c);
    const SeparableKernel& exact = c.exact.terms[0];
    Samples samples;
    for (std::size_t i = 0; i < columns.taps.size(); ++i) {
        const double column = error(columns, exact.columns, i);
        for (std::size_t j = 0; j < rows.taps.size(); ++j) {
            const double row = error(rows, exact.rows, j);
            const double product =
                columns.taps[i] * columns.unit * (row + exact.rows[j]) - exact.columns[i] * exact.rows[j];
            const double e = worst == Worst::rows ? row : worst == Worst::columns ? column : product;
            samples.push_back(static_cast<std::uint16_t>((e > 0) != inverse ? c.max_value() : 0));
        }
    }
    return samples;
}

double exact_middle(const SeparableKernel& kernel, const Samples& samples) {
    double sum = 0;
    const auto* sample = samples.data();
    for (const double column : kernel.columns) {
        for (const double row : kernel.rows) {
            sum += column * row * *sample++;
        }
    }
    return sum;
}

void expect_near_at_worst(const SeparableKernel& kernel, int depth) {
    const LinearFilter made = make_linear_filter(one_term(kernel), depth);
    const auto width = static_cast<int>(kernel.rows.size());
    const auto height = static_cast<int>(kernel.columns.size());
    const Case picture{.width = width, .height = height, .depth = depth};
    const std::size_t middle = kernel.rows.size() * (kernel.columns.size() / 2) + kernel.rows.size() / 2;
    // Every target gives the scalar code's bytes; the one in use is the quickest to ask, scalar where it is not slow.
    const std::string target = width > 31 ? simd_targets().front() : "scalar";
    for (const Worst worst : {Worst::rows, Worst::columns, Worst::both}) {
        for (const bool inverse : {false, true}) {
            const Samples samples = worst_samples(made, worst, inverse);
            const Samples result = filter(made, picture, samples, target);
            ASSERT_NO_FATAL_FAILURE(expect_near(exact_middle(kernel, samples), result[middle], made.error_bound))
                << picture << ", " << width << 'x' << height << " taps, worst " << static_cast<int>(worst);
        }
    }
}

TEST(Reference, WithinOneLsbForTheWorstPictureOfEachKernel) {
    for (const std::string name : {"gaussian", "box", "motion"}) {
        for (const char* size : {"3", "7", "9", "13", "21", "31", "63", "127", "255"}) {
            for (int depth = 8; depth <= 16; ++depth) {
                ASSERT_NO_FATAL_FAILURE(expect_near_at_worst(kernel_of(name, size), depth));
                ASSERT_NO_FATAL_FAILURE(expect_near_at_worst(kernel_of(name, size, 2, 1), depth));
            }
        }
    }
    for (const std::string name : {"gaussian", "box"}) {
        for (const int depth : {8, 12, 16}) {
            ASSERT_NO_FATAL_FAILURE(expect_near_at_worst(kernel_of(name, "601"), depth));
        }
    }
    for (const char* sigma : {"sigma=0.05", "sigma=0.31", "sigma=0.9", "sigma=2.5", "sigma=11"}) {
        for (int depth = 8; depth <= 16; ++depth) {
            ASSERT_NO_FATAL_FAILURE(expect_near_at_worst(kernel_of("gaussian", sigma), depth));
        }
    }
}

// All targets on one worst picture per depth: the sums are at their largest there.
TEST(Reference, SimdEqualsScalarAtTheWorst) {
    for (const char* size : {"7", "9", "33"}) {
        for (int depth = 8; depth <= 16; ++depth) {
            const LinearFilter made = make_linear_filter(filter_kernel_of("gaussian", size), depth);
            const auto side = static_cast<int>(made.terms[0].rows.size());
            const Case picture{.width = side, .height = side, .depth = depth};
            const Samples samples = worst_samples(made, Worst::both, false);
            const Samples expected = filter(made, picture, samples, "scalar");
            for (const std::string& target : simd_targets()) {
                ASSERT_EQ(filter(made, picture, samples, target), expected) << target << ' ' << picture;
            }
        }
    }
}

}  // namespace

}  // namespace vfilter::test
