#include "pipeline/report/latency.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <random>
#include <vector>

namespace vfilter {
namespace {

using namespace std::chrono_literals;

TEST(Latency, PercentilesAreRightToABucket) {
    LatencyHistogram histogram;
    EXPECT_EQ(histogram.percentile(0.5), 0);
    std::mt19937 random(7);
    std::vector<double> values;
    for (int i = 0; i < 5000; ++i) {
        // From a microsecond to a minute, every octave as often.
        const double milliseconds = std::exp2(std::uniform_real_distribution<double>(-10, 16)(random));
        values.push_back(milliseconds);
        histogram.add(std::chrono::duration_cast<std::chrono::nanoseconds>(
            std::chrono::duration<double, std::milli>(milliseconds)));
    }
    std::ranges::sort(values);
    for (const double share : {0.01, 0.5, 0.95, 0.99, 1.0}) {
        const double exact = values[static_cast<std::size_t>(std::ceil(share * 5000)) - 1];
        EXPECT_GE(histogram.percentile(share), exact * 0.999);
        EXPECT_LE(histogram.percentile(share), exact * (1 + 1.0 / 32) + 0.001);
    }
    EXPECT_NEAR(histogram.max(), values.back(), 1e-5);
    EXPECT_EQ(histogram.count(), 5000);
}

TEST(Latency, ForgetsNothingThatIsTooLongOrNegative) {
    LatencyHistogram histogram;
    histogram.add(-1ms);
    histogram.add(24h * 365);
    EXPECT_EQ(histogram.count(), 2);
    EXPECT_EQ(histogram.percentile(0.5), 0.001);
    EXPECT_GT(histogram.percentile(1), 0);
}

}  // namespace
}  // namespace vfilter
