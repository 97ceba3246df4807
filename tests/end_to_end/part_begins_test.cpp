// Parts begin with the very picture that was asked for, and lose none.

#include <string>
#include <utility>
#include <vector>

#include "tests/support/end_to_end.h"

namespace vfilter::test {

namespace {

class PartBegins : public EndToEnd {};

// Key frames are shown later than they are decoded; those of open groups have pictures behind them that are shown
// before.
TEST_F(PartBegins, WhereKeyFramesAreShownLate) {
    const std::string open =
        "-an -c:v libx264 -x264-params open-gop=1:bframes=6:b-adapt=0:keyint=14:min-keyint=14:scenecut=0";
    for (const auto& [name, options] :
         {std::pair<std::string, std::string>("in.avi", "-an -c:v mpeg4 -bf 2 -b_strategy 0 -g 12"),
          {"in.nut", "-an -c:v mpeg4 -bf 2 -b_strategy 0 -g 12"},
          {"in.mp4", open},
          {"open.avi", open}}) {
        make_clip(name, 50, options);
        const auto all = picture_hashes(name);
        ASSERT_EQ(all.size(), 50U) << name;
        for (const int start : {12, 24, 31, 46, 49}) {
            const Result result =
                vfilter(name + " out.nut -y --identity --codec ffv1 --start " + std::to_string(start) + "f");
            EXPECT_EQ(result.code, 0) << name << " " << start << result;
            EXPECT_EQ(picture_hashes("out.nut"), std::vector(all.begin() + start, all.end())) << name << " " << start;
        }
    }
}

}  // namespace

}  // namespace vfilter::test
