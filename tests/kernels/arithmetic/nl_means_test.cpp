// Non-local means: how the strength becomes integers, the contract by its definition, every implementation the same.

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "kernels/arithmetic/reference.h"
#include "kernels/cpu/simd.h"
#include "tests/kernels/cases.h"

namespace vfilter::test {
namespace {

constexpr Border all_borders[] = {Border::reflect_101, Border::reflect, Border::replicate, Border::constant,
                                  Border::wrap};

TEST(NlMeans, WeightsEndAtTheSameDifferenceForEverySigmaAndPatch) {
    for (const double sigma : {0.5, 1.0, 2.5, 4.0, 10.0, 50.0}) {
        for (int patch = min_nl_means_size; patch <= max_patch_size; patch += 2) {
            const NlMeans made = make_nl_means(8, sigma, patch, 11);
            EXPECT_GE(made.mul, 1);
            EXPECT_LE(made.mul, 256);
            // Of the mean difference that has no weight, were the guide not of whole numbers.
            const double level = std::clamp(sigma, 5.0, 15.0) / 10;
            const double distance =
                1.7 / std::pow(level, 0.25) * sigma * patch * patch * made.mul / 256 * (1 << made.doublings);
            EXPECT_NEAR(distance, 255, 255 * 0.5 / (made.mul - 0.5)) << "sigma " << sigma << ", patch " << patch;
            EXPECT_TRUE(made.doublings == 0 || made.mul > 128) << "a finer guide would do";
        }
    }
    EXPECT_EQ(make_nl_means(8, 10, 7, 11).mul, 78);
    EXPECT_EQ(make_nl_means(8, 2, 7, 11).doublings, 1);
}

// 255 * 225 offsets, and those times the largest sample.
TEST(NlMeans, TheLargestSumsFit) {
    constexpr std::uint64_t weights = std::uint64_t{255} * max_search_size * max_search_size;
    EXPECT_LT(weights, 1U << 16);
    EXPECT_LT(weights * 65535 + weights / 2, std::uint64_t{1} << 32);
    for (const int depth : {8, 15, 16}) {
        const Case picture{.width = 40, .height = 9, .depth = depth, .pattern = Pattern::maxima};
        const Samples samples = make_samples(picture);
        const NlMeans made = make_nl_means(depth, 50, max_patch_size, max_search_size);
        EXPECT_EQ(filter(made, picture, samples, "scalar"), samples);
        EXPECT_EQ(filter(made, picture, samples, simd_targets().front()), samples);
    }
}

// Noise that is as strong as the filter is told: random samples alone would get no weight but their own.
Samples noisy(const Case& picture, double sigma) {
    std::mt19937 random(picture.seed);
    std::normal_distribution<double> noise(0, sigma);
    Samples samples;
    for (int y = 0; y < picture.height; ++y) {
        for (int x = 0; x < picture.samples(); ++x) {
            const int pixel = x / picture.step;
            const double clean = 60 + pixel % 37 + (pixel / 16 + y / 12) % 2 * 90 + x % picture.step * 20;
            const double level = std::clamp(clean + noise(random), 0.0, 255.0) / 255;
            samples.push_back(static_cast<std::uint16_t>(std::lround(level * picture.max_value())));
        }
    }
    return samples;
}

// From the definition, patch by patch, with nothing shared between neighbours.
int by_definition(const NlMeans& made, const Case& picture, const Samples& samples, int x, int y, int component) {
    const auto at = [&](int column, int row) {
        const int from = border_index(column, picture.width, picture.border);
        const int from_row = border_index(row, picture.height, picture.border);
        return from < 0 || from_row < 0
                   ? picture.black()
                   : samples[static_cast<std::size_t>(from_row * picture.samples() + from * picture.step + component)];
    };
    const int patch = made.patch_radius();
    const int search = made.search_radius();
    std::uint64_t sum = 0;
    std::uint64_t weights = 0;
    for (int dy = -search; dy <= search; ++dy) {
        for (int dx = -search; dx <= search; ++dx) {
            int distance = 0;
            for (int row = y - patch; row <= y + patch; ++row) {
                for (int column = x - patch; column <= x + patch; ++column) {
                    distance += std::abs(((at(column, row) >> (made.depth - 8)) * made.mul >> 8) -
                                         ((at(column + dx, row + dy) >> (made.depth - 8)) * made.mul >> 8));
                }
            }
            const int weight = std::max(255 - (distance << made.doublings), 0);
            sum += static_cast<std::uint64_t>(weight * at(x + dx, y + dy));
            weights += static_cast<std::uint64_t>(weight);
        }
    }
    return static_cast<int>((2 * sum + weights) / (2 * weights));
}

template <class T>
void expect_reference(const NlMeans& made, const Case& picture, double sigma) {
    const Samples samples = noisy(picture, sigma);
    std::vector<T> stored(samples.begin(), samples.end());
    const PlaneView<const T> view{stored.data(), picture.width, picture.height,
                                  picture.samples() * static_cast<std::ptrdiff_t>(sizeof(T)), picture.step};
    const std::vector<double> real = reference_operation<T>(made, view, picture.border, picture.black());
    const Samples result = filter(made, picture, samples, "scalar");
    EXPECT_NE(result, samples);
    for (std::size_t i = 0; i < real.size(); ++i) {
        ASSERT_EQ(miss(made, real[i], samples[i], result[i], 0), 0) << picture << " at " << i;
        const int x = static_cast<int>(i) % picture.samples();
        const int y = static_cast<int>(i) / picture.samples();
        if (i % 7 == 0) {
            ASSERT_EQ(result[i], by_definition(made, picture, samples, x / picture.step, y, x % picture.step))
                << picture << " at " << i;
        }
    }
}

TEST(NlMeans, EqualTheReferenceAndTheDefinition) {
    for (const int step : {1, 2, 3}) {
        for (const Border border : {Border::reflect_101, Border::constant, Border::wrap}) {
            const Case small{.width = 23, .height = 14, .step = step, .border = border};
            expect_reference<std::uint8_t>(make_nl_means(8, 4, 7, 11), small, 4);
            const Case deep{.width = 19, .height = 11, .depth = 12, .step = step, .border = border};
            expect_reference<std::uint16_t>(make_nl_means(12, 1, 3, 5), deep, 1);
        }
    }
}

// Every size, depth and way of lying in memory; planes that are smaller than a patch.
TEST(NlMeans, SimdEqualsScalar) {
    Variety variety(81, max_step);
    for (int n = 0; n < 60; ++n) {
        const Storage storage = variety.any(storages);
        const Border border = variety.any(all_borders);
        const bool tiny = n % 6 == 0;
        const Case picture =
            variety.picture(1 + variety.below(tiny ? 6 : 90), 1 + variety.below(tiny ? 5 : 40), storage, border);
        const int patch = min_nl_means_size + 2 * variety.below((max_patch_size - min_nl_means_size) / 2 + 1);
        const int search = min_nl_means_size + 2 * variety.below(5);
        const double sigma = 0.5 * std::exp2(variety.below(7));
        const NlMeans made = make_nl_means(storage.depth, sigma, patch, search);
        const Samples samples = noisy(picture, sigma);
        const Samples expected = filter(made, picture, samples, "scalar");
        for (const std::string& target : simd_targets()) {
            ASSERT_EQ(filter(made, picture, samples, target), expected)
                << target << ", sigma " << sigma << ", patch " << patch << ", search " << search << ", " << picture;
        }
    }
}

// More than one tile along both axes.
TEST(NlMeans, TilesMeet) {
    const Case picture{.width = 300, .height = 41, .cuts = {36}};
    const Samples samples = noisy(picture, 6);
    const NlMeans made = make_nl_means(8, 6, 3, 3);
    EXPECT_EQ(filter(made, picture, samples, simd_targets().front()), filter(made, picture, samples, "scalar"));
}

}  // namespace
}  // namespace vfilter::test
