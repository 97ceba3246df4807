// A file at its own pace.

#include "io/input/layers/paced.h"

#include <gtest/gtest.h>

#include "tests/io/input/scripted_source.h"
#include "tests/support/stopwatch.h"

namespace vfilter {
namespace {

using std::chrono::milliseconds;
using testing::ScriptedPacket;

constexpr AVRational rate{25, 1};
const std::function<bool()> never = [] { return false; };

// How long it takes to read so many packets: by the clock, and by a stopwatch, for what may not take longer.
struct Taken {
    milliseconds clock{};
    milliseconds stopwatch{};
};

Taken time_of(PacketSource& source, std::size_t count) {
    const test::Stopwatch watch;
    const auto begin = std::chrono::steady_clock::now();
    EXPECT_EQ(testing::read_all(source).size(), count);
    return {std::chrono::duration_cast<milliseconds>(std::chrono::steady_clock::now() - begin),
            milliseconds(static_cast<int>(1000 * watch.seconds()))};
}

TEST(Paced, PicturesComeAtTheirTime) {
    Paced source(testing::scripted({{0, 5000}, {0, 5040}, {0, 5080}, {0, 5200}}), 0, rate, never);
    EXPECT_GE(time_of(source, 4).clock, milliseconds(200));
}

TEST(Paced, WithoutTimestampsTheRateCounts) {
    Paced source(testing::scripted({{0, 0}, {0, AV_NOPTS_VALUE}, {0, AV_NOPTS_VALUE}, {0, AV_NOPTS_VALUE}}), 0, rate,
                 never);
    EXPECT_GE(time_of(source, 4).clock, milliseconds(120));
}

TEST(Paced, OtherStreamsDoNotWait) {
    const testing::ScriptedStream sound{AVMEDIA_TYPE_AUDIO, AV_CODEC_ID_AAC, {1, 1000}};
    Paced source(testing::scripted({{0, 0}, {1, 1500}, {1, 3000}}, {{}, sound}), 0, rate, never);
    EXPECT_LT(time_of(source, 3).stopwatch, milliseconds(1400));
}

TEST(Paced, BeginsAnewWhereTheTimestampsJump) {
    Paced source(testing::scripted({{0, 0}, {0, 60000}, {0, 60040}, {0, 0}, {0, 40}}), 0, rate, never);
    const Taken taken = time_of(source, 5);
    EXPECT_GE(taken.clock, milliseconds(80));
    EXPECT_LT(taken.stopwatch, milliseconds(30000));
}

TEST(Paced, BeginsAnewWithARestart) {
    Paced source(testing::scripted({{0, 0}, {0, 1900}}), 0, rate, never);
    const PacketPtr packet = make_packet();
    ASSERT_EQ(source.read(*packet), 0);
    source.restart();
    EXPECT_LT(time_of(source, 1).stopwatch, milliseconds(1500));
}

TEST(Paced, WhatIsLateComesAtOnce) {
    Paced source(testing::scripted({{0, 0}, {0, 1000}, {0, 2000}, {0, 2100}}), 0, rate, never);
    const auto begin = std::chrono::steady_clock::now();
    source.begin_at(begin, 2'000'000, 0);
    source.restart();
    EXPECT_LT(time_of(source, 4).stopwatch, milliseconds(900));
    EXPECT_GE(std::chrono::steady_clock::now() - begin, milliseconds(100));
}

TEST(Paced, AnInterruptEndsTheWait) {
    const auto begin = std::chrono::steady_clock::now();
    const std::function<bool()> soon = [begin] { return std::chrono::steady_clock::now() - begin > milliseconds(50); };
    Paced source(testing::scripted({{0, 0}, {0, 1900}}), 0, rate, soon);
    EXPECT_LT(time_of(source, 2).stopwatch, milliseconds(1500));
}

}  // namespace
}  // namespace vfilter
