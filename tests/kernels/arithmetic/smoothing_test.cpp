// What make_convolution promises, for everything that the filter table can make at every depth.

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <stdexcept>

#include "tests/kernels/harness.h"

namespace vfilter::test {

namespace {

// Half the sum of the absolute quantisation errors, in units of the samples' range.
double worst_error(const Pass& pass, const std::vector<double>& exact) {
    double sum = 0;
    for (std::size_t i = 0; i < exact.size(); ++i) {
        sum += std::abs(pass.taps[i] * pass.unit - exact[i]);
    }
    return sum / 2;
}

void expect_pass_within_contract(const Pass& pass, const std::vector<double>& exact) {
    ASSERT_EQ(pass.taps.size(), exact.size());
    ASSERT_EQ(pass.taps.size() % 2, 1U);
    EXPECT_TRUE(std::equal(pass.taps.begin(), pass.taps.end(), pass.taps.rbegin())) << "not symmetric";
    EXPECT_EQ(std::accumulate(pass.taps.begin(), pass.taps.end(), std::int64_t{0}), std::int64_t{1} << pass.scale);
    for (const std::int32_t tap : pass.taps) {
        EXPECT_GE(tap, 0);
        EXPECT_LE(tap, 32767 << pass.low_bits);
    }
    // The error is handed on from tap to tap, from the outside in, so that no stretch of them is off by more than half
    // a unit of the last place on either side.
    double carried = 0;
    for (std::size_t i = 0; i < exact.size() / 2; ++i) {
        carried += std::ldexp(exact[i], pass.scale) - pass.taps[i];
        EXPECT_LE(std::abs(carried), 0.5 + 1e-6) << "tap " << i;
    }
    EXPECT_EQ(pass.low_bits > 0, pass.wide);
    EXPECT_GE(pass.shift, pass.low_bits) << "wide sums lose their lowest bits first";
}

// The sums of the contract, at their largest, in the words that they must fit.
void expect_sums_fit(const Convolution& c) {
    const double max = c.max_value();
    EXPECT_EQ(c.rows.shift, c.rows.scale - c.fraction_bits);
    EXPECT_EQ(c.columns.shift, c.columns.scale + c.fraction_bits);
    EXPECT_GE(c.fraction_bits, 0);
    EXPECT_LE(std::ldexp(max, c.fraction_bits) - c.centre(), 32767) << "mid";
    EXPECT_GE(-c.centre(), -32768) << "mid";
    if (!c.rows.wide) {
        EXPECT_LT(std::ldexp(max, c.rows.scale), std::ldexp(1, 31)) << "row sum";
    }
    if (!c.columns.wide) {
        // Back from the centre and with the rounding, the sum is that of the uncentred intermediates.
        EXPECT_LT(std::ldexp(max, c.columns.shift) + std::ldexp(0.5, c.columns.shift), std::ldexp(1, 31))
            << "column sum";
    }
}

// All sums of a box at their largest.
void expect_uniform_within_contract(const Convolution& made, const SeparableKernel& kernel) {
    const double samples = static_cast<double>(kernel.rows.size() * kernel.columns.size());
    EXPECT_EQ(made.rows.taps, std::vector<std::int32_t>(kernel.rows.size(), 1));
    EXPECT_EQ(made.rows.shift, 0);
    EXPECT_EQ(made.columns.taps, std::vector<std::int32_t>(kernel.columns.size(), made.columns.taps[0]));
    EXPECT_LT(made.max_value() * static_cast<double>(kernel.rows.size()) - made.centre(), 32768);
    EXPECT_LE(made.centre(), 32768);
    EXPECT_LE(made.columns.taps[0], 32767);
    EXPECT_LT(made.max_value() * samples * made.columns.taps[0] + std::ldexp(0.5, made.columns.shift), 0x1p31);
    const double miss = std::abs(made.columns.taps[0] * samples * std::ldexp(1, -made.columns.shift) - 1);
    EXPECT_LE(made.max_value() * miss, made.error_bound * (1 + 1e-9) + 1e-12);
    EXPECT_LE(made.error_bound, 0.25);
}

void expect_within_contract(const SeparableKernel& kernel, int depth) {
    Convolution made;
    ASSERT_NO_THROW(made = make_convolution(kernel, depth)) << kernel.rows.size() << " taps at " << depth << " bits";
    if (made.uniform()) {
        expect_uniform_within_contract(made, kernel);
        return;
    }
    expect_pass_within_contract(made.rows, kernel.rows);
    expect_pass_within_contract(made.columns, kernel.columns);
    expect_sums_fit(made);
    EXPECT_LT(made.error_bound, 1);
    const double rounding = made.rows.taps.size() == 1 ? 0 : std::ldexp(0.5, -made.fraction_bits);
    const double bound =
        rounding + made.max_value() * (worst_error(made.rows, kernel.rows) + worst_error(made.columns, kernel.columns));
    EXPECT_LE(bound, made.error_bound * (1 + 1e-9) + 1e-12) << "the bound is too good to be true";
    EXPECT_EQ(made.depth, depth);
}

constexpr double pitches[][2] = {{1, 1}, {2, 2}, {2, 1}};

TEST(Convolution, HoldsEverySizeAtEveryDepth) {
    for (const std::string name : {"gaussian", "box", "motion"}) {
        for (int size = 1; size <= max_kernel_size; size += 2) {
            for (const auto& pitch : pitches) {
                const SeparableKernel kernel = kernel_of(name, std::to_string(size), pitch[0], pitch[1]);
                ASSERT_LE(kernel.rows.size(), static_cast<std::size_t>(max_kernel_size));
                for (int depth = 8; depth <= 16; ++depth) {
                    SCOPED_TRACE(name + " " + std::to_string(size) + " pitch " + std::to_string(pitch[0]) + " depth " +
                                 std::to_string(depth));
                    ASSERT_NO_FATAL_FAILURE(expect_within_contract(kernel, depth));
                    ASSERT_FALSE(HasFailure());
                }
            }
        }
    }
}

TEST(Convolution, HoldsEverySigmaAtEveryDepth) {
    for (double sigma = 0.05; sigma <= 100; sigma *= 1.09) {
        for (const char* size : {"", "3:", "31:", "601:"}) {
            for (const auto& pitch : pitches) {
                const std::string arguments = size + ("sigma=" + std::to_string(sigma));
                const SeparableKernel kernel = kernel_of("gaussian", arguments, pitch[0], pitch[1]);
                for (int depth = 8; depth <= 16; ++depth) {
                    SCOPED_TRACE(arguments + " depth " + std::to_string(depth));
                    ASSERT_NO_FATAL_FAILURE(expect_within_contract(kernel, depth));
                    ASSERT_FALSE(HasFailure());
                }
            }
        }
    }
}

TEST(Convolution, DyadicKernelsAreExact) {
    for (const char* size : {"1", "3", "5", "7"}) {
        const Convolution made = make_convolution(kernel_of("gaussian", size), 8);
        EXPECT_EQ(worst_error(made.rows, made.exact.rows), 0) << size;
        EXPECT_EQ(worst_error(made.columns, made.exact.columns), 0) << size;
    }
}

TEST(Convolution, RefusesWhatIsNoKernel) {
    const std::vector<double> one{1};
    const SeparableKernel good{{0.25, 0.5, 0.25}, one};
    EXPECT_NO_THROW(make_convolution(good, 8));
    EXPECT_THROW(make_convolution(good, 7), std::invalid_argument);
    EXPECT_THROW(make_convolution(good, 17), std::invalid_argument);
    const double nan = std::nan("");
    for (const std::vector<double>& bad : {std::vector<double>{},
                                           {0.5, 0.5},
                                           {0.25, 0.5, 0.2},
                                           {0.2, 0.5, 0.3},
                                           {-0.1, 1.2, -0.1},
                                           {0.25, nan, 0.25},
                                           {nan, 1, nan}}) {
        EXPECT_THROW(make_convolution({bad, one}, 8), std::invalid_argument);
        EXPECT_THROW(make_convolution({one, bad}, 8), std::invalid_argument);
    }
}

}  // namespace

}  // namespace vfilter::test
