// Texts whose durations are known only from the next one.

#include "io/output/open_words.h"

#include <gtest/gtest.h>

#include "tests/io/input/scripted_source.h"

namespace vfilter {
namespace {

struct Text {
    std::int64_t time;
    std::int64_t duration;
    bool operator==(const Text&) const = default;
};

std::vector<Text> add(OpenWords& words, int stream, Text text) {
    std::vector<Text> whole;
    for (const PacketPtr& packet : words.add(testing::make_packet({stream, text.time, text.duration}), stream)) {
        whole.push_back({packet->pts, packet->duration});
    }
    return whole;
}

using Texts = std::vector<Text>;

TEST(OpenWords, LastUntilTheNextOne) {
    OpenWords words;
    EXPECT_EQ(add(words, 2, {1000, 0}), Texts());
    EXPECT_EQ(add(words, 2, {2500, 0}), Texts({{1000, 1500}}));
    EXPECT_EQ(add(words, 2, {2000, 0}), Texts({{2500, 0}})) << "whose time goes back";
}

TEST(OpenWords, LeaveDurationsAsTheyAre) {
    OpenWords words;
    EXPECT_EQ(add(words, 2, {1000, 400}), Texts({{1000, 400}}));
    EXPECT_EQ(add(words, 2, {2000, 0}), Texts());
    EXPECT_EQ(add(words, 2, {3000, 400}), Texts({{2000, 1000}, {3000, 400}}));
    EXPECT_TRUE(words.finish().empty());
}

TEST(OpenWords, AreOpenByStream) {
    OpenWords words;
    EXPECT_EQ(add(words, 2, {1000, 0}), Texts());
    EXPECT_EQ(add(words, 3, {1200, 0}), Texts());
    EXPECT_EQ(add(words, 2, {1500, 0}), Texts({{1000, 500}}));
    const std::map<int, PacketPtr> last = words.finish();
    ASSERT_EQ(last.size(), 2U);
    EXPECT_EQ(last.at(2)->pts, 1500);
    EXPECT_EQ(last.at(3)->pts, 1200);
    EXPECT_TRUE(words.finish().empty());
}

}  // namespace
}  // namespace vfilter
