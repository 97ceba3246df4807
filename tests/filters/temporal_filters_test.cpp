// Filters that look at several pictures, and those that ask for the noise: what their arguments mean.

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

#include "filters/filters.h"

namespace vfilter {
namespace {

FilterSpec spec_of(const char* name, const char* arguments) {
    return parse_filter(*find_filter(name), arguments);
}

std::string refusal_of(const char* name, const char* arguments) {
    try {
        parse_filter(*find_filter(name), arguments);
    } catch (const std::invalid_argument& error) {
        return error.what();
    }
    return "";
}

TEST(TemporalFilters, AWindowHasAsManyPicturesWhereverItLies) {
    EXPECT_EQ(spec_of("tmedian", "").time_reach(), (TimeReach{1, 1}));
    EXPECT_EQ(spec_of("tmedian", "3").time_reach(), (TimeReach{3, 3}));
    EXPECT_EQ(spec_of("taverage", "3:after=1").time_reach(), (TimeReach{5, 1}));
    EXPECT_EQ(spec_of("nlmeans", "4:frames=2:after=0").time_reach(), (TimeReach{4, 0}));
    EXPECT_EQ(spec_of("denoise", "film:frames=1").time_reach(), (TimeReach{1, 1}));
    EXPECT_EQ(spec_of("nlmeans", "4").time_reach(), TimeReach{});
    EXPECT_EQ(spec_of("gaussian", "5").time_reach(), TimeReach{});
    EXPECT_NE(refusal_of("tmedian", "2:after=5").find("more than the 4 other pictures"), std::string::npos);
    EXPECT_NE(refusal_of("nlmeans", "4:after=1").find("more than the 0 other pictures"), std::string::npos);
    EXPECT_NE(refusal_of("denoise", "light:frames=1:after=3").find("more than"), std::string::npos);
    EXPECT_NE(refusal_of("taverage", "9").find("1 to 8"), std::string::npos);
}

TEST(TemporalFilters, OperationsHaveTheWindowOfTheirFilter) {
    const TargetPlane plane{.depth = 10};
    for (const auto& [name, arguments] :
         {std::pair{"tmedian", "2:after=1"}, std::pair{"taverage", "2:after=1"},
          std::pair{"nlmeans", "3:frames=2:after=1"}, std::pair{"denoise", "strong:frames=2:after=1"}}) {
        EXPECT_EQ(time_reach(*operation_of(spec_of(name, arguments), plane)), (TimeReach{3, 1})) << name;
    }
    const Operation limited = *operation_of(spec_of("taverage", "1:limit=12"), plane);
    EXPECT_EQ(std::get<TemporalMean>(limited).limit, 48);
    const Operation unlimited = *operation_of(spec_of("taverage", ""), plane);
    EXPECT_EQ(std::get<TemporalMean>(unlimited).limit, 1023);
}

TEST(TemporalFilters, AreToldWhatComesAfter) {
    const FilterSpec asked = spec_of("nlmeans", "4:frames=2");
    EXPECT_FALSE(after_given(asked));
    EXPECT_EQ(to_string(with_after(asked, 0)), "sigma=4:frames=2:after=0");
    EXPECT_TRUE(after_given(with_after(asked, 0)));
}

TEST(MeasuredFilters, BecomeNumbersOnceTheNoiseIsKnown) {
    const FilterSpec asked = spec_of("nlmeans", "auto:patch=5:frames=1:region=0,0,8,8");
    EXPECT_TRUE(asked.wants_noise());
    EXPECT_EQ(to_string(asked), "sigma=auto:patch=5:frames=1:region=0,0,8,8");
    EXPECT_EQ(parse_filter(*asked.def, to_string(asked)).values, asked.values);
    EXPECT_THROW(operation_of(asked, {}), std::invalid_argument);
    const FilterSpec told = with_noise(asked, {.luma = 4.321, .chroma = 0.1});
    EXPECT_FALSE(told.wants_noise());
    EXPECT_EQ(to_string(told), "sigma=4.32:patch=5:chroma_sigma=0.5:frames=1:region=0,0,8,8");
    EXPECT_EQ(to_string(with_noise(spec_of("nlmeans", "auto"), {.luma = 99})), "sigma=50") << "no chroma";
    EXPECT_FALSE(spec_of("nlmeans", "4").wants_noise());
    EXPECT_NE(refusal_of("nlmeans", "auto:chroma_sigma=3").find("both, or neither"), std::string::npos);
    EXPECT_NE(refusal_of("gaussian", "5:sigma=auto").find("not a number"), std::string::npos);
    EXPECT_TRUE(looks_like_arguments(*find_filter("nlmeans"), "auto"));
    EXPECT_FALSE(looks_like_arguments(*find_filter("gaussian"), "auto"));
}

TEST(MeasuredFilters, DenoiseAutoIsNlMeans) {
    const FilterSpec asked = spec_of("denoise", "auto:frames=2:after=1:chroma=off");
    EXPECT_TRUE(asked.wants_noise());
    const FilterSpec told = with_noise(asked, {.luma = 3, .chroma = 2.5});
    EXPECT_EQ(told.def, find_filter("nlmeans"));
    EXPECT_EQ(to_string(told), "sigma=3:chroma_sigma=2.5:frames=2:after=1:chroma=off");
}

TEST(MeasuredFilters, ChromaHasItsOwnNoise) {
    const FilterSpec spec = spec_of("nlmeans", "10:chroma_sigma=2");
    const auto made = [&](Component component) {
        return std::get<NlMeans>(*operation_of(spec, {.components = {component, component}})).mul;
    };
    EXPECT_EQ(made(Component::luma), make_nl_means(8, 10, 7, 11).mul);
    EXPECT_EQ(made(Component::cb), make_nl_means(8, 2, 7, 11).mul);
}

}  // namespace
}  // namespace vfilter
