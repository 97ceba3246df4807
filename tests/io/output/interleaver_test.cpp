// Streams take turns.

#include "io/output/interleaver.h"

#include <gtest/gtest.h>

#include "tests/io/input/scripted_source.h"

namespace vfilter {
namespace {

using testing::ScriptedStream;

class InterleaverTest : public ::testing::Test {
protected:
    void add(int stream, std::int64_t dts) { interleaver_.add(testing::make_packet({stream, dts})); }
    std::vector<std::int64_t> go(bool all = false) {
        std::vector<std::int64_t> times;
        while (const PacketPtr packet = interleaver_.next(all)) {
            times.push_back(packet->dts);
        }
        return times;
    }

private:
    DescriptionPtr output_ = testing::make_streams(
        {{}, {AVMEDIA_TYPE_AUDIO, AV_CODEC_ID_AAC, {1, 500}}, {AVMEDIA_TYPE_SUBTITLE, AV_CODEC_ID_SUBRIP, {1, 1000}}});
    Interleaver interleaver_{*output_};
};

using Times = std::vector<std::int64_t>;

TEST_F(InterleaverTest, WaitsForPicturesAndSound) {
    add(0, 0);
    add(0, 40);
    add(0, 80);
    EXPECT_EQ(go(), Times{});
    add(1, 30);  // at 60 ms
    EXPECT_EQ(go(), (Times{0, 40, 30}));
    EXPECT_EQ(go(true), Times{80});
}

TEST_F(InterleaverTest, DoesNotWaitForSubtitles) {
    add(2, 10);
    add(0, 0);
    add(0, 40);
    EXPECT_EQ(go(), Times{});
    add(1, 30);
    EXPECT_EQ(go(), (Times{0, 10, 40}));
}

TEST_F(InterleaverTest, WaitsTenSecondsForAStreamThatPauses) {
    add(0, 0);
    add(0, 10000);
    EXPECT_EQ(go(), Times{});
    add(0, 10040);
    EXPECT_EQ(go(), Times{0});
}

TEST_F(InterleaverTest, KeepsTheOrderOfPacketsOfOneTime) {
    add(0, 40);
    add(1, 20);  // at 40 ms
    add(0, 0);
    EXPECT_EQ(go(true), (Times{0, 40, 20}));
}

}  // namespace
}  // namespace vfilter
