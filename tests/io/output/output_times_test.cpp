// Timestamps as containers take them.

#include "io/output/output_times.h"

#include <gtest/gtest.h>

#include "tests/io/input/scripted_source.h"

namespace vfilter {
namespace {

class OutputTimesTest : public ::testing::Test {
protected:
    OutputTimesTest() { output_->oformat = av_guess_format("mp4", nullptr, nullptr); }

    DescriptionPtr output_ = testing::make_streams({{},
                                                    {AVMEDIA_TYPE_AUDIO, AV_CODEC_ID_AAC, {1, 48000}},
                                                    {AVMEDIA_TYPE_SUBTITLE, AV_CODEC_ID_SUBRIP, {1, 1000}}});
};

std::pair<std::int64_t, std::int64_t> mended(OutputTimes& times, int stream, std::int64_t dts, std::int64_t pts) {
    const PacketPtr packet = make_packet();
    packet->dts = dts;
    packet->pts = pts;
    times.mend(*packet, stream);
    return {packet->dts, packet->pts};
}

using Pair = std::pair<std::int64_t, std::int64_t>;

TEST_F(OutputTimesTest, BeginAtZero) {
    OutputTimes times(*output_, 2 * std::int64_t{AV_TIME_BASE});
    EXPECT_EQ(mended(times, 0, 2000, 2080), Pair(0, 80));
    EXPECT_EQ(mended(times, 1, 96000, 96000), Pair(0, 0));
    EXPECT_EQ(mended(times, 1, AV_NOPTS_VALUE, 97024), Pair(AV_NOPTS_VALUE, 1024));
}

// Its time was rounded to before the part; sound that lies before it may.
TEST_F(OutputTimesTest, ShowTheFirstPictureOfAPart) {
    OutputTimes times(*output_, 2 * std::int64_t{AV_TIME_BASE});
    EXPECT_EQ(mended(times, 0, 1920, 1999), Pair(-80, 0));
    EXPECT_EQ(mended(times, 1, 95000, 95000), Pair(-1000, -1000));
    OutputTimes whole(*output_, 0);
    EXPECT_EQ(mended(whole, 0, -80, -40), Pair(-80, -40));
}

// An input's clock may be behind 0 where a part of it begins.
TEST_F(OutputTimesTest, ShowTheFirstPictureOfAPartOfNegativeTimes) {
    OutputTimes times(*output_, -2 * std::int64_t{AV_TIME_BASE});
    EXPECT_EQ(mended(times, 0, -2080, -2001), Pair(-80, 0));
    EXPECT_EQ(mended(times, 2, -2001, -2001), Pair(0, 0));
}

// To a peer that was away, from where the first one began.
TEST_F(OutputTimesTest, GoOnInAnotherOutput) {
    OutputTimes times(*output_, 2 * std::int64_t{AV_TIME_BASE});
    EXPECT_EQ(mended(times, 1, 960000, 960000), Pair(864000, 864000));
    EXPECT_EQ(mended(times, 1, 480000, 480000), Pair(864001, 864001));
    const DescriptionPtr other = testing::make_streams({{},
                                                        {AVMEDIA_TYPE_AUDIO, AV_CODEC_ID_AAC, {1, 96000}},
                                                        {AVMEDIA_TYPE_SUBTITLE, AV_CODEC_ID_SUBRIP, {1, 1000}}});
    other->oformat = output_->oformat;
    times.go_on_in(*other);
    EXPECT_EQ(mended(times, 1, 960000, 960000), Pair(768000, 768000));
    EXPECT_EQ(times.late().at(1).packets, 1);
}

TEST_F(OutputTimesTest, Rise) {
    OutputTimes times(*output_, 0);
    EXPECT_EQ(mended(times, 0, 40, 40), Pair(40, 40));
    EXPECT_EQ(mended(times, 0, 40, 40), Pair(41, 41));
    EXPECT_EQ(mended(times, 0, 0, 120), Pair(42, 120));
    EXPECT_EQ(mended(times, 1, 0, 0), Pair(0, 0));  // each stream has its own
    EXPECT_EQ(mended(times, 2, 500, 500), Pair(500, 500));
    EXPECT_EQ(mended(times, 2, 500, 500), Pair(500, 500));  // two lines of text at a time
}

TEST_F(OutputTimesTest, StayEqualWhereTheContainerAllowsIt) {
    output_->oformat = av_guess_format("matroska", nullptr, nullptr);
    ASSERT_NE(output_->oformat->flags & AVFMT_TS_NONSTRICT, 0);
    OutputTimes times(*output_, 0);
    EXPECT_EQ(mended(times, 0, 40, 40), Pair(40, 40));
    EXPECT_EQ(mended(times, 0, 40, 40), Pair(40, 40));
    EXPECT_EQ(mended(times, 0, 20, 20), Pair(40, 40));
}

TEST_F(OutputTimesTest, TellWhatSoundLiesFarFromItsOwn) {
    OutputTimes times(*output_, 0);
    mended(times, 1, 0, 0);
    mended(times, 1, 0, 0);
    EXPECT_EQ(times.late()[1].packets, 0);
    mended(times, 1, 240'000, 240'000);
    mended(times, 1, 1024, 1024);
    mended(times, 1, 2048, 2048);
    EXPECT_EQ(times.late()[1].packets, 2);
    EXPECT_NEAR(times.late()[1].most, 4.979, 0.001);
    mended(times, 2, 5000, 5000);
    mended(times, 2, 0, 0);
    EXPECT_EQ(times.late()[2].packets, 0);
}

// Of mp4, where only the next packet would tell it.
TEST_F(OutputTimesTest, GiveEveryPacketALength) {
    const auto length = [](OutputTimes& times, int stream, std::int64_t dts, std::int64_t own) {
        const PacketPtr packet = make_packet();
        packet->dts = packet->pts = dts;
        packet->duration = own;
        times.mend(*packet, stream);
        return packet->duration;
    };
    OutputTimes times(*output_, 0);
    EXPECT_EQ(length(times, 2, 0, 0), 1);
    EXPECT_EQ(length(times, 2, 40, 0), 40);
    EXPECT_EQ(length(times, 2, 80, 33), 33);
    output_->streams[2]->codecpar->codec_id = AV_CODEC_ID_MOV_TEXT;
    EXPECT_EQ(length(times, 2, 120, 0), 0);  // words of no length are not shown
    output_->oformat = av_guess_format("matroska", nullptr, nullptr);
    EXPECT_EQ(length(times, 1, 1024, 0), 0);
}

}  // namespace
}  // namespace vfilter
