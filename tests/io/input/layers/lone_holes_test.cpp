// Holes of seconds in a video's times.

#include "io/input/layers/lone_holes.h"

#include <gtest/gtest.h>

#include "tests/io/input/scripted_source.h"

namespace vfilter {
namespace {

using testing::ScriptedPacket;

const std::vector<testing::ScriptedStream> pictures_and_sound{
    {}, {AVMEDIA_TYPE_AUDIO, AV_CODEC_ID_MP2, {1, 1000}}, {AVMEDIA_TYPE_SUBTITLE, AV_CODEC_ID_SUBRIP, {1, 1000}}};

// Times of the packets that are marked.
std::vector<std::int64_t> marked(const std::vector<ScriptedPacket>& packets) {
    constexpr int video = 0;
    LoneHoles source(testing::scripted(packets, pictures_and_sound), {&video, 1});
    std::vector<std::int64_t> times;
    for (PacketPtr packet = make_packet(); source.read(*packet) >= 0; packet = make_packet()) {
        if (is_behind_hole(*packet)) {
            times.push_back(packet->dts);
        }
    }
    return times;
}

std::vector<ScriptedPacket> sound(std::int64_t from, std::int64_t to, int stream = 1) {
    std::vector<ScriptedPacket> packets;
    for (; from < to; from += 100) {
        packets.push_back({stream, from});
    }
    return packets;
}

std::vector<ScriptedPacket> together(std::vector<ScriptedPacket> all, const std::vector<ScriptedPacket>& more) {
    all.insert(all.end(), more.begin(), more.end());
    return all;
}

TEST(LoneHoles, AreThoseThroughWhichSoundGoesOn) {
    const std::vector<ScriptedPacket> before{{0, 0}, {0, 40}};
    const std::vector<ScriptedPacket> behind{{0, 12000}, {0, 12040}};
    const std::vector<std::int64_t> hole{12000};
    EXPECT_EQ(marked(together(together(before, sound(0, 12000)), behind)), hole);
    // The muxer had the sound first.
    EXPECT_EQ(marked(together(together(sound(0, 12000), before), behind)), hole);
    // Nobody goes on, a clock was set for all, or only words go on.
    EXPECT_TRUE(marked(together(before, behind)).empty());
    EXPECT_TRUE(marked(together(together(together(before, sound(0, 100)), sound(12000, 12400)), behind)).empty());
    EXPECT_TRUE(marked(together(together(before, sound(0, 12000, 2)), behind)).empty());
}

TEST(LoneHoles, OfLessThanTenSecondsNeedNoMark) {
    EXPECT_TRUE(marked(together(together({{0, 0}, {0, 40}}, sound(0, 9000)), {{0, 9000}})).empty());
}

}  // namespace
}  // namespace vfilter
