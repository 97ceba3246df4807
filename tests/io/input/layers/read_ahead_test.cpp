// Packets that are put back come again.

#include "io/input/layers/read_ahead.h"

#include <gtest/gtest.h>

#include "tests/io/input/scripted_source.h"

namespace vfilter {
namespace {

using testing::Given;

const std::vector<testing::ScriptedStream> two{{}, {AVMEDIA_TYPE_AUDIO, AV_CODEC_ID_AAC, {1, 1000}}};

std::deque<PacketPtr> take(PacketSource& source, int count) {
    std::deque<PacketPtr> taken;
    for (int i = 0; i < count; ++i) {
        taken.push_back(make_packet());
        EXPECT_EQ(source.read(*taken.back()), 0);
    }
    return taken;
}

TEST(ReadAhead, PacketsPutBackComeAgainInOrder) {
    ReadAhead source(testing::scripted({{0, 0}, {1, 5}, {0, 40}, {0, 80}}, two));
    EXPECT_TRUE(source.empty());
    std::deque<PacketPtr> first = take(source, 3);
    source.put_back(std::move(first));
    std::deque<PacketPtr> again = take(source, 1);
    source.put_back(std::move(again));  // before those that wait
    EXPECT_FALSE(source.empty());
    EXPECT_EQ(testing::read_all(source), (std::vector<Given>{{0, 0}, {1, 5}, {0, 40}, {0, 80}}));
    EXPECT_TRUE(source.empty());
}

TEST(ReadAhead, TheNextOneOfAStreamIsSeen) {
    ReadAhead source(testing::scripted({{0, 0}, {1, 5}, {1, 25}}, two));
    EXPECT_EQ(source.peek(1), nullptr);
    source.put_back(take(source, 3));
    ASSERT_NE(source.peek(1), nullptr);
    EXPECT_EQ(source.peek(1)->dts, 5);
    EXPECT_EQ(source.peek(2), nullptr);
}

// As of fields in MPEG-TS, of which the second ones have none.
TEST(ReadAhead, PacketsWithoutTimesAreSeen) {
    const auto timed = [](const std::vector<bool>& times) {
        ReadAhead source(testing::scripted({}, two));
        std::deque<PacketPtr> packets;
        for (const bool each : times) {
            packets.push_back(testing::make_packet({.stream = 1}));
            packets.back()->pts = AV_NOPTS_VALUE;
            packets.push_back(testing::make_packet({}));
            packets.back()->pts = each ? 40 : AV_NOPTS_VALUE;
        }
        source.put_back(std::move(packets));
        return source.timed(0);
    };
    EXPECT_TRUE(timed({}));
    EXPECT_TRUE(timed({true}));
    EXPECT_FALSE(timed({false}));
    EXPECT_FALSE(timed({true, false}));
    EXPECT_FALSE(timed({true, false, true, false, true, false}));
    EXPECT_TRUE(timed({true, true, true, false, true, true})) << "a stray one";
}

TEST(ReadAhead, IsForgottenWhereTheInputIsSought) {
    ReadAhead source(testing::scripted({{0, 0}, {0, 40}}));
    source.put_back(take(source, 2));
    EXPECT_EQ(source.seek(-1, 0, 0), 0);
    EXPECT_TRUE(source.empty());
    EXPECT_EQ(testing::read_all(source), (std::vector<Given>{{0, 0}, {0, 40}}));
}

}  // namespace
}  // namespace vfilter
