// Times that a few packets have for themselves.

#include "io/input/layers/stray_times.h"

#include <gtest/gtest.h>

#include "tests/io/input/scripted_source.h"

namespace vfilter {
namespace {

using testing::ScriptedPacket;
using Times = std::vector<std::int64_t>;

const std::vector<testing::ScriptedStream> streams_of_strays{
    {}, {AVMEDIA_TYPE_AUDIO, AV_CODEC_ID_MP2, {1, 1000}}, {AVMEDIA_TYPE_SUBTITLE, AV_CODEC_ID_SUBRIP, {1, 1000}}};

struct Seen {
    Times times;
    std::int64_t damaged;
    bool operator==(const Seen&) const = default;
};

Seen without_strays(const std::vector<ScriptedPacket>& packets, int stream = 0, const char* container = "mpegts") {
    StrayTimes source(testing::scripted(packets, streams_of_strays, AVERROR_EOF, container), false);
    const Times times = testing::times_of(testing::read_all(source), stream);
    return {times, source.take_damage().packets};
}

TEST(StrayTimes, OfOnePacketBecomeThoseThatAreDue) {
    EXPECT_EQ(without_strays({{0, 0}, {0, 40}, {0, -5000}, {0, 120}, {0, 160}}), (Seen{{0, 40, 80, 120, 160}, 1}));
    EXPECT_EQ(without_strays({{0, 0}, {0, 40}, {0, 9000}, {0, 120}, {0, 160}}), (Seen{{0, 40, 80, 120, 160}, 1}));
    EXPECT_EQ(without_strays({{0, 0}, {0, 40}, {0, 9000}, {1, 0}, {2, 0}, {0, 120}}), (Seen{{0, 40, 80, 120}, 1}));
}

// A PES packet of a transport stream has one time for all frames of sound in it.
TEST(StrayTimes, OfSeveralPacketsOfSoundAsWell) {
    EXPECT_EQ(without_strays({{1, 0}, {1, 40}, {1, 9000}, {1, 9040}, {1, 9080}, {0, 0}, {1, 200}, {1, 240}}, 1),
              (Seen{{0, 40, 80, 120, 160, 200, 240}, 3}));
    EXPECT_EQ(without_strays({{1, 8000}, {1, 8040}, {1, 0}, {1, 40}, {1, 8160}, {1, 8200}}, 1),
              (Seen{{8000, 8040, 8080, 8120, 8160, 8200}, 2}));
}

TEST(StrayTimes, AreLeftWhereTheClockSteps) {
    EXPECT_EQ(without_strays({{0, 1000}, {0, 1040}, {0, 0}, {0, 40}, {0, 80}}), (Seen{{1000, 1040, 0, 40, 80}, 0}));
    EXPECT_EQ(without_strays({{0, 0}, {0, 40}, {0, 5000}, {0, 5040}}), (Seen{{0, 40, 5000, 5040}, 0}));
    EXPECT_EQ(without_strays({{0, 0}, {0, 5000}, {0, 10000}}), (Seen{{0, 5000, 10000}, 0}));
    EXPECT_EQ(without_strays({{0, 5000}, {0, 0}}), (Seen{{5000, 0}, 0})) << "nobody follows";
    EXPECT_EQ(without_strays({{2, 5000}, {2, 0}, {2, 5040}}, 2), (Seen{{5000, 0, 5040}, 0}))
        << "words come in any order";
    // A small step, of which both sides are near.
    EXPECT_EQ(without_strays({{0, 1000}, {0, 1040}, {0, 960}, {0, 1000}, {0, 1040}}),
              (Seen{{1000, 1040, 960, 1000, 1040}, 0}));
}

TEST(StrayTimes, OfWhatAnEditListHidesAreItsOwn) {
    EXPECT_EQ(without_strays({{0, 0}, {0, 40}, {0, 9000, 40, AV_PKT_FLAG_DISCARD}, {0, 80}}).damaged, 0);
}

TEST(StrayTimes, EndAStrictRun) {
    StrayTimes source(testing::scripted({{0, 0}, {0, 9000}, {0, 80}}), true);
    EXPECT_THROW(testing::read_all(source), Error);
}

TEST(StrayTimes, AreForgottenWhereTheInputIsSought) {
    StrayTimes source(testing::scripted({{0, 0}, {0, 9000}, {0, 80}}), false);
    const Times due{0, 40, 80};
    EXPECT_EQ(testing::times_of(testing::read_all(source)), due);
    EXPECT_EQ(source.seek(-1, 0, 0), 0);
    EXPECT_EQ(source.take_damage().packets, 0);
    EXPECT_EQ(testing::times_of(testing::read_all(source)), due);
}

// As an encoder's clock gave them (WMV 8), for packets of 320 ms.
TEST(StrayTimes, AreLeftWhereNoStepIsLikeTheOther) {
    const Times uneven{0,    288,  608,  928,  1248, 1568, 1888, 2208, 2496, 2624, 2752,
                       2912, 3104, 3296, 3488, 3712, 4064, 4480, 4864, 5248, 5600, 5952};
    std::vector<ScriptedPacket> packets;
    for (const std::int64_t time : uneven) {
        packets.push_back({1, time, 320});
    }
    EXPECT_EQ(without_strays(packets, 1), (Seen{uneven, 0}));
    EXPECT_EQ(without_strays(packets, 1, "asf"), (Seen{uneven, 0}));
    // And where it has gone evenly for long one is its own again.
    std::vector<ScriptedPacket> even;
    Times mended;
    for (std::int64_t i = 0; i < 100; ++i) {
        even.push_back({1, 320 * i - (i == 5 ? 90 : 0) - (i == 80 ? 200 : 0), 320});
        mended.push_back(320 * i - (i == 5 ? 90 : 0));
    }
    EXPECT_EQ(without_strays(even, 1), (Seen{mended, 1}));
}

TEST(StrayTimes, OfAsfAreFartherAway) {
    const std::vector<ScriptedPacket> some{{1, 1000}, {1, 1040}, {1, 780}, {1, 1120}, {1, 1160}};
    EXPECT_EQ(without_strays(some, 1), (Seen{{1000, 1040, 1080, 1120, 1160}, 1}));
    EXPECT_EQ(without_strays(some, 1, "asf"), (Seen{{1000, 1040, 780, 1120, 1160}, 0}));
    EXPECT_EQ(without_strays({{1, 9000}, {1, 9040}, {1, 80}, {1, 9120}, {1, 9160}}, 1, "asf"),
              (Seen{{9000, 9040, 9080, 9120, 9160}, 1}));
}

}  // namespace
}  // namespace vfilter
