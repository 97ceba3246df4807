#include "pipeline/live/previewed_video.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

namespace vfilter {
namespace {

std::string text_of(const std::vector<Outline>& outlines) {
    std::string text;
    for (const Outline& one : outlines) {
        text += std::to_string(one.filter) + " " + std::to_string(one.box.left) + "," + std::to_string(one.box.top) +
                "-" + std::to_string(one.box.right) + "," + std::to_string(one.box.bottom) + " '" + one.label + "'\n";
    }
    return text;
}

FilterSpec gaussian(const std::string& arguments) {
    return parse_filter(*find_filter("gaussian"), arguments);
}

TEST(PreviewedVideo, HasAnOutlineForEachRectangleOfEachFilter) {
    PreviewedVideo video;
    video.filters.assign(4, {.width = 200, .height = 100});
    const std::vector<FilterSpec> chain{gaussian("5"), gaussian("5:region=10%,10%,50%,50%+190,90,40,40"),
                                        gaussian("5:region=0,0,8,8:invert=1"),
                                        gaussian("5:region=1,2,3,4:enable=10f-20f")};
    EXPECT_EQ(text_of(outlines_of(chain, video, {5, 0.2})),
              "1 20,10-120,60 '2'\n1 190,90-200,100 '2'\n2 0,0-8,8 '3 outside'\n3 1,2-4,6 '4 (not now)'\n");
    EXPECT_NE(text_of(outlines_of(chain, video, {15, 0.6})).find("3 1,2-4,6 '4'\n"), std::string::npos);
}

TEST(PreviewedVideo, HasOutlinesOfTracksThatMove) {
    PreviewedVideo video;
    video.filters = {{.width = 200, .height = 100}, {.width = 200, .height = 100, .rate = 10, .last_of_chain = false}};
    FilterSpec filter = gaussian("5");
    filter.region.tracks =
        std::make_shared<Tracks>(parse_tracks("1,7,10,10,20,20\n11,7,110,10,20,20\n1,8,0,50,10,10\n", "tracks.csv"));
    const std::vector<FilterSpec> chain{filter, filter};
    EXPECT_EQ(text_of(outlines_of(chain, video, {5, 0.2})), "0 60,10-80,30 '1: 7'\n1 30,10-50,30 '2: 7'\n")
        << "numbers before a graph are reckoned from times";
    EXPECT_EQ(text_of(outlines_of(chain, video, {0, 0})),
              "0 10,10-30,30 '1: 7'\n0 0,50-10,60 '1: 8'\n1 10,10-30,30 '2: 7'\n1 0,50-10,60 '2: 8'\n");
    EXPECT_EQ(text_of(outlines_of(chain, video, {200, 8})), "");
}

}  // namespace
}  // namespace vfilter
