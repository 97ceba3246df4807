// What is known of libavfilter's filters.

#include "config/lavfi/facts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <span>
#include <string>

namespace vfilter::lavfi {
namespace {

TEST(LavfiFacts, HaveARowForEachName) {
    for (const std::span<const Filter> table : {std::span<const Filter>(filters_of_pictures), {filters_of_sound}}) {
        EXPECT_TRUE(std::ranges::is_sorted(table, {}, &Filter::name));
        for (const Filter& filter : table) {
            EXPECT_EQ(row_of(filter.name), &filter) << filter.name << " has two rows";
            EXPECT_NE(filter.facts, 0U) << filter.name;
        }
    }
}

TEST(LavfiFacts, DoNotSpeakAgainstEachOther) {
    const auto count = [](const Filter& filter, std::initializer_list<Facts> facts) {
        return std::ranges::count_if(facts, [&](Facts fact) { return (filter.facts & fact) != 0; });
    };
    for (const Filter& filter : filters_of_pictures) {
        EXPECT_LE(count(filter, {numbers, times}), 1) << filter.name;
        EXPECT_LE(count(filter, {of_one, of_earlier, of_next}), 1) << filter.name;
        EXPECT_TRUE(filter.later_with.empty() || count(filter, {of_one, of_earlier}) == 1) << filter.name;
        EXPECT_TRUE((filter.facts & outward) != 0 || filter.reaches_by.empty()) << filter.name;
    }
}

TEST(LavfiFacts, AreFoundByName) {
    EXPECT_TRUE(has("bwdif", numbers));
    EXPECT_TRUE(has("sine", endless));
    EXPECT_FALSE(has("bwdif", times | endless));
    EXPECT_FALSE(has("bwdi", numbers));
    EXPECT_FALSE(has("bwdif_cuda", numbers));
    EXPECT_EQ(row_of(""), nullptr);
    EXPECT_TRUE(some_have("hflip,'setpts'=PTS/2", times));
    EXPECT_FALSE(some_have("hflip[setpts]", times));
    EXPECT_FALSE(some_have("hflip,setpts]", times)) << "nobody reads it";
    EXPECT_TRUE(is_of_device("hwupload"));
    EXPECT_TRUE(is_of_device("scale_vaapi"));
    EXPECT_FALSE(is_of_device("scale"));
}

}  // namespace
}  // namespace vfilter::lavfi
