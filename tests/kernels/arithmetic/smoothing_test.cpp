// What make_linear_filter promises of smoothings, for everything that the filter table can make at every depth.

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
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

// Those of a box: no integers are nearer to 2^scale / n, and those above it lie in the middle, but for the very middle
// one where their number is even.
void expect_equal_taps(const Pass& pass) {
    const auto count = static_cast<std::int64_t>(pass.taps.size());
    const std::int64_t base = (std::int64_t{1} << pass.scale) / count;
    const std::int64_t more = (std::int64_t{1} << pass.scale) % count;
    for (std::int64_t i = 0; i < count; ++i) {
        const std::int64_t distance = std::abs(i - count / 2);
        const bool above = more % 2 == 0 ? distance >= 1 && distance <= more / 2 : distance <= more / 2;
        EXPECT_EQ(pass.taps[static_cast<std::size_t>(i)], base + (above ? 1 : 0)) << "tap " << i;
    }
}

bool all_equal(const std::vector<double>& taps) {
    return std::ranges::all_of(taps, [&](double tap) { return std::abs(tap - taps[0]) < 1e-12; });
}

void expect_pass_within_contract(const Pass& pass, int low_bits, const std::vector<double>& exact, bool box) {
    ASSERT_EQ(pass.taps.size(), exact.size());
    ASSERT_EQ(pass.taps.size() % 2, 1U);
    EXPECT_TRUE(std::equal(pass.taps.begin(), pass.taps.end(), pass.taps.rbegin())) << "not symmetric";
    EXPECT_EQ(std::accumulate(pass.taps.begin(), pass.taps.end(), std::int64_t{0}), std::int64_t{1} << pass.scale);
    for (const std::int32_t tap : pass.taps) {
        EXPECT_GE(tap, 0);
        EXPECT_LE(tap, 32767 << low_bits);
    }
    EXPECT_GE(pass.shift, low_bits) << "split sums lose their lowest bits first";
    if (box) {
        expect_equal_taps(pass);
        return;
    }
    // The error is handed on from tap to tap, from the outside in, so that no stretch of them is off by more than half
    // a unit of the last place on either side.
    double carried = 0;
    for (std::size_t i = 0; i < exact.size() / 2; ++i) {
        carried += std::ldexp(exact[i], pass.scale) - pass.taps[i];
        EXPECT_LE(std::abs(carried), 0.5 + 1e-6) << "tap " << i;
    }
}

// The sums of the contract, at their largest, in the words that they must fit.
void expect_sums_fit(const LinearFilter& c) {
    const double max = c.max_value();
    const Pass rows = rows_of(c);
    const Pass columns = columns_of(c);
    const int fraction = fraction_bits(c);
    const int centre = c.terms[0].centre;
    EXPECT_EQ(rows.shift, rows.scale - fraction);
    EXPECT_EQ(columns.shift, columns.scale + fraction);
    EXPECT_GE(fraction, 0);
    EXPECT_EQ(c.low_bits > 0, c.arithmetic == Arithmetic::split);
    EXPECT_TRUE(c.bounded());
    EXPECT_LE(std::ldexp(max, fraction) - centre, 32767) << "mid";
    EXPECT_GE(-centre, -32768) << "mid";
    if (c.low_bits == 0) {
        EXPECT_LT(std::ldexp(max, rows.scale), std::ldexp(1, 31)) << "row sum";
        // Back from the centre and with the rounding, the sum is that of the uncentred intermediates.
        EXPECT_LT(std::ldexp(max, columns.shift) + std::ldexp(0.5, columns.shift), std::ldexp(1, 31)) << "column sum";
    }
}

