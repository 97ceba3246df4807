#include "pipeline/session/idle_filters.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace vfilter {
namespace {

FilterSpec fill(const std::string& arguments) {
    return parse_filter(*find_filter("fill"), arguments);
}

FilterSpec tracked(std::size_t tracks, const std::string& arguments = "black") {
    FilterSpec filter = fill(arguments);
    auto table = std::make_shared<Tracks>();
    table->file = "boxes.csv";
    table->tracks.resize(tracks);
    filter.region.tracks = table;
    return filter;
}

StepCount counted(std::int64_t pictures, const std::vector<std::int64_t>& tracks,
                  const std::vector<std::int64_t>& spans = {}) {
    StepCount count{.pictures = pictures, .regions = {}, .spans = spans};
    for (std::size_t i = 0; i < tracks.size(); ++i) {
        count.regions.push_back({std::to_string(i + 1), tracks[i]});
    }
    return count;
}

std::string told(const FilterSpec& filter, const StepCount& count) {
    const std::vector<std::string> idle = idle_filters({filter}, {count});
    return idle.empty() ? "" : idle.front();
}

TEST(IdleFilters, SaysNothingOfThoseThatWork) {
    EXPECT_EQ(told(fill("black"), counted(10, {})), "");
    EXPECT_EQ(told(fill("black:region=0,0,4,4"), counted(10, {10})), "");
    EXPECT_EQ(told(fill("black:enable=1-2+4-5"), counted(10, {}, {5, 5})), "");
    EXPECT_EQ(told(tracked(2), counted(10, {1, 9})), "");
    EXPECT_EQ(told(fill("black"), counted(0, {})), "") << "no picture came";
}

TEST(IdleFilters, TellsOfOneThatNoPictureWasEnabledFor) {
    EXPECT_EQ(told(fill("black:enable=7-8+9-10"), counted(0, {}, {0, 0})),
              "--fill has changed nothing: no picture is in enable=7-8+9-10");
    EXPECT_EQ(told(tracked(1, "black:enable=7-8"), counted(0, {0}, {0})),
              "--fill has changed nothing: no picture is in enable=7-8");
}

TEST(IdleFilters, TellsOfOneWhoseRegionCoversNothing) {
    EXPECT_EQ(told(tracked(2), counted(0, {0, 0})),
              "--fill has changed nothing: nothing of boxes.csv is in any picture");
    EXPECT_EQ(told(tracked(2, "black:enable=1-2"), counted(0, {0, 0}, {4})),
              "--fill has changed nothing: nothing of boxes.csv is in any picture in which it is enabled");
    FilterSpec masked = fill("black");
    masked.region.mask = "black.png";
    EXPECT_EQ(told(masked, counted(0, {})), "--fill has changed nothing: its region covers no pixel");
}

TEST(IdleFilters, TellsOfTracksAndTimesWithoutPictures) {
    EXPECT_EQ(told(tracked(3), counted(10, {0, 10, 0})), "--fill: 2 of 3 tracks of boxes.csv are in no picture: 1, 3");
    EXPECT_EQ(told(fill("black:enable=1-2+90f-95f"), counted(5, {}, {5, 0})),
              "--fill: no picture is in 1 of the 2 times of enable: 90f-95f");
    EXPECT_EQ(told(tracked(2, "black:enable=1-2+7-8"), counted(5, {5, 0}, {5, 0})),
              "--fill: no picture is in 1 of the 2 times of enable: 7-8; 1 of 2 tracks of boxes.csv is in no "
              "picture in which it is enabled: 2");
    EXPECT_NE(told(tracked(20), counted(10, std::vector<std::int64_t>(20))).find("8 and 12 more"), std::string::npos)
        << told(tracked(20), counted(10, std::vector<std::int64_t>(20)));
}

TEST(IdleFilters, TellsOfEach) {
    EXPECT_EQ(idle_filters({fill("black:enable=7-8"), fill("black"), fill("black:enable=9-")},
                           {counted(0, {}, {0}), counted(10, {}), counted(0, {}, {0})})
                  .size(),
              2U);
}

TEST(IdleFilters, TellsOfChromaThatIsNotThere) {
    const auto chroma = [](const char* filter, const char* arguments, AVPixelFormat format) {
        return idle_chroma(parse_filter(*find_filter(filter), arguments), {.format = format});
    };
    EXPECT_EQ(chroma("nlmeans", "4:chroma_sigma=50", AV_PIX_FMT_GBRP),
              "--nlmeans: chroma_sigma changes nothing: the pictures, gbrp, have no chroma");
    EXPECT_NE(chroma("nlmeans", "4:chroma_sigma=50", AV_PIX_FMT_GRAY8), "");
    EXPECT_EQ(chroma("nlmeans", "4:chroma_sigma=50", AV_PIX_FMT_YUV420P), "");
    EXPECT_EQ(chroma("nlmeans", "4", AV_PIX_FMT_GBRP), "");
    EXPECT_EQ(chroma("gaussian", "5:chroma=neutral", AV_PIX_FMT_GBRAP),
              "--gaussian: chroma=neutral changes nothing: the pictures, gbrap, have no chroma");
    EXPECT_NE(chroma("gaussian", "5:chroma=off", AV_PIX_FMT_GBRP), "");
    EXPECT_EQ(chroma("gaussian", "5:chroma=off", AV_PIX_FMT_GRAY8), "");
    EXPECT_EQ(chroma("gaussian", "5:chroma=same", AV_PIX_FMT_GBRP), "");
    EXPECT_EQ(chroma("gaussian", "5:chroma=neutral", AV_PIX_FMT_NV12), "");
    EXPECT_EQ(chroma("sobel", "", AV_PIX_FMT_GBRP), "") << "by default";
}

TEST(IdleFilters, TellsOfABorderThatNobodyLooksAt) {
    const auto border = [](const char* filter, const char* arguments) {
        return idle_border(parse_filter(*find_filter(filter), arguments));
    };
    const std::pair<std::string, std::string> rows[] = {
        {"identity", ""}, {"pixelate", "8"}, {"tmedian", "2"}, {"taverage", "2"}};
    for (const auto& [name, argument] : rows) {
        const std::string more = argument + (argument.empty() ? "" : ":") + "border=wrap";
        EXPECT_EQ(border(name.c_str(), more.c_str()),
                  "--" + name + ": border=wrap changes nothing: no sample outside of the picture is looked at");
        EXPECT_EQ(border(name.c_str(), argument.c_str()), "") << name;
    }
    EXPECT_EQ(border("gaussian", "5:border=wrap"), "");
    EXPECT_EQ(border("median", "3:border=constant"), "");
}

}  // namespace
}  // namespace vfilter
