// Streams that stop while others go on.

#include "io/input/layers/silent_streams.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "config/io_options.h"
#include "tests/io/input/scripted_source.h"

namespace vfilter {
namespace {

using testing::ScriptedPacket;
using testing::ScriptedStream;

const std::vector<ScriptedStream> film_streams{
    {}, {AVMEDIA_TYPE_AUDIO, AV_CODEC_ID_AAC, {1, 1000}}, {AVMEDIA_TYPE_SUBTITLE, AV_CODEC_ID_DVB_SUBTITLE, {1, 1000}}};

// Packets of one stream, in milliseconds.
struct Stretch {
    int stream;
    std::int64_t from;
    std::int64_t to;
    std::int64_t step = 40;
};

class SilentStreamsTest : public ::testing::Test {
protected:
    std::vector<std::string> told(const std::vector<Stretch>& runs) {
        std::vector<ScriptedPacket> packets;
        for (const Stretch& run : runs) {
            for (std::int64_t time = run.from; time < run.to; time += run.step) {
                packets.push_back({run.stream, time, run.step});
            }
        }
        std::ranges::stable_sort(packets, {}, &ScriptedPacket::dts);
        const auto watch = testing::settled_watch(wanted_, strict_);
        SilentStreams source(testing::scripted(packets, film_streams), watch, patience_);
        EXPECT_EQ(testing::read_all(source).size(), packets.size());
        const Damage damage = watch->take();
        EXPECT_EQ(damage.packets, damage.silences);
        EXPECT_EQ(damage.silences, std::ranges::count_if(damage.notes, [](const std::string& note) {
                      return note.find("gives nothing") != std::string::npos;
                  }));
        return damage.notes;
    }

    unsigned wanted_ = kind::all;
    bool strict_ = false;
    double patience_ = 0;
};

using Notes = std::vector<std::string>;

TEST_F(SilentStreamsTest, AreToldOnce) {
    EXPECT_EQ(told({{0, 0, 20000}, {1, 0, 6000, 23}}), Notes{"stream 1 (aac) gives nothing, while others go on"});
    EXPECT_EQ(told({{0, 0, 6000}, {1, 0, 20000, 23}}), Notes{"stream 0 (h264) gives nothing, while others go on"});
    EXPECT_EQ(told({{0, 0, 30000}, {1, 0, 6000, 23}, {1, 12000, 20000, 23}}),
              (Notes{"stream 1 (aac) gives nothing, while others go on",
                     "stream 1 (aac) gives something again, 6.0 s later"}));
}

TEST_F(SilentStreamsTest, AreWaitedFor) {
    EXPECT_EQ(told({{0, 0, 8000}, {1, 0, 6000, 23}}), Notes{});
    patience_ = 10;
    EXPECT_EQ(told({{0, 0, 20000}, {1, 0, 11000, 23}}), Notes{});
    EXPECT_EQ(told({{0, 0, 24000}, {1, 0, 11000, 23}}).size(), 1U);
    patience_ = 0.1;
    EXPECT_EQ(told({{0, 0, 8000}, {1, 0, 6000, 23}}), Notes{}) << "others may be late by some seconds";
}

TEST_F(SilentStreamsTest, AreSteadyBefore) {
    EXPECT_EQ(told({{0, 0, 20000}, {1, 0, 1000, 23}}), Notes{}) << "a beep";
    EXPECT_EQ(told({{0, 0, 60000, 5000}, {1, 0, 60000, 23}}), Notes{}) << "a picture in five seconds";
    EXPECT_EQ(told({{0, 0, 10000}, {0, 14000, 20000}, {0, 30000, 40000}, {1, 0, 60000, 23}}).size(), 2U);
    EXPECT_EQ(told({{0, 0, 2000}, {0, 2500, 8000}, {0, 11000, 12000}, {1, 0, 60000, 23}}), Notes{})
        << "pictures where something moves";
    EXPECT_EQ(told({{0, 0, 60000}, {1, 0, 60000, 23}, {2, 0, 20000, 100}}), Notes{}) << "words";
}

// What is interleaved coarsely comes in turns.
TEST_F(SilentStreamsTest, MayComeInBursts) {
    std::vector<ScriptedPacket> packets;
    for (int part = 0; part < 5; ++part) {
        for (int i = 0; i < 150; ++i) {
            packets.push_back({0, part * 6000 + i * 40});
        }
        for (int i = 0; i < 300; ++i) {
            packets.push_back({1, part * 6000 + i * 20, 20});
        }
    }
    const auto watch = testing::settled_watch();
    SilentStreams source(testing::scripted(packets, film_streams), watch, 0);
    EXPECT_EQ(testing::read_all(source).size(), packets.size());
    EXPECT_FALSE(watch->take().any());
}

// In which no other stream goes on.
TEST_F(SilentStreamsTest, AreNotThoseOfAClockThatJumps) {
    EXPECT_EQ(told({{0, 0, 6000}, {1, 0, 6000, 23}, {0, 50000, 52000}}), Notes{});
    EXPECT_EQ(told({{0, 0, 20000}}), Notes{});
}

TEST_F(SilentStreamsTest, AreWanted) {
    wanted_ = kind::video;
    EXPECT_EQ(told({{0, 0, 20000}, {1, 0, 6000, 23}}), Notes{});
}

TEST_F(SilentStreamsTest, EndAStrictRun) {
    strict_ = true;
    EXPECT_THROW(told({{0, 0, 20000}, {1, 0, 6000, 23}}), Error);
}

}  // namespace
}  // namespace vfilter
