#include "pipeline/live/recent_values.h"

#include <gtest/gtest.h>

#include <chrono>

namespace vfilter {
namespace {

using namespace std::chrono_literals;

constexpr RecentValues::Time noon = RecentValues::Time() + 1000h;

TEST(RecentValues, TellPercentilesByNearestRank) {
    RecentValues values(10s);
    EXPECT_FALSE(values.percentile(noon, 50));
    for (int i = 100; i >= 1; --i) {
        values.add(noon, i);
    }
    EXPECT_EQ(values.percentile(noon, 50), 50);
    EXPECT_EQ(values.percentile(noon, 99), 99);
    EXPECT_EQ(values.percentile(noon, 100), 100);
    EXPECT_EQ(values.percentile(noon, 0), 1);
    RecentValues one(10s);
    one.add(noon, 7);
    EXPECT_EQ(one.percentile(noon, 50), 7);
    EXPECT_EQ(one.percentile(noon, 99), 7);
}

TEST(RecentValues, ForgetWhatIsOldAndWhatIsTooMuch) {
    RecentValues values(2s, 3);
    values.add(noon, 1);
    values.add(noon + 1s, 2);
    EXPECT_EQ(values.percentile(noon + 2s, 0), 1);
    EXPECT_EQ(values.percentile(noon + 2001ms, 0), 2);
    values.add(noon + 2500ms, 5);
    values.add(noon + 2500ms, 6);
    values.add(noon + 2500ms, 4);
    EXPECT_EQ(values.percentile(noon + 2500ms, 0), 4) << "three at most";
    EXPECT_FALSE(values.percentile(noon + 10s, 50));
}

TEST(RecentValues, TellHowManyComeInASecond) {
    RecentValues values(2s);
    EXPECT_EQ(values.rate(noon), 0);
    values.add(noon, 0);
    EXPECT_EQ(values.rate(noon), 0);
    for (int i = 1; i <= 50; ++i) {
        values.add(noon + i * 20ms, 0);
    }
    EXPECT_NEAR(values.rate(noon + 1s), 50, 1e-9);
    EXPECT_EQ(values.rate(noon + 10s), 0);
}

}  // namespace
}  // namespace vfilter
