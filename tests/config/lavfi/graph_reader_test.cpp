// Texts of graphs. What libavfilter makes of them is asked in tests/io/graph/lavfi_graph_test.cpp.

#include "config/lavfi/graph_reader.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>

namespace vfilter::lavfi {
namespace {

// "scale(w=1) hflip()", and " ..." behind it where nobody reads on.
std::string read(std::string_view graph) {
    const GraphText text = read_graph(graph);
    std::string all;
    for (const GraphFilter& filter : text.filters) {
        all += (all.empty() ? "" : " ") + filter.name + "(" + filter.arguments + ")";
    }
    return all + (text.understood ? "" : " ...");
}

TEST(GraphReader, FindsFilters) {
    const std::pair<std::string_view, std::string_view> rows[] = {
        {"", "()"},
        {"hflip", "hflip()"},
        {" hflip , scale@a = w=1:h=2 ", "hflip() scale(w=1:h=2)"},
        {"[in] split [a][b];[a]hflip[c];[b] [c]hstack[out]", "split() hflip() hstack()"},
        {"[a,b]hflip[c;d]", "hflip()"},
        {"drawtext=text='a,b;c[d]':x=1,hflip", "drawtext(text=a,b;c[d]:x=1) hflip()"},
        {"drawtext=text=a\\,b\\\\\\:c", "drawtext(text=a,b\\:c)"},
        {"'mo'v\\ie=' a '", "movie( a )"},
        {"sws_flags=bilinear,a;hflip", "hflip()"},
        {"hflip,", "hflip() ()"},
        {"hflip[a", "hflip() ..."},
        {"[a", " ..."},
        {"hflip]", "hflip]()"},
        {"scale=1]hflip", "scale(1) ..."},
        {"sws_flags=bilinear,hflip", " ..."},
        {std::string_view("hflip\0,vflip", 12), "hflip()"},
    };
    for (const auto& [graph, wanted] : rows) {
        EXPECT_EQ(read(graph), wanted) << graph;
    }
    for (const std::string_view graph : {"[a]hflip", "hflip[a]", "hflip,vflip[", "null;[a"}) {
        EXPECT_TRUE(read_graph(graph).labelled) << graph;
    }
    EXPECT_FALSE(read_graph("drawtext=text='[a]\\[b'\\[c,hflip").labelled);
    EXPECT_TRUE(names_in("hflip[a").empty());
    EXPECT_TRUE(names_filter("null,[a] 'hflip'@x", "hflip"));
    EXPECT_FALSE(names_filter("drawtext=text='a,hflip'", "hflip"));
}

TEST(GraphReader, KnowsWhereTheyStand) {
    const std::string_view graph = "null, [a] 'scale'@x = 'w=1' [b];vflip";
    const GraphText text = read_graph(graph);
    ASSERT_EQ(text.filters.size(), 3U);
    const GraphFilter& scale = text.filters[1];
    EXPECT_EQ(graph.substr(scale.begin, scale.arguments_at - scale.begin), "'scale'@x =");
    EXPECT_EQ(graph.substr(scale.arguments_at, scale.end - scale.arguments_at), " 'w=1' ");
    EXPECT_EQ(text.filters[2].arguments_at, graph.size());
}

TEST(GraphReader, TellsOptionsApart) {
    const auto options = [](std::string_view arguments) {
        std::string all;
        for (const FilterOption& option : options_in(arguments)) {
            all += "(" + option.name + "|" + option.value + ")";
        }
        return all;
    };
    EXPECT_EQ(options(""), "");
    EXPECT_EQ(options("1:2"), "(|1)(|2)");
    EXPECT_EQ(options(" w = 1 : -h=2:"), "(w|1)(-h|2)");
    EXPECT_EQ(options("t>=1:eq(n,1)"), "(|t>=1)(|eq(n,1))") << "no name";
    EXPECT_EQ(options("text='a:b'\\:c:x=d=e"), "(text|a:b:c)(x|d=e)");
    EXPECT_EQ(options("=1"), "(|=1)");
    const GraphFilter scale{.name = "scale", .arguments = "1:h=2"};
    EXPECT_EQ(first_value(scale, "w"), "1");
    EXPECT_EQ(value_of(scale, "w"), std::nullopt);
    EXPECT_EQ(value_of(scale, "h"), "2");
    EXPECT_EQ(first_value({.arguments = "h=2:w=1"}, "w"), "1");
    EXPECT_EQ(first_value({}, "w"), std::nullopt);
}

}  // namespace
}  // namespace vfilter::lavfi
