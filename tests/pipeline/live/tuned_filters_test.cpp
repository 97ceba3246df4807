#include "pipeline/live/tuned_filters.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "config/error.h"

namespace vfilter {
namespace {

std::vector<FilterSpec> chain() {
    return {parse_filter(*find_filter("gaussian"), "9"), parse_filter(*find_filter("sharpen"), "0.8")};
}

TEST(TunedFilters, ChangeTheChosenOneAlone) {
    TunedFilters filters(chain());
    std::vector<std::string> changes;
    const auto change = [&](const std::vector<FilterSpec>& to) {
        changes.push_back(to_string(to[0]) + ", " + to_string(to[1]));
    };
    EXPECT_EQ(filters.text(), "filter 1 of 2: gaussian size=9");
    EXPECT_EQ(filters.change_strength(StrengthStep::stronger, change), "");
    filters.choose(1);
    EXPECT_EQ(filters.change_strength(StrengthStep::weaker, change), "");
    filters.choose(2);
    EXPECT_EQ(filters.text(), "filter 2 of 2: sharpen amount=0.7") << "there is no third one";
    EXPECT_EQ(changes, (std::vector<std::string>{"size=11, amount=0.8", "size=11, amount=0.7"}));
    EXPECT_EQ(to_string(filters.chain()[0]), "size=11");
}

TEST(TunedFilters, StayAsTheyAreWhereAChangeIsRefused) {
    TunedFilters filters(chain());
    const auto refuse = [](const std::vector<FilterSpec>&) { throw Error(ExitCode::usage, "no"); };
    EXPECT_EQ(filters.change_strength(StrengthStep::stronger, refuse), "gaussian cannot be stronger");
    EXPECT_EQ(filters.text(), "filter 1 of 2: gaussian size=9");
}

TEST(TunedFilters, EndWhereTheFilterDoes) {
    TunedFilters filters({parse_filter(*find_filter("gaussian"), "9")});
    const auto take = [](const std::vector<FilterSpec>&) {};
    std::string refusal;
    for (int i = 0; i < 100 && refusal.empty(); ++i) {
        refusal = filters.change_strength(StrengthStep::weaker, take);
    }
    EXPECT_EQ(refusal, "gaussian cannot be weaker");
    EXPECT_EQ(filters.text().rfind("filter: gaussian ", 0), 0U) << filters.text();
}

TEST(TunedFilters, HaveTheRegionThatTheyAreGiven) {
    TunedFilters filters(chain());
    filters.choose(1);
    Region region;
    region.rectangles = parse_rectangles("1,2,3,4");
    EXPECT_EQ(filters.change_region(region, [](const auto&) {}), "");
    EXPECT_EQ(to_string(filters.chain()[1]), "amount=0.8:region=1,2,3,4");
    EXPECT_TRUE(filters.chain()[0].region.everywhere());
    const auto refuse = [](const std::vector<FilterSpec>&) { throw Error(ExitCode::usage, "no"); };
    EXPECT_EQ(filters.change_region({}, refuse), "sharpen cannot have that region");
    EXPECT_FALSE(filters.chain()[1].region.everywhere());
}

TEST(TunedFilters, MayBeNone) {
    TunedFilters filters({});
    EXPECT_EQ(filters.text(), "");
    EXPECT_EQ(filters.change_strength(StrengthStep::stronger, {}), "there is no filter");
}

}  // namespace
}  // namespace vfilter
