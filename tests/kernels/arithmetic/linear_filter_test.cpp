// Filters that are no smoothings: every SIMD target equals the scalar code, byte for byte.

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numbers>
#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>

#include "filters/borders.h"
#include "kernels/arithmetic/reference.h"
#include "kernels/cpu/simd.h"
#include "tests/kernels/cases.h"
#include "tests/kernels/opencv_border.h"

namespace vfilter::test {

namespace {

TEST(LinearFilter, EveryWidthAndHeight) {
    Variety variety(21);
    for (int n = 1; n <= 67; ++n) {
        const int height = n * 29 % 67 + 1;  // 67 is prime: every height comes once
        for (const BorderName& border : border_names) {
            const Kernel& kernel = variety.any(term_kernels);
            const Case picture = variety.picture(n, height, variety.any(storages), border.border);
            ASSERT_NO_FATAL_FAILURE(expect_simd_equals_scalar(kernel.at(picture.depth), picture))
                << kernel.filter << ' ' << kernel.arguments;
        }
    }
}

TEST(LinearFilter, EveryDepthBorderAndKernel) {
    Variety variety(22);
    for (const Storage storage : storages) {
        for (const Kernel& kernel : term_kernels) {
            const Operation filter = kernel.at(storage.depth);
            for (const BorderName& border : border_names) {
                const Case picture =
                    variety.picture(1 + variety.below(67), 1 + variety.below(13), storage, border.border);
                ASSERT_NO_FATAL_FAILURE(expect_simd_equals_scalar(filter, picture))
                    << kernel.filter << ' ' << kernel.arguments;
            }
        }
    }
}

TEST(LinearFilter, LargeKernelsAndManyTerms) {
    Variety variety(23);
    std::string matrix;  // of full rank
    for (int y = 0; y < 15; ++y) {
        for (int x = 0; x < 15; ++x) {
            matrix += std::to_string(x == y ? 9 : (x * 7 + y * 3) % 5 - 2) + " ";
        }
        matrix += y < 14 ? ";" : "";
    }
    std::vector<Kernel> kernels(std::begin(large_term_kernels), std::end(large_term_kernels));
    kernels.push_back({"kernel", matrix.c_str()});
    for (const Kernel& kernel : kernels) {
        for (const int depth : {8, 10, 13, 16}) {
            const Case small = variety.picture(1 + variety.below(9), 1 + variety.below(5), {depth, 0},
                                               variety.any(border_names).border);
            ASSERT_NO_FATAL_FAILURE(expect_simd_equals_scalar(kernel.at(depth), small)) << kernel.filter;
            const Case wide = variety.picture(340 + variety.below(100), 3, {depth, 0}, Border::reflect);
            ASSERT_NO_FATAL_FAILURE(expect_simd_equals_scalar(kernel.at(depth), wide)) << kernel.filter;
        }
    }
}

TEST(LinearFilter, LargestSizesAtEveryDepth) {
    Variety variety(25);
    for (const Kernel& kernel : largest_term_kernels) {
        for (int depth = 8; depth <= 16; ++depth) {
            const Operation made = kernel.at(depth);
            for (const Pattern pattern : {Pattern::maxima, Pattern::checkerboard}) {
                Case picture = variety.picture(variety.below(2) == 0 ? 1 : 5, variety.below(2) == 0 ? 1 : 3, {depth, 0},
                                               variety.any(border_names).border);
                picture.pattern = pattern;
                ASSERT_NO_FATAL_FAILURE(expect_simd_equals_scalar(made, picture)) << kernel.filter;
            }
        }
    }
}

// ------------------------------------------------------------------------------------------------------ the contract

double absolute_sum(const std::vector<std::int32_t>& taps) {
    double sum = 0;
    for (const std::int32_t tap : taps) {
        sum += std::abs(static_cast<double>(tap));
    }
    return sum;
}

// The sums of the contract, at their largest, in the words that they must fit.
void expect_within_contract(const LinearFilter& c) {
    const bool wide = c.arithmetic == Arithmetic::int64;
    const double max_tap = wide ? 0x1p30 : 32767;
    const double max_sum = wide ? 0x1p62 : 0x1p31;
    double total =
        std::abs(static_cast<double>(c.finish.gain)) * c.max_value() + std::abs(static_cast<double>(c.finish.bias));
    for (const Term& term : c.terms) {
        double positive = 0;
        double negative = 0;
        for (const std::int32_t tap : term.rows) {
            (tap < 0 ? negative : positive) += tap;
            EXPECT_LE(std::abs(static_cast<double>(tap)), max_tap);
        }
        for (const std::int32_t tap : term.columns) {
            EXPECT_LE(std::abs(static_cast<double>(tap)), max_tap);
        }
        const double half = std::floor(std::ldexp(0.5, term.row_shift));
        EXPECT_LT((positive - negative) * c.max_value() + half, max_sum) << "row sum";
        const double unit = std::ldexp(1, -term.row_shift);
        const double max_mid = wide ? 0x1p31 : 32768;
        EXPECT_LE(std::floor((positive * c.max_value() + half) * unit) - term.centre, max_mid - 1) << "mid";
        EXPECT_GE(std::floor((negative * c.max_value() + half) * unit) - term.centre, -max_mid) << "mid";
        // Centred, and back from the centre.
        EXPECT_LT(absolute_sum(term.columns) * max_mid, wide ? 0x1p62 : 0x1p40);
        const double v = absolute_sum(term.columns) * ((positive - negative) * c.max_value() * unit + 0.5);
        EXPECT_LT(v, max_sum) << "v";
        total += v;
    }
    if (c.finish.combine != Combine::magnitude) {
        EXPECT_LT(total + std::ldexp(1, c.finish.shift), max_sum) << "sum of all terms";
    }
    EXPECT_LT(c.error_bound, 1);
}

TEST(LinearFilter, HoldEverySigmaAtEveryDepth) {
    std::vector<Kernel> kernels;
    std::vector<std::string> texts;
    for (double sigma = 0.3; sigma <= 100; sigma *= 1.4) {
        texts.push_back("10:sigma=" + std::to_string(sigma));
        texts.push_back("0.5:sigma=" + std::to_string(sigma) + ":threshold=3");
    }
    for (const std::string& text : texts) {
        kernels.push_back({"sharpen", text.c_str()});
    }
    std::vector<std::string> widths;
    for (double sigma = 0.3; sigma <= 62.5; sigma *= 1.4) {
        widths.push_back(std::to_string(sigma));
        widths.push_back(std::to_string(sigma) + ":scale=20");
    }
    for (const std::string& text : widths) {
        kernels.push_back({"dog", text.c_str()});
        kernels.push_back({"log", text.c_str()});
    }
    kernels.insert(kernels.end(), std::begin(largest_term_kernels), std::end(largest_term_kernels));
    for (const Kernel& kernel : kernels) {
        for (int depth = 8; depth <= 16; ++depth) {
            for (const double pitch : {1.0, 2.0}) {
                SCOPED_TRACE(std::string(kernel.filter) + ' ' + kernel.arguments + " depth " + std::to_string(depth) +
                             " pitch " + std::to_string(pitch));
                LinearFilter made;
                ASSERT_NO_THROW(
                    made = make_linear_filter(filter_kernel_of(kernel.filter, kernel.arguments, pitch, 1), depth));
                ASSERT_NO_FATAL_FAILURE(expect_within_contract(made));
                ASSERT_FALSE(HasFailure());
            }
        }
    }
}

TEST(LinearFilter, TallAndWidePictures) {
    Variety variety(24);
    for (const Kernel& kernel : term_kernels) {
        for (const int depth : {8, 12}) {
            const Case tall = variety.picture(1 + variety.below(40), 140 + variety.below(9), {depth, 0}, Border::wrap);
            ASSERT_NO_FATAL_FAILURE(expect_simd_equals_scalar(kernel.at(depth), tall)) << kernel.filter;
            const Case wide = variety.picture(4000 + variety.below(1000), 3, {depth, 0}, Border::constant);
            ASSERT_NO_FATAL_FAILURE(expect_simd_equals_scalar(kernel.at(depth), wide)) << kernel.filter;
        }
    }
}

// Below the threshold nothing changes, above it everything, and a little on either side of it both are right.
TEST(LinearFilter, SharpenLeavesWhatIsBelowTheThreshold) {
    for (int depth = 8; depth <= 16; ++depth) {
        const FilterKernel kernel = filter_kernel_of("sharpen", "1.5:size=9:threshold=4");
        const Operation made = make_operation(kernel, depth);
        const Case picture{.width = 256, .height = 96, .depth = depth};
        Samples samples = natural_samples(picture.width, picture.height);
        for (std::uint16_t& sample : samples) {
            sample = static_cast<std::uint16_t>(sample << (depth - 8));
        }
        const cv::Mat in = extended(picture, samples);
        const cv::Mat detail = in - gauss(in, 9, 0.3 * (4 - 1) + 0.8);
        const Samples result = filter(made, picture, samples, simd_targets().front());
        const double threshold = std::ldexp(4, depth - 8);
        int kept = 0;
        for (int y = 0; y < picture.height; ++y) {
            for (int x = 0; x < picture.width; ++x) {
                const auto i = static_cast<std::size_t>(y * picture.width + x);
                const double amount = detail.at<double>(y + margin, x + margin);
                const double changed =
                    std::clamp(std::floor(samples[i] + 1.5 * amount + 0.5), 0.0, double{1} * picture.max_value());
                if (std::abs(amount) < threshold - 0.5) {
                    ASSERT_EQ(result[i], samples[i]) << x << ',' << y << " depth " << depth;
                    ++kept;
                } else if (std::abs(amount) > threshold + 0.5) {
                    ASSERT_LE(std::abs(result[i] - changed), 1) << x << ',' << y << " depth " << depth;
                }
            }
        }
        EXPECT_GT(kept, 1000);
        EXPECT_LT(kept, picture.width * picture.height - 1000);
    }
}

// Whole numbers stay whole that way, and fewer terms are less work.
TEST(LinearFilter, RowsThatAreMultiplesShareATerm) {
    const FilterKernel kernel = filter_kernel_of("kernel", "0 -1 0; -1 5 -1; 0 -1 0");
    ASSERT_EQ(kernel.terms.size(), 2U);
    EXPECT_EQ(kernel.terms[0].rows, (std::vector<double>{0, -1, 0}));
    EXPECT_EQ(kernel.terms[0].columns, (std::vector<double>{1, 0, 1}));
    EXPECT_EQ(kernel.terms[1].rows, (std::vector<double>{-1, 5, -1}));
    EXPECT_EQ(kernel.terms[1].columns, (std::vector<double>{0, 1, 0}));

    const FilterKernel other = filter_kernel_of("kernel", "1 2 3; 0 0 0; -2 -4 -6; 4 5 7; 1 0 0:normalise=no");
    ASSERT_EQ(other.terms.size(), 3U);
    EXPECT_EQ(other.terms[0].columns, (std::vector<double>{1, 0, -2, 0, 0}));
}

// A matrix of rank 2 and of full rank, large, by terms or row by row: whatever is chosen keeps the promise.
TEST(LinearFilter, MatricesOfAnyRank) {
    Variety variety(31);
    for (const int side : {3, 5, 9, 21, 63}) {
        for (const int rank : {1, 2, 5, 63}) {
            std::vector<double> taps(static_cast<std::size_t>(side * side));
            for (int term = 0; term < std::min(rank, side); ++term) {
                std::vector<double> u, v;
                for (int i = 0; i < side; ++i) {
                    u.push_back(variety.below(201) - 100);
                    v.push_back(variety.below(201) - 100);
                }
                for (int i = 0; i < side * side; ++i) {
                    taps[static_cast<std::size_t>(i)] +=
                        u[static_cast<std::size_t>(i / side)] * v[static_cast<std::size_t>(i % side)] * 1e-4 / side;
                }
            }
            std::string text;
            for (int i = 0; i < side * side; ++i) {
                text += std::to_string(taps[static_cast<std::size_t>(i)]) + (i % side == side - 1 ? ";" : " ");
            }
            const FilterKernel kernel = filter_kernel_of("kernel", text + ":normalise=no:bias=128");
            for (const int depth : {8, 12, 16}) {
                const Operation made = make_operation(kernel, depth);
                const Case picture{.width = 23, .height = 17, .depth = depth, .seed = 5};
                const Samples samples = make_samples(picture);
                const cv::Mat exact = matrix(extended(picture, samples), cv::Mat(side, side, CV_64F, [&] {
                                                 std::istringstream in(text);
                                                 for (double& tap : taps) {
                                                     in >> tap;
                                                     in.ignore(1);
                                                 }
                                                 return taps.data();
                                             }()));
                const Samples result = filter(made, picture, samples, simd_targets().front());
                for (int i = 0; i < picture.width * picture.height; ++i) {
                    const double real = exact.at<double>(i / picture.width + margin, i % picture.width + margin) +
                                        std::ldexp(0.5, depth);
                    const double wanted = std::clamp(std::floor(real + 0.5), 0.0, double{1} * picture.max_value());
                    ASSERT_LE(std::abs(result[static_cast<std::size_t>(i)] - wanted), 1)
                        << side << " rank " << rank << " depth " << depth;
                }
            }
        }
    }
}

}  // namespace

}  // namespace vfilter::test
