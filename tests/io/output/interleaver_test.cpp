// Streams take turns.

#include "io/output/interleaver.h"

#include <gtest/gtest.h>

#include "tests/io/input/scripted_source.h"

namespace vfilter {
namespace {

using testing::ScriptedStream;

class InterleaverTest : public ::testing::Test {
public:
    explicit InterleaverTest(InterleaverPatience patience = patience_of_files) : interleaver_(*output_, patience) {}

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
    Interleaver interleaver_;
};

class LiveInterleaverTest : public InterleaverTest {
public:
    LiveInterleaverTest() : InterleaverTest(patience_of_live_outputs) {}
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

// Which thread was the quicker one is nothing that a file should show.
TEST_F(InterleaverTest, OfOneTimeTheFirstStreamGoesFirst) {
    for (const bool pictures_first : {true, false}) {
        for (int i = 0; i < 2; ++i) {
            const bool pictures = (i == 0) == pictures_first;
            add(pictures ? 0 : 1, pictures ? 80 : 40);  // both at 80 ms
        }
        EXPECT_EQ(go(true), (Times{80, 40})) << pictures_first;
    }
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

TEST_F(LiveInterleaverTest, WaitsForSoundOnceAndNotForLong) {
    add(0, 0);
    add(0, 480);
    EXPECT_EQ(go(), Times{});
    add(0, 520);
    EXPECT_EQ(go(), (Times{0, 480, 520}));
    add(0, 560);
    EXPECT_EQ(go(), Times{560});
}

TEST_F(LiveInterleaverTest, WaitsAgainOnceSoundHasCaughtUp) {
    add(0, 0);
    add(0, 1000);
    EXPECT_EQ(go(), (Times{0, 1000}));
    add(1, 100);  // at 200 ms
    add(0, 1040);
    EXPECT_EQ(go(), (Times{100, 1040}));
    add(1, 530);
    add(0, 1080);
    EXPECT_EQ(go(), (Times{530})) << "it waits for the pictures as they do for it";
    add(1, 550);
    EXPECT_EQ(go(), (Times{1080}));
}

// An encoder may hold them back.
TEST_F(LiveInterleaverTest, WaitsLongerForPictures) {
    add(1, 0);
    add(1, 1000);  // at 2 s
    EXPECT_EQ(go(), Times{});
    add(1, 1510);
    EXPECT_EQ(go(), (Times{0, 1000, 1510}));
}

TEST_F(InterleaverTest, KeepsTheOrderOfPacketsOfOneTime) {
    add(0, 40);
    add(1, 20);  // at 40 ms
    add(0, 0);
    EXPECT_EQ(go(true), (Times{0, 40, 20}));
}

}  // namespace
}  // namespace vfilter
