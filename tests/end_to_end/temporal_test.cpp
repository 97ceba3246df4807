// Filters with time and measured noise in whole runs.

#include <fmt/format.h>

#include "tests/support/end_to_end.h"

namespace vfilter::test {

namespace {

class Temporal : public EndToEnd {
protected:
    Temporal() {
        ffmpeg(
            "-f lavfi -i testsrc2=s=128x96:r=25:d=0.4 -vf noise=alls=9:allf=t:all_seed=5,format=yuv420p -c:v ffv1 "
            "in.mkv");
    }
};

// ffmpeg gives no pictures for the ends.
TEST_F(Temporal, MediansAreFfmpegs) {
    filter("in.mkv out.mkv --codec ffv1 --tmedian 2");
    ffmpeg("-i in.mkv -vf tmedian=radius=2 -c:v ffv1 theirs.mkv");
    const std::vector<std::string> ours = picture_hashes("out.mkv");
    const std::vector<std::string> theirs = picture_hashes("theirs.mkv");
    ASSERT_EQ(ours.size(), 10U);
    ASSERT_GE(theirs.size(), 6U);
    EXPECT_EQ(std::vector(ours.begin() + 2, ours.begin() + 8), std::vector(theirs.begin(), theirs.begin() + 6));
    EXPECT_EQ(picture_times("out.mkv"), picture_times("in.mkv"));
}

// A chain with --verify, and a part of it beside a graph of libavfilter's.
TEST_F(Temporal, StandsAnywhereInAChain) {
    const auto report = filter(
        "in.mkv out.mkv --codec ffv1 --gaussian 3 --taverage 1 --vf negate "
        "--nlmeans 4:frames=1:patch=3:search=3:region=10%,10%,50%,50%:enable=2f-7f --verify");
    EXPECT_EQ(report["verify"]["frames"], 2) << "the first picture of each part";
    EXPECT_EQ(report["filters"][3]["pictures"], 5);
    filter("in.mkv one.mkv --codec ffv1 --gaussian 3");
    filter("one.mkv two.mkv --codec ffv1 --taverage 1");
    filter("two.mkv three.mkv --codec ffv1 --vf negate");
    filter(
        "three.mkv four.mkv --codec ffv1 "
        "--nlmeans 4:frames=1:patch=3:search=3:region=10%,10%,50%,50%:enable=2f-7f");
    EXPECT_EQ(picture_hashes("out.mkv"), picture_hashes("four.mkv"));
}

TEST_F(Temporal, MeasuredNoiseIsToldByNumbersThatGiveTheSame) {
    const auto report = filter("in.mkv out.mkv --codec ffv1 --denoise auto");
    ASSERT_EQ(report["noise"].size(), 1U) << report;
    EXPECT_NEAR(report["noise"][0]["luma"].get<double>(), 5.2, 0.6) << "9 / sqrt(3)";
    EXPECT_EQ(report["noise"][0]["pictures"], 8);
    ASSERT_EQ(report["filters"][0]["name"], "nlmeans");
    const std::string numbers = report["filters"][0]["arguments"];
    EXPECT_NE(report["stderr"].dump().find("as --nlmeans " + numbers), std::string::npos) << report["stderr"];
    filter(fmt::format("in.mkv again.mkv --codec ffv1 --nlmeans {}", numbers));
    EXPECT_EQ(picture_hashes("again.mkv"), picture_hashes("out.mkv"));
    // What the filter before it leaves.
    const auto after = filter("in.mkv blurred.mkv --codec ffv1 --gaussian 5 --nlmeans auto:frames=1 --start 0.2");
    EXPECT_LT(after["noise"][0]["luma"].get<double>(), 2);
    EXPECT_EQ(after["noise"][0]["pictures"], 5);
}

TEST_F(Temporal, WhatCannotBeIsTold) {
    const Result late = vfilter("in.mkv out.mkv --vf negate --nlmeans auto");
    EXPECT_EQ(late.code, 2) << late;
    EXPECT_NE(late.err.find("put it before"), std::string::npos) << late;
    EXPECT_EQ(names(), (std::vector<std::string>{"in.mkv"}));
}

}  // namespace

}  // namespace vfilter::test
