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
    EXPECT_FALSE(step.region.partial()) << "it works everywhere";
}

TEST(FilterStep, OfARegionHasWeightsWhereItIs) {
    FilterStep step = make_step(filter("gaussian", "5:region=0,0,32,16"), {AV_PIX_FMT_YUV420P, 64, 64});
    const StepRegion::Use use = step.region.at({}, 1);
    ASSERT_TRUE(use.works);
    ASSERT_NE(use.weights, nullptr);
    ASSERT_EQ(use.weights->size(), 3U);
    EXPECT_EQ(use.weights->at(0).boxes.at(0).width, 32);
    EXPECT_EQ(use.weights->at(1).boxes.at(0).width, 16);
    EXPECT_EQ(use.weights->at(1).boxes.at(0).height, 8);
}

TEST(FilterStep, WorksWhenItIsEnabled) {
    FilterStep step = make_step(filter("gaussian", "5:enable=2f-4f+1.5-2"), {AV_PIX_FMT_YUV420P, 64, 64});
    std::vector<std::int64_t> worked;
    for (std::int64_t n = 0; n < 60; ++n) {
        if (step.region.at({n, static_cast<double>(n) / 25}, 1).works) {
            worked.push_back(n);
        }
    }
    EXPECT_EQ(worked.size(), 2U + 12U);
    EXPECT_EQ(worked[0], 2);
    EXPECT_EQ(worked[2], 38) << "1.52 s is the first";
    EXPECT_EQ(worked.back(), 49) << "2.00 s is not in it";
    EXPECT_EQ(step.region.count().pictures, 14);
}

TEST(FilterStep, OutsideOfThePictureIsBadUsage) {
    try {
        make_step(filter("gaussian", "5:region=64,0,32,16"), {AV_PIX_FMT_YUV420P, 64, 64});
        FAIL();
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ExitCode::usage);
        EXPECT_EQ(std::string(error.what()).rfind("gaussian: ", 0), 0U) << error.what();
    }
}

}  // namespace
}  // namespace vfilter
