// Measured noise: by its definition, near the truth, and not taken in by what is no noise.

#include "kernels/arithmetic/noise.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <random>
#include <vector>

namespace vfilter {
namespace {

constexpr int width = 200;
constexpr int height = 140;

// clean(x, y) with normal noise, in steps of 8 bits, at any depth and step.
std::vector<std::uint16_t> noisy(double sigma, int depth, int step, unsigned seed, const auto& clean) {
    std::mt19937 random(seed);
    std::normal_distribution<double> noise(0, 1);
    std::vector<std::uint16_t> samples;
    for (int y = 0; y < height; ++y) {
        for (int x = 0; x < width * step; ++x) {
            const double level = std::ldexp(clean(x / step, y) + sigma * noise(random), depth - 8);
            const double most = (1 << depth) - 1;
            samples.push_back(static_cast<std::uint16_t>(std::clamp(std::round(level), 0.0, most)));
        }
    }
    return samples;
}

PlaneView<const std::uint16_t> view_of(const std::vector<std::uint16_t>& samples, int step = 1) {
    return {samples.data(), width, height, std::ptrdiff_t{2} * width * step, step};
}

int measured(double sigma, int depth, const auto& clean) {
    NoiseMeter meter(depth);
    for (unsigned seed = 1; seed <= 4; ++seed) {
        meter.add(view_of(noisy(sigma, depth, 1, seed, clean)), 0, 16 << (depth - 8));
    }
    return meter.hundredths();
}

TEST(NoiseMeter, FindsTheNoiseOfFlatPicturesSlopesAndEdges) {
    const auto flat = [](int, int) { return 128.0; };
    const auto slope = [](int x, int y) { return 60 + 0.4 * x + 0.3 * y; };
    const auto edges = [](int x, int y) { return (x / 41 + y / 47) % 2 == 0 ? 60.0 : 180.0; };
    for (const int depth : {8, 10, 16}) {
        for (const double sigma : {2.0, 5.0, 10.0, 20.0}) {
            EXPECT_NEAR(measured(sigma, depth, flat), 100 * sigma, 5 * sigma) << sigma << " at " << depth;
            EXPECT_NEAR(measured(sigma, depth, slope), 100 * sigma, 5 * sigma) << sigma << " at " << depth;
            EXPECT_NEAR(measured(sigma, depth, edges), 100 * sigma, 8 * sigma) << sigma << " at " << depth;
        }
        EXPECT_EQ(measured(0, depth, flat), 0);
    }
}

TEST(NoiseMeter, LeavesOutBlackBarsAndWhatIsCutOff) {
    const auto bars = [](int, int y) { return y < 30 || y >= 110 ? 16.0 : 128.0; };
    const auto lit = [](int x, int) { return x < 150 ? 255.0 : 128.0; };
    NoiseMeter meter(8);
    std::vector<std::uint16_t> samples = noisy(6, 8, 1, 3, [](int, int) { return 128.0; });
    for (int y = 0; y < height; ++y) {
        for (int x = 0; x < width; ++x) {
            if (bars(x, y) < 20) {
                samples[static_cast<std::size_t>(y * width + x)] = static_cast<std::uint16_t>(16 + x % 3);
            }
        }
    }
    meter.add(view_of(samples), 0, 16);
    EXPECT_NEAR(meter.hundredths(), 600, 60);
    EXPECT_NEAR(measured(6, 8, lit), 600, 60);
    NoiseMeter all_black(8);
    all_black.add(view_of(std::vector<std::uint16_t>(std::size_t{width} * height, 16)), 0, 16);
    EXPECT_EQ(all_black.hundredths(), 0);
}

// By the header's words, in another order than the code's.
TEST(NoiseMeter, IsTheIntegerOfTheContract) {
    constexpr int depth = 10;
    const auto clean = [](int x, int y) { return 90 + 20 * std::sin(x * 0.7) * std::cos(y * 0.05); };
    const std::vector<std::uint16_t> samples = noisy(3, depth, 2, 9, clean);
    NoiseMeter meter(depth);
    meter.add(view_of(samples, 2), 1, 64);
    std::vector<std::int64_t> sums;
    for (int top = 1; top + 32 <= height - 1; top += 32) {
        for (int left = 1; left + 32 <= width - 1; left += 32) {
            std::int64_t sum = 0;
            for (int i = 0; i < 32 * 32; ++i) {
                int difference = 0;
                for (int k = 0; k < 9; ++k) {
                    constexpr int factors[] = {1, -2, 1, -2, 4, -2, 1, -2, 1};
                    const int x = left + i % 32 + k % 3 - 1;
                    const int y = top + i / 32 + k / 3 - 1;
                    difference += factors[k] * samples[static_cast<std::size_t>((y * width + x) * 2 + 1)];
                }
                sum += std::abs(difference);
            }
            sums.push_back(sum);
        }
    }
    ASSERT_EQ(sums.size(), 24U);
    std::ranges::sort(sums);
    constexpr std::int64_t divisor = std::int64_t{1000} * 1024 * 4;
    EXPECT_EQ(meter.hundredths(), (22104 * sums[2] + divisor / 2) / divisor);
}

TEST(NoiseMeter, TakesPlanesOfAnySize) {
    for (int side = 1; side <= 40; ++side) {
        const std::vector<std::uint8_t> samples(std::size_t{40} * 40, 100);
        NoiseMeter meter(8);
        meter.add(PlaneView<const std::uint8_t>{samples.data(), side, 41 - side, side}, 0, 16);
        EXPECT_EQ(meter.hundredths(), 0);
    }
}

}  // namespace
}  // namespace vfilter
