// Packets of a part: what is copied, what decoders get, and when it is over.

#include "io/input/part_cut.h"

#include <gtest/gtest.h>

#include <fstream>

#include "tests/support/clips.h"

namespace vfilter {
namespace {

constexpr double end = 2;

// From 1 s to 2 s of a video, AC-3 and words, 4 s each.
class PartCutTest : public ::testing::Test {
protected:
    static void SetUpTestSuite() {
        folder_ = new testing::Folder;
        std::ofstream(*folder_ / "a.srt") << "1\n00:00:00,000 --> 00:00:04,000\nHello\n";
        const std::string command =
            "ffmpeg -nostdin -v error -y -f lavfi -i testsrc2=size=64x48:rate=25:duration=4 -f lavfi -i "
            "sine=duration=4 -i '" +
            (*folder_ / "a.srt") + "' -map 0 -map 1 -map 2 -c:v mpeg4 -c:a flac -c:s srt '" + (*folder_ / "a.mkv") +
            "'";
        ASSERT_EQ(std::system(command.c_str()), 0) << command;
    }
    static void TearDownTestSuite() {
        delete folder_;
        folder_ = nullptr;
    }

    PacketPtr packet(int stream, double begin, double lasts, int flags = 0) const {
        const double tick = av_q2d(input_.format().streams[stream]->time_base);
        PacketPtr made = make_packet();
        made->stream_index = stream;
        made->pts = made->dts = std::llround(begin / tick);
        made->duration = std::llround(lasts / tick);
        made->flags = flags;
        return made;
    }
    bool takes_copy(AVPacket& of) { return cut_.takes_copy(of, cut_.span_of(of)); }
    bool takes_sound(const AVPacket& of) { return cut_.takes_sound(of.stream_index, cut_.span_of(of)); }
    bool is_over(const AVPacket& of) { return cut_.is_over(of, cut_.span_of(of), true); }

    static inline testing::Folder* folder_ = nullptr;
    Demuxer input_{[] {
                       InputRequest options;
                       options.path = *folder_ / "a.mkv";
                       options.start = Position{1, false};
                       options.end = Position{end, false};
                       return options;
                   }(),
                   [] { return false; }};
    PartCut cut_{input_, [](int) { return true; }};
};

TEST_F(PartCutTest, CopiesWhatIsHeardInThePart) {
    EXPECT_FALSE(takes_copy(*packet(1, 0.9, 0.032)));
    EXPECT_TRUE(takes_copy(*packet(1, 0.98, 0.032)));
    EXPECT_TRUE(takes_copy(*packet(1, 1.98, 0.032)));
    EXPECT_FALSE(takes_copy(*packet(1, end, 0.032)));
    const PacketPtr timeless = packet(1, 0, 0);
    timeless->pts = timeless->dts = AV_NOPTS_VALUE;
    EXPECT_TRUE(takes_copy(*timeless));
}

TEST_F(PartCutTest, DecodersOfSoundGetMore) {
    EXPECT_FALSE(takes_sound(*packet(1, 0.4, 0.032)));
    EXPECT_TRUE(takes_sound(*packet(1, 0.6, 0.032)));
    EXPECT_TRUE(takes_sound(*packet(1, 2.4, 0.032)));
    EXPECT_FALSE(takes_sound(*packet(1, 2.6, 0.032)));
}

TEST_F(PartCutTest, SubtitlesDoNotMakeThePartLonger) {
    EXPECT_FALSE(takes_copy(*packet(2, 0.5, 0.5))) << "it ends where the part begins";
    const PacketPtr words = packet(2, 1.5, 2);
    ASSERT_TRUE(takes_copy(*words));
    EXPECT_EQ(words->duration, packet(2, 1.5, 0.5)->duration);
    EXPECT_TRUE(takes_copy(*packet(2, 1, 0))) << "nobody says when it ends";
}

TEST_F(PartCutTest, CopiedVideoBeginsWithAKeyFrame) {
    EXPECT_FALSE(takes_copy(*packet(0, 1.04, 0.04)));
    EXPECT_TRUE(takes_copy(*packet(0, 1.08, 0.04, AV_PKT_FLAG_KEY)));
    EXPECT_TRUE(takes_copy(*packet(0, 1.12, 0.04)));
}

TEST_F(PartCutTest, IsOverWhenAllStreamsHavePassedTheEnd) {
    EXPECT_FALSE(is_over(*packet(0, 1.9, 0.04)));
    EXPECT_FALSE(is_over(*packet(1, 1.9, 0.032)));
    EXPECT_FALSE(is_over(*packet(0, 4.1, 0.04))) << "the sound may lie apart";
    EXPECT_TRUE(is_over(*packet(1, 4.1, 0.032)));
}

TEST_F(PartCutTest, PicturesAreOverByTheirTimeOfDecoding) {
    const PacketPtr early = packet(0, 1.9, 0.04);
    EXPECT_FALSE(cut_.is_behind_pictures(*early, cut_.span_of(*early)));
    const PacketPtr late = packet(0, end, 0.04);
    EXPECT_TRUE(cut_.is_behind_pictures(*late, cut_.span_of(*late)));
    late->dts = AV_NOPTS_VALUE;
    EXPECT_FALSE(cut_.is_behind_pictures(*late, cut_.span_of(*late))) << "one before it may come behind it";
}

// Behind them the next edit goes back.
TEST_F(PartCutTest, WhatAnEditListHidesEndsNothing) {
    const PacketPtr hidden = packet(0, 4.1, 0.04, AV_PKT_FLAG_DISCARD);
    EXPECT_FALSE(cut_.is_behind_pictures(*hidden, cut_.span_of(*hidden)));
    EXPECT_FALSE(is_over(*packet(1, 4.1, 0.032)));
    EXPECT_FALSE(is_over(*hidden));
    EXPECT_FALSE(is_over(*packet(1, 4.2, 0.032))) << "the pictures have not passed the end";
    EXPECT_FALSE(is_over(*packet(0, 1.9, 0.04)));
    EXPECT_TRUE(is_over(*packet(0, 4.1, 0.04)));
}

}  // namespace
}  // namespace vfilter
