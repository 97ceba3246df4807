#include "pipeline/engine/planes.h"

#include <gtest/gtest.h>

#include "config/error.h"
#include "tests/pipeline/engine/pictures.h"

namespace vfilter {
namespace {

using testing::filter;

TEST(Planes, AreDescribedAsTheyLie) {
    const std::vector<PlaneLayout> planes = plane_layouts({AV_PIX_FMT_YUVA420P, 101, 61});
    ASSERT_EQ(planes.size(), 4U);
    EXPECT_EQ(planes[1].width, 51);
    EXPECT_EQ(planes[1].height, 31);
    EXPECT_TRUE(planes[1].chroma);
    EXPECT_EQ(planes[1].pitch_x, 2);
    EXPECT_EQ(planes[1].black, 128);
    EXPECT_EQ(planes[0].black, 16);
    EXPECT_TRUE(planes[3].alpha);
    EXPECT_EQ(planes[3].black, 0);
}

TEST(Planes, OfTwoComponentsAreOne) {
    const std::vector<PlaneLayout> planes = plane_layouts({AV_PIX_FMT_P010, 64, 64, true});
    ASSERT_EQ(planes.size(), 2U);
    EXPECT_EQ(planes[1].step, 2);
    EXPECT_EQ(planes[1].lsb, 6);
    EXPECT_EQ(planes[1].black, 512);
    EXPECT_EQ(planes[0].black, 0) << "full range";
}

TEST(FilterStep, LeavesAloneWhatItIsToldTo) {
    const PictureFormat format{AV_PIX_FMT_YUVA420P, 64, 64};
    const FilterStep step = make_step(filter("gaussian", "5:chroma=off"), format);
    EXPECT_TRUE(step.planes[0]);
    EXPECT_FALSE(step.planes[1]);
    EXPECT_FALSE(step.planes[2]);
    EXPECT_TRUE(step.weights.empty()) << "it works everywhere";
}

TEST(FilterStep, OfARegionHasAWeightForEachSample) {
    const FilterStep step = make_step(filter("gaussian", "5:region=0,0,32,16"), {AV_PIX_FMT_YUV420P, 64, 64});
    ASSERT_EQ(step.weights.size(), 3U);
    EXPECT_EQ(step.weights[0].width, 64);
    EXPECT_EQ(step.weights[1].width, 32);
    EXPECT_GT(step.weights[0].samples[0], 0);
    EXPECT_EQ(step.weights[0].samples[64 * 16], 0) << "below it";
}

TEST(FilterStep, OutsideOfThePictureIsBadUsage) {
    try {
        make_step(filter("gaussian", "5:region=100,0,32,16"), {AV_PIX_FMT_YUV420P, 64, 64});
        FAIL();
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ExitCode::usage);
        EXPECT_EQ(std::string(error.what()).rfind("gaussian: ", 0), 0U) << error.what();
    }
}

}  // namespace
}  // namespace vfilter
