// Clocks that jump back.

#include "io/input/layers/clock_jumps.h"

#include <gtest/gtest.h>

#include <chrono>

#include "tests/io/input/scripted_source.h"

namespace vfilter {
namespace {

using testing::ScriptedPacket;
using Times = std::vector<std::int64_t>;

const std::vector<testing::ScriptedStream> video_and_sound{{}, {AVMEDIA_TYPE_AUDIO, AV_CODEC_ID_AAC, {1, 48000}}};

// Of a file: its places are told as they are.
const PacketAccount& account() {
    static const InputOptions options;
    static const DescriptionPtr streams = testing::make_streams({{}});
    static const PacketAccount made(options, *streams, {0}, {});
    return made;
}

Times mended(const std::vector<ScriptedPacket>& packets) {
    ClockJumps jumps(testing::scripted(packets), account());
    return testing::times_of(testing::read_all(jumps));
}

TEST(ClockJumps, TimeGoesOnWhereTheClockJumpsBack) {
    EXPECT_EQ(mended({{0, 1000}, {0, 1040}, {0, 0}, {0, 40}}), (Times{1000, 1040, 1080, 1120}));
    EXPECT_EQ(mended({{0, 1000}, {0, 0}, {0, 40}, {0, -5000}, {0, -4960}}), (Times{1000, 1040, 1080, 1120, 1160}));
}

TEST(ClockJumps, ForwardAndSmallOnesAreTheInputsOwn) {
    EXPECT_EQ(mended({{0, 0}, {0, 40}, {0, 5000}, {0, 5040}}), (Times{0, 40, 5000, 5040}));
    EXPECT_EQ(mended({{0, 0}, {0, 100}, {0, 50}, {0, 150}}), (Times{0, 100, 50, 150}));
}

// A demuxer that cannot seek made it up.
TEST(ClockJumps, OneWrongTimeMovesNothingBehindIt) {
    EXPECT_EQ(mended({{0, 900}, {0, 940}, {0, 580}, {0, 1020}, {0, 1060}}), (Times{900, 940, 980, 1020, 1060}));
    EXPECT_EQ(mended({{0, 2000}, {0, 2040}, {0, 0}, {0, 2120}, {0, 0}, {0, 40}}),
              (Times{2000, 2040, 2080, 2120, 2160, 2200}));
    EXPECT_EQ(mended({{0, 2000}, {0, 2040}, {0, 1960}, {0, 2000}, {0, 2040}}), (Times{2000, 2040, 2080, 2120, 2160}))
        << "a small jump";
}

// The sound is still before the jump when the pictures have met it.
TEST(ClockJumps, AllStreamsAreMovedByTheSameAmount) {
    ClockJumps jumps(
        testing::scripted(
            {{0, 2000}, {1, 96000, 1920}, {0, 0}, {1, 97920, 1920}, {0, 40}, {1, 0, 1920}, {0, 80}, {1, 1920, 1920}},
            video_and_sound),
        account());
    const std::vector<testing::Given> given = testing::read_all(jumps);
    EXPECT_EQ(testing::times_of(given, 0), (Times{2000, 2040, 2080, 2120}));
    // 2.04 s later than in its own clock, as the pictures are.
    EXPECT_EQ(testing::times_of(given, 1), (Times{96000, 97920, 97920, 99840}));
}

// As often as the input names places where its clock begins anew.
TEST(ClockJumps, ForwardOnesAtJointsAreClosed) {
    auto source = std::make_unique<testing::ScriptedSource>(std::vector<ScriptedPacket>{{0, 0},
                                                                                        {1, 0, 1920},
                                                                                        {0, 40},
                                                                                        {0, 6000},
                                                                                        {1, 1920, 1920},
                                                                                        {1, 6000 * 48, 1920},
                                                                                        {0, 6040},
                                                                                        {0, 9000},
                                                                                        {1, 9000 * 48, 1920}},
                                                            video_and_sound);
    source->set_joints(1);
    ClockJumps jumps(std::move(source), account());
    const std::vector<testing::Given> given = testing::read_all(jumps);
    EXPECT_EQ(testing::times_of(given, 0), (Times{0, 40, 80, 120, 3080}));
    EXPECT_EQ(testing::times_of(given, 1), (Times{0, 1920, 80 * 48, 3080 * 48}));
}

// A minute has not passed between two packets that come at once.
TEST(ClockJumps, ForwardOnesOfALiveInputAreNoLongerThanTheTimeThatPassed) {
    ClockJumps jumps(testing::scripted({{0, 0},
                                        {1, 0, 1920},
                                        {0, 40},
                                        {0, 50000},
                                        {1, 1920, 1920},
                                        {1, 50000 * 48, 1920},
                                        {0, 50040},
                                        {1, 50040 * 48, 1920}},
                                       video_and_sound),
                     account(), std::chrono::steady_clock::now());
    const std::vector<testing::Given> given = testing::read_all(jumps);
    const Times pictures = testing::times_of(given, 0);
    const Times sound = testing::times_of(given, 1);
    ASSERT_EQ(pictures.size(), 4U);
    ASSERT_EQ(sound.size(), 4U);
    EXPECT_GE(pictures[2], 80);
    EXPECT_LT(pictures[2], 30000) << "unless the machine stood still for so long";
    EXPECT_EQ(pictures[3], pictures[2] + 40);
    EXPECT_NEAR(static_cast<double>(sound[2]), static_cast<double>(pictures[2] * 48), 48) << "both by the same";
}

// What was there before it was asked for comes as fast as it can be read, and later is not before its time.
TEST(ClockJumps, HolesOfALiveInputStay) {
    const auto long_ago = std::chrono::steady_clock::now() - std::chrono::hours(1);
    ClockJumps jumps(testing::scripted({{0, 0}, {0, 40}, {0, 9000}, {0, 9040}}), account(), long_ago);
    EXPECT_EQ(testing::times_of(testing::read_all(jumps)), (Times{0, 40, 9000, 9040}));
    std::vector<ScriptedPacket> burst;
    Times times;
    for (int i = 0; i < 500; ++i) {
        burst.push_back({0, i * 40});
        times.push_back(i * 40);
    }
    ClockJumps late(testing::scripted(burst), account(), std::chrono::steady_clock::now());
    EXPECT_EQ(testing::times_of(testing::read_all(late)), times);
}

TEST(ClockJumps, PacketsWithoutATimeStayWithout) {
    EXPECT_EQ(mended({{0, 1000}, {0, AV_NOPTS_VALUE}, {0, 0}, {0, AV_NOPTS_VALUE}}),
              (Times{1000, AV_NOPTS_VALUE, 1040, AV_NOPTS_VALUE}));
}

TEST(ClockJumps, AreForgottenWhereTheInputIsSought) {
    ClockJumps jumps(testing::scripted({{0, 1000}, {0, 0}}), account());
    EXPECT_EQ(testing::times_of(testing::read_all(jumps)), (Times{1000, 1040}));
    EXPECT_EQ(jumps.seek(-1, 0, 0), 0);
    EXPECT_EQ(testing::times_of(testing::read_all(jumps)), (Times{1000, 1040}));
}

TEST(ClockJumps, OccurWhereTheContainerSaysSo) {
    EXPECT_TRUE(ClockJumps::occur_in(*testing::make_streams({{}}, "mpegts")));
    EXPECT_FALSE(ClockJumps::occur_in(*testing::make_streams({{}}, "matroska")));
    EXPECT_FALSE(ClockJumps::occur_in(*testing::make_streams({{}}, "mov")));
    EXPECT_FALSE(ClockJumps::occur_in(*testing::make_streams({{}}, "flv")));
    EXPECT_TRUE(ClockJumps::occur_in(*testing::make_streams({{}}, "flv"), true));
}

}  // namespace
}  // namespace vfilter
