// Which videos are over before a GPU has begun.

#include "pipeline/session/device_rule.h"

#include <gtest/gtest.h>

#include "filters/filters.h"

namespace vfilter {
namespace {

DeviceFactors hd(std::int64_t pictures, const char* filter, const char* arguments) {
    return {.pictures = pictures, .pixels = 1920 * 1080, .filters = {parse_filter(*find_filter(filter), arguments)}};
}

TEST(DeviceRule, LeavesShortVideosToTheCpu) {
    EXPECT_EQ(too_short_for_gpu(hd(5, "gaussian", "31")),
              "the video is short (5 pictures), done before a GPU has begun");
    EXPECT_EQ(too_short_for_gpu(hd(1, "gaussian", "sigma=50")), "it is one picture, done before a GPU has begun");
    EXPECT_NE(too_short_for_gpu(hd(40, "fill", "red")), "");
    EXPECT_EQ(too_short_for_gpu(hd(3600, "gaussian", "3")), "");
    EXPECT_EQ(too_short_for_gpu(hd(3600, "identity", "")), "");
}

TEST(DeviceRule, CountsWhatTheFiltersTake) {
    EXPECT_NE(too_short_for_gpu(hd(20, "gaussian", "5")), "");
    EXPECT_EQ(too_short_for_gpu(hd(20, "gaussian", "31")), "");
    DeviceFactors chain = hd(20, "gaussian", "5");
    for (int i = 0; i < 4; ++i) {
        chain.filters.push_back(chain.filters.front());
    }
    EXPECT_EQ(too_short_for_gpu(chain), "");
    chain.pixels /= 9;
    EXPECT_NE(too_short_for_gpu(chain), "");
}

TEST(DeviceRule, GuessesNothing) {
    EXPECT_EQ(too_short_for_gpu(hd(1, "nlmeans", "6")), "");
    EXPECT_EQ(too_short_for_gpu(hd(1, "denoise", "auto")), "");
    EXPECT_EQ(too_short_for_gpu(hd(1, "median", "5")), "");
    EXPECT_EQ(too_short_for_gpu(hd(0, "gaussian", "5")), "") << "nobody knows how long it is";
    DeviceFactors chain = hd(1, "gaussian", "5");
    chain.filters.push_back(parse_filter(*find_filter("nlmeans"), "6"));
    EXPECT_EQ(too_short_for_gpu(chain), "");
}

}  // namespace
}  // namespace vfilter
