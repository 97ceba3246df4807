// Plain text subtitles from one container's form to another's.

#include "io/codec/subtitles.h"

#include <gtest/gtest.h>

#include <cstring>

namespace vfilter {
namespace {

std::optional<AVCodecID> conversion(const char* container, AVCodecID codec) {
    return subtitle_conversion(*av_guess_format(container, nullptr, nullptr), codec);
}

PacketPtr packet(const std::string& text) {
    PacketPtr made = make_packet();
    EXPECT_EQ(av_new_packet(made.get(), static_cast<int>(text.size())), 0);
    std::memcpy(made->data, text.data(), text.size());
    made->pts = made->dts = 1500;
    made->duration = 2000;
    return made;
}

std::string text_of(const AVPacket& packet) {
    return {reinterpret_cast<const char*>(packet.data), static_cast<std::size_t>(packet.size)};
}

class Subtitles : public ::testing::Test {
protected:
    SubtitleConverter converter(AVCodecID from, AVCodecID to) {
        stream_->codecpar->codec_type = AVMEDIA_TYPE_SUBTITLE;
        stream_->codecpar->codec_id = from;
        stream_->time_base = {1, 1000};
        return {*stream_, to};
    }

private:
    DescriptionPtr format_{avformat_alloc_context()};
    AVStream* stream_ = avformat_new_stream(format_.get(), nullptr);
};

TEST_F(Subtitles, AreConvertedWhereNothingIsLost) {
    EXPECT_EQ(conversion("mp4", AV_CODEC_ID_SUBRIP), AV_CODEC_ID_MOV_TEXT);
    EXPECT_EQ(conversion("mov", AV_CODEC_ID_TEXT), AV_CODEC_ID_MOV_TEXT);
    EXPECT_EQ(conversion("matroska", AV_CODEC_ID_MOV_TEXT), AV_CODEC_ID_SUBRIP);
    EXPECT_EQ(conversion("mp4", AV_CODEC_ID_ASS), std::nullopt);
    EXPECT_EQ(conversion("mp4", AV_CODEC_ID_HDMV_PGS_SUBTITLE), std::nullopt);
    EXPECT_EQ(conversion("avi", AV_CODEC_ID_SUBRIP), std::nullopt);
}

TEST_F(Subtitles, KeepTheirTextAndTheirTimes) {
    SubtitleConverter to_movie = converter(AV_CODEC_ID_SUBRIP, AV_CODEC_ID_MOV_TEXT);
    const PacketPtr text = to_movie.convert(*packet("Grüße"));
    ASSERT_TRUE(text);
    EXPECT_EQ(text_of(*text).substr(0, 9), std::string("\0\7Gr\xC3\xBC\xC3\x9F"
                                                       "e",
                                                       9));
    EXPECT_EQ(text->pts, 1500);
    EXPECT_EQ(text->duration, 2000);
    SubtitleConverter back = converter(AV_CODEC_ID_MOV_TEXT, AV_CODEC_ID_SUBRIP);
    const PacketPtr again = back.convert(*text);
    ASSERT_TRUE(again);
    EXPECT_EQ(text_of(*again), "Grüße");
    EXPECT_EQ(again->pts, 1500);
}

TEST_F(Subtitles, WithoutTextGiveNoPacket) {
    SubtitleConverter back = converter(AV_CODEC_ID_MOV_TEXT, AV_CODEC_ID_SUBRIP);
    EXPECT_FALSE(back.convert(*packet(std::string(2, '\0'))));
}

TEST_F(Subtitles, OfPicturesCannotBeConverted) {
    EXPECT_THROW(converter(AV_CODEC_ID_SUBRIP, AV_CODEC_ID_HDMV_PGS_SUBTITLE), Error);
}

}  // namespace
}  // namespace vfilter
