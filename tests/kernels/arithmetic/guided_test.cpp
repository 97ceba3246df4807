// Guided filters: the contract, its witnesses, every implementation the same.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "filters/borders.h"
#include "kernels/arithmetic/reference.h"
#include "kernels/cpu/simd.h"
#include "tests/kernels/cases.h"

namespace vfilter::test {
namespace {

Guided guided_of(const char* arguments, int depth = 8, int pitch_x = 1, int pitch_y = 1) {
    const TargetPlane plane{.depth = depth, .pitch_x = pitch_x, .pitch_y = pitch_y};
    return std::get<Guided>(operation_of(parse_filter(*find_filter("guided"), arguments), plane).value());
}

TEST(Guided, ArgumentsAreLevelsAndPixels) {
    EXPECT_EQ(guided_of("10"), (Guided{8, 4, 4, 0, 81 * 81 * 100}));
    EXPECT_EQ(guided_of("10:size=3", 10), (Guided{10, 1, 1, 0, 81 * 1600}));
    EXPECT_EQ(guided_of("10:size=11", 8, 2, 1).radius_x, 3);
    EXPECT_EQ(guided_of("10:size=11", 8, 2, 1).radius_y, 5);
    // N^2 65535^2 / 4 = 1369^2 65535^2 / 4 < 2^37 2^14
    EXPECT_EQ(guided_of("100:size=37", 16).coarse, 14);
    EXPECT_LT(guided_of("100:size=37", 16).epsilon, std::int64_t{1} << 37);
}

// Three samples in a row, of which the middle one differs.
TEST(Guided, IsASlopeAndAMean) {
    const Guided made{.depth = 8, .radius_x = 1, .radius_y = 0, .epsilon = 9 * 25};
    // 10, 13, 10: S = 33, sum of squares 369, V = 18.
    EXPECT_EQ(made.slope(33, 369), (18 * 32768 + 121) / 243);
    EXPECT_EQ(made.slope(30, 300), 0) << "flat";
    EXPECT_EQ(Guided::rest(8192, 33), 24576 * 33);
    const Case picture{.width = 3, .height = 1, .border = Border::replicate};
    EXPECT_EQ(filter(made, picture, {10, 13, 10}, "scalar"), (Samples{11, 11, 11}));
    const Guided keeps{.depth = 8, .radius_x = 1, .radius_y = 0, .epsilon = 1};
    EXPECT_EQ(filter(keeps, picture, {10, 90, 10}, "scalar"), (Samples{10, 90, 10}));
}

TEST(Guided, OfEveryWindowIsTheScalarCodes) {
    Variety variety(87, max_step);
    for (int n = 0; n < 60; ++n) {
        const Storage storage = n % 2 == 0 ? Storage{8, 0} : variety.any(storages);
        const Case picture =
            variety.picture(1 + variety.below(120), 1 + variety.below(12), storage, variety.any(border_names).border);
        const int most = n % 4 == 0 ? max_guided_radius + 1 : 5;
        const double sigma = std::min(std::exp2(variety.below(8)) / 2, max_guided_sigma);
        const Guided made = make_guided(storage.depth, sigma, variety.below(most), variety.below(most));
        ASSERT_NO_FATAL_FAILURE(expect_simd_equals_scalar(made, picture)) << made.radius_x << 'x' << made.radius_y;
    }
}

// Every sum at its most: what doubles and 64 bits have to hold.
TEST(Guided, TheLargestSumsFit) {
    for (const Pattern pattern : {Pattern::maxima, Pattern::half, Pattern::checkerboard}) {
        for (const double sigma : {0.5, max_guided_sigma}) {
            const Case picture{.width = 40, .height = 6, .depth = 16, .border = Border::wrap, .pattern = pattern};
            const Guided made = make_guided(16, sigma, max_guided_radius, max_guided_radius);
            ASSERT_NO_FATAL_FAILURE(expect_simd_equals_scalar(made, picture));
            if (pattern == Pattern::maxima) {
                EXPECT_EQ(filter(made, picture, make_samples(picture), "scalar"), make_samples(picture));
            }
        }
    }
}

template <class T>
void expect_guided(const Guided& made, const Case& picture) {
    const Samples samples = make_samples(picture);
    std::vector<T> stored(samples.begin(), samples.end());
    const PlaneView<const T> view{stored.data(), picture.width, picture.height,
                                  picture.samples() * static_cast<std::ptrdiff_t>(sizeof(T)), picture.step};
    const std::vector<double> real = reference_operation<T>(made, view, picture.border, picture.black());
    const Samples result = filter(made, picture, samples, "scalar");
    for (std::size_t i = 0; i < real.size(); ++i) {
        // Halves may be rounded either way by the doubles.
        const int least = static_cast<int>(std::floor(real[i] + 0.5 - 1e-6));
        const int most = static_cast<int>(std::floor(real[i] + 0.5 + 1e-6));
        ASSERT_TRUE(least <= result[i] && result[i] <= most) << picture << " at " << i << ' ' << real[i];
    }
}

// He, Sun and Tang's formula with nothing rounded, of a picture of one row, which is mirrored on all sides.
std::vector<double> by_the_formula(const Samples& row, double sigma, int radius, int depth) {
    const auto width = static_cast<int>(row.size());
    const auto at = [&](int x) -> double {
        return row[static_cast<std::size_t>(border_index(x, width, Border::reflect_101))];
    };
    const int side = 2 * radius + 1;
    const double epsilon = sigma * sigma * std::ldexp(1, 2 * (depth - 8));
    std::vector<double> made;
    for (int x = 0; x < width; ++x) {
        double slopes = 0;
        double rests = 0;
        for (int k = x - radius; k <= x + radius; ++k) {
            double mean = 0;
            double squares = 0;
            for (int i = k - radius; i <= k + radius; ++i) {
                mean += at(i) / side;
                squares += at(i) * at(i) / side;
            }
            const double variance = squares - mean * mean;
            const double slope = variance / (variance + epsilon);
            slopes += slope / side;
            rests += (1 - slope) * mean / side;
        }
        made.push_back(row[static_cast<std::size_t>(x)] * slopes + rests);
    }
    return made;
}

TEST(Guided, IsWithinOneOfTheFormulaAtEveryDepth) {
    std::mt19937 random(5);
    double farthest = 0;
    for (int n = 0; n < 3000; ++n) {
        const int depth = 8 + n % 9;
        const int radius = 1 + static_cast<int>(random() % max_guided_radius);
        const double sigma = 0.5 + 99.5 * std::pow(static_cast<double>(random() % 1000) / 1000, 4);
        const Case picture{.width = 1 + static_cast<int>(random() % 70),
                           .depth = depth,
                           .pattern = n % 3 == 0   ? Pattern::random
                                      : n % 3 == 1 ? Pattern::half
                                                   : Pattern::impulses,
                           .seed = static_cast<unsigned>(n)};
        const Samples row = make_samples(picture);
        const std::vector<double> exact = by_the_formula(row, sigma, radius, depth);
        const Samples result = filter(make_guided(depth, sigma, radius, radius), picture, row, "scalar");
        for (std::size_t i = 0; i < exact.size(); ++i) {
            farthest = std::max(farthest, std::abs(exact[i] - result[i]));
            ASSERT_LE(std::abs(std::floor(exact[i] + 0.5) - result[i]), 1)
                << picture << " sigma " << sigma << " radius " << radius << " at " << i;
        }
    }
    EXPECT_LT(farthest, 1.5);
}

TEST(Guided, EqualsTheReference) {
    for (const BorderName& border : border_names) {
        expect_guided<std::uint8_t>(make_guided(8, 40, 3, 1), {.width = 23, .height = 9, .border = border.border});
        expect_guided<std::uint16_t>(make_guided(16, 60, 1, 4),
                                     {.width = 13, .height = 9, .depth = 16, .step = 3, .border = border.border});
    }
}

// Noise goes, and an edge of 80 levels stays: the paper's promise.
TEST(Guided, KeepsEdgesAndTakesNoise) {
    const Case picture{.width = 120, .height = 40, .border = Border::replicate};
    const Samples noise = make_samples({.width = 120, .height = 40});
    Samples samples;
    for (std::size_t i = 0; i < noise.size(); ++i) {
        samples.push_back(static_cast<std::uint16_t>((i % 120 < 60 ? 80 : 160) + noise[i] % 9 - 4));
    }
    const Samples made = filter(guided_of("10"), picture, samples, simd_targets().front());
    const auto deviation = [](const Samples& all, std::size_t first, std::size_t last, double mean) {
        double sum = 0;
        std::size_t count = 0;
        for (std::size_t i = 0; i < all.size(); ++i) {
            if (i % 120 >= first && i % 120 < last) {
                sum += (all[i] - mean) * (all[i] - mean);
                ++count;
            }
        }
        return std::sqrt(sum / static_cast<double>(count));
    };
    EXPECT_GT(deviation(samples, 10, 50, 80), 2.4);
    EXPECT_LT(deviation(made, 10, 50, 80), 0.7);
    EXPECT_LT(deviation(made, 58, 60, 80), 4) << "beside the edge";
    EXPECT_LT(deviation(made, 60, 62, 160), 4);
}

}  // namespace
}  // namespace vfilter::test
