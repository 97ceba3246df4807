// The chain cut into segments.

#include "config/chain.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "filters/filters.h"

namespace vfilter {
namespace {

// "g3 b5 | scale | g7": the filters of each segment, after its graph.
std::string written_chain(const std::vector<ChainSegment>& segments) {
    std::string text;
    for (const ChainSegment& segment : segments) {
        text += segment.graph.empty() ? "" : "|" + segment.graph + "|";
        for (const FilterSpec& filter : segment.filters) {
            text += " " + to_string(filter);
        }
    }
    return text;
}

const std::vector<FilterSpec>& three_filters() {
    static const std::vector<FilterSpec> filters{parse_filter(*find_filter("gaussian"), "3"),
                                                 parse_filter(*find_filter("box"), "5"),
                                                 parse_filter(*find_filter("gaussian"), "7")};
    return filters;
}

TEST(Chain, IsOneSegmentWithoutGraphs) {
    const std::vector<ChainSegment> segments = segments_of(three_filters(), {});
    ASSERT_EQ(segments.size(), 1U);
    EXPECT_EQ(segments[0].graph, "");
    EXPECT_EQ(segments[0].filters.size(), 3U);
    EXPECT_EQ(segments_of({}, {}).size(), 1U);
}

TEST(Chain, IsCutBeforeEachGraph) {
    const auto names = [](const FilterSpec& filter) { return to_string(filter); };
    const std::string a = names(three_filters()[0]);
    const std::string b = names(three_filters()[1]);
    const std::string c = names(three_filters()[2]);
    EXPECT_EQ(written_chain(segments_of(three_filters(), {{.place = 0, .graph = "x"}})),
              "|x| " + a + " " + b + " " + c);
    EXPECT_EQ(written_chain(segments_of(three_filters(), {{.place = 2, .graph = "x"}})),
              " " + a + " " + b + "|x| " + c);
    EXPECT_EQ(written_chain(segments_of(three_filters(), {{.place = 1, .graph = "x"}, {.place = 1, .graph = "y"}})),
              " " + a + "|x||y| " + b + " " + c);
    EXPECT_EQ(written_chain(segments_of(three_filters(), {{.place = 3, .graph = "x"}})),
              " " + a + " " + b + " " + c + "|x|");
}

TEST(Chain, StepsAreVisitedInTheirOrder) {
    std::string order;
    for_each_step(
        three_filters(), {{.place = 0, .graph = "x"}, {.place = 2, .graph = "y"}},
        [&](const std::string& graph) { order += graph; }, [&](const FilterSpec& /*filter*/) { order += "f"; });
    EXPECT_EQ(order, "xffyf");
}

}  // namespace
}  // namespace vfilter