// All sums of a box at their largest.
void expect_uniform_within_contract(const LinearFilter& made, const SeparableKernel& kernel) {
    const double samples = static_cast<double>(kernel.rows.size() * kernel.columns.size());
    EXPECT_EQ(made.terms[0].rows, std::vector<std::int32_t>(kernel.rows.size(), 1));
    EXPECT_EQ(made.terms[0].row_shift, 0);
    EXPECT_EQ(made.terms[0].columns, std::vector<std::int32_t>(kernel.columns.size(), made.terms[0].columns[0]));
    EXPECT_LT(made.max_value() * static_cast<double>(kernel.rows.size()) - made.terms[0].centre, 32768);
    EXPECT_LE(made.terms[0].centre, 32768);
    EXPECT_LE(made.terms[0].columns[0], 32767);
    EXPECT_LT(made.max_value() * samples * made.terms[0].columns[0] + std::ldexp(0.5, made.finish.shift), 0x1p31);
    const double miss = std::abs(made.terms[0].columns[0] * samples * std::ldexp(1, -made.finish.shift) - 1);
    EXPECT_LE(made.max_value() * miss, made.error_bound * (1 + 1e-9) + 1e-12);
    EXPECT_LE(made.error_bound, 0.25);
}

void expect_within_contract(const SeparableKernel& kernel, int depth) {
    LinearFilter made;
    ASSERT_NO_THROW(made = make_linear_filter(one_term(kernel), depth))
        << kernel.rows.size() << " taps at " << depth << " bits";
    if (made.uniform) {
        expect_uniform_within_contract(made, kernel);
        return;
    }
    const bool box = all_equal(kernel.rows) && all_equal(kernel.columns);
    expect_pass_within_contract(rows_of(made), made.low_bits, kernel.rows, box);
    expect_pass_within_contract(columns_of(made), made.low_bits, kernel.columns, box);
    expect_sums_fit(made);
    EXPECT_LT(made.error_bound, 1);
    const double rounding = made.terms[0].rows.size() == 1 ? 0 : std::ldexp(0.5, -fraction_bits(made));
    const double bound = rounding + made.max_value() * (worst_error(rows_of(made), kernel.rows) +
                                                        worst_error(columns_of(made), kernel.columns));
    EXPECT_LE(bound, made.error_bound * (1 + 1e-9) + 1e-12) << "the bound is too good to be true";
    EXPECT_EQ(made.depth, depth);
}

constexpr double pitches[][2] = {{1, 1}, {2, 2}, {2, 1}};

TEST(Smoothing, HoldsEverySizeAtEveryDepth) {
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

TEST(Smoothing, HoldsEverySigmaAtEveryDepth) {
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

TEST(Smoothing, DyadicKernelsAreExact) {
    for (const char* size : {"1", "3", "5", "7"}) {
        const LinearFilter made = make_linear_filter(filter_kernel_of("gaussian", size), 8);
        EXPECT_EQ(worst_error(rows_of(made), made.exact.terms[0].rows), 0) << size;
        EXPECT_EQ(worst_error(columns_of(made), made.exact.terms[0].columns), 0) << size;
    }
}

TEST(Smoothing, RefusesWhatIsNoKernel) {
    const std::vector<double> one{1};
    const auto make = [](const std::vector<double>& rows, const std::vector<double>& columns, int depth) {
        return make_linear_filter(one_term({rows, columns}), depth);
    };
    const std::vector<double> good{0.25, 0.5, 0.25};
    EXPECT_NO_THROW(make(good, one, 8));
    EXPECT_THROW(make(good, one, 7), std::invalid_argument);
    EXPECT_THROW(make(good, one, 17), std::invalid_argument);
    const double nan = std::nan("");
    constexpr double infinity = std::numeric_limits<double>::infinity();
    for (const std::vector<double>& bad :
         {std::vector<double>{}, {0.5, 0.5}, {0.25, nan, 0.25}, {nan, 1, nan}, {infinity, 1, infinity}}) {
        EXPECT_THROW(make(bad, one, 8), std::invalid_argument);
        EXPECT_THROW(make(one, bad, 8), std::invalid_argument);
    }
    // Whatever is neither symmetric nor of sum 1 nor positive is no smoothing, and a filter all the same.
    for (const std::vector<double>& other : {std::vector<double>{0.25, 0.5, 0.2}, {0.2, 0.5, 0.3}, {-0.1, 1.2, -0.1}}) {
        EXPECT_FALSE(is_smoothing(one_term({other, one})));
        EXPECT_FALSE(is_smoothing(one_term({one, other})));
        EXPECT_NO_THROW(make(other, one, 8));
    }
}

}  // namespace

}  // namespace vfilter::test
