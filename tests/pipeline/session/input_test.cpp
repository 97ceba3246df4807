// What a live input makes of filters with time.

#include "pipeline/session/input.h"

#include <gtest/gtest.h>

#include "tests/pipeline/engine/pictures.h"

namespace vfilter {
namespace {

using testing::filter;

TEST(LiveWindows, LieBeforeThePictureUnlessToldOtherwise) {
    const std::vector<FilterSpec> made =
        with_live_windows({filter("gaussian", "5"), filter("tmedian", "2"), filter("nlmeans", "4:frames=1:after=1"),
                           filter("nlmeans", "4")},
                          25);
    EXPECT_EQ(to_string(made[0]), "size=5");
    EXPECT_EQ(made[1].time_reach(), (TimeReach{4, 0}));
    EXPECT_EQ(made[2].time_reach(), (TimeReach{1, 1}));
    EXPECT_EQ(to_string(made[3]), "sigma=4");
    EXPECT_EQ(time_reach(made), (TimeReach{5, 1}));
}

}  // namespace
}  // namespace vfilter
