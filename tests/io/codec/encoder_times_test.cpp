// Times of pictures while they are encoded.

#include "io/codec/encoder_times.h"

#include <gtest/gtest.h>

#include <utility>

#include "io/compat.h"

namespace vfilter {
namespace {

constexpr AVRational milliseconds{1, 1000};

// Nothing is encoded here: of the encoder its name, its codec and its clock count.
class EncoderTimesTest : public ::testing::Test {
protected:
    EncoderTimes& begin(const char* encoder, AVRational clock) {
        const AVCodec* const codec = avcodec_find_encoder_by_name(encoder);
        context_.reset(avcodec_alloc_context3(codec));
        context_->time_base = clock;
        return times_.emplace(*context_, milliseconds);
    }
    // What becomes of a picture's pts.
    std::int64_t take(std::int64_t pts, std::int64_t duration = 0) {
        const FramePtr picture = make_frame();
        picture->pts = pts;
        set_frame_duration(*picture, duration);
        times_->take(*picture);
        return picture->pts;
    }
    // pts and decoding time of what becomes of a packet.
    std::pair<std::int64_t, std::int64_t> put(std::int64_t pts, std::int64_t dts) {
        packet_->pts = pts;
        packet_->dts = dts;
        times_->put(*packet_);
        return {packet_->pts, packet_->dts};
    }

    CodecContextPtr context_;
    std::optional<EncoderTimes> times_;
    PacketPtr packet_ = make_packet();
};

using Times = std::pair<std::int64_t, std::int64_t>;

TEST_F(EncoderTimesTest, PacketsGetBackTheTimesOfTheirPictures) {
    begin("mpeg4", {1, 25});
    EXPECT_EQ(take(3, 37), 0);
    EXPECT_EQ(take(40, 41), 1);
    EXPECT_EQ(take(81), 2);
    EXPECT_EQ(put(0, -1), (Times{3, -37})) << "before the first picture it is reckoned";
    EXPECT_EQ(packet_->duration, 37);
    EXPECT_EQ(put(2, 0), (Times{81, 3}));
    EXPECT_EQ(put(1, 1), (Times{40, 40}));
    EXPECT_EQ(packet_->duration, 41);
}

TEST_F(EncoderTimesTest, PicturesWithinATickOfTheEncoderStayApart) {
    begin("mpeg4", {1, 25});
    EXPECT_EQ(take(0), 0);
    EXPECT_EQ(take(1), 1);
    EXPECT_EQ(take(2), 2);
    EXPECT_EQ(put(1, 1), (Times{1, 1}));
    EXPECT_EQ(put(2, 2), (Times{2, 2}));
}

TEST_F(EncoderTimesTest, TicksOfTheContainerKeepPicturesApart) {
    begin("mpeg4", {1, 25}).set_output_clock({1, 500});
    EXPECT_EQ(take(0), 0);
    EXPECT_EQ(take(1), 1);
    EXPECT_EQ(put(1, 1), (Times{2, 2}));
}

TEST_F(EncoderTimesTest, PacketsOfNoPictureAreRefused) {
    begin("mpeg4", {1, 25});
    take(0);
    EXPECT_THROW(put(7, 7), Error);
}

TEST_F(EncoderTimesTest, MpegFourKnowsNoStepOfMoreThanAnHour) {
    constexpr std::int64_t hour = 3'600'000;
    begin("mpeg4", {1, 25});
    take(0);
    EXPECT_EQ(take(hour), 25 * 3600);
    EXPECT_THROW(take(2 * hour + 1000), Error);
    begin("ffv1", {1, 25});
    take(0);
    EXPECT_EQ(take(2 * hour), 25 * 7200);
}

TEST_F(EncoderTimesTest, TooFewPicturesOfX265AreInOrder) {
    if (avcodec_find_encoder_by_name("libx265") == nullptr) {
        GTEST_SKIP() << "FFmpeg was built without it";
    }
    begin("libx265", {1, 25});
    take(0);
    take(40);
    times_->end();
    EXPECT_EQ(put(0, -70000), (Times{0, 0}));
    EXPECT_EQ(put(1, -70000), (Times{40, 40}));
}

}  // namespace
}  // namespace vfilter
