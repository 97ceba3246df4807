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

Seen without_strays(const std::vector<ScriptedPacket>& packets, int stream = 0) {
    StrayTimes source(testing::scripted(packets, streams_of_strays), false);
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

}  // namespace
}  // namespace vfilter
