// Plain text subtitles from one container's form to another's.

#include "io/codec/subtitles.h"

#include <gtest/gtest.h>

#include <cstring>

namespace vfilter {
namespace {

std::optional<AVCodecID> conversion(const char* container, AVCodecID codec) {
    const auto found = subtitle_conversion(*av_guess_format(container, nullptr, nullptr), codec);
    return found ? std::optional(found->to) : std::nullopt;
}

PacketPtr packet(const std::string& text, std::int64_t begin = 1500, std::int64_t duration = 2000) {
    PacketPtr made = make_packet();
    EXPECT_EQ(av_new_packet(made.get(), static_cast<int>(text.size())), 0);
    std::memcpy(made->data, text.data(), text.size());
    made->pts = made->dts = begin;
    made->duration = duration;
    return made;
}

std::string text_of(const AVPacket& packet) {
    return {reinterpret_cast<const char*>(packet.data), static_cast<std::size_t>(packet.size)};
}

// Of mov_text: behind their length, without styles.
std::string words_of(const AVPacket& packet) {
    const auto size = static_cast<std::size_t>(packet.data[0] << 8 | packet.data[1]);
    return text_of(packet).substr(2, size);
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

TEST_F(Subtitles, BecomeWhatTheContainerHas) {
    EXPECT_EQ(conversion("mp4", AV_CODEC_ID_SUBRIP), AV_CODEC_ID_MOV_TEXT);
    EXPECT_EQ(conversion("mov", AV_CODEC_ID_TEXT), AV_CODEC_ID_MOV_TEXT);
    EXPECT_EQ(conversion("matroska", AV_CODEC_ID_MOV_TEXT), AV_CODEC_ID_SUBRIP);
    EXPECT_EQ(conversion("mp4", AV_CODEC_ID_ASS), AV_CODEC_ID_MOV_TEXT);
    EXPECT_EQ(conversion("webm", AV_CODEC_ID_ASS), AV_CODEC_ID_WEBVTT);
    EXPECT_EQ(conversion("mp4", AV_CODEC_ID_HDMV_PGS_SUBTITLE), std::nullopt);
    EXPECT_EQ(conversion("avi", AV_CODEC_ID_SUBRIP), std::nullopt);
}

TEST_F(Subtitles, KeepTheirTextAndTheirTimes) {
    SubtitleConverter to_movie = converter(AV_CODEC_ID_SUBRIP, AV_CODEC_ID_MOV_TEXT);
    EXPECT_TRUE(to_movie.convert(*packet("Grüße")).empty()) << "another may begin meanwhile";
    EXPECT_TRUE(to_movie.advance(13499).empty());
    const std::vector<PacketPtr> text = to_movie.advance(13500);
    ASSERT_EQ(text.size(), 1U);
    EXPECT_EQ(words_of(*text[0]), "Grüße");
    EXPECT_EQ(text[0]->pts, 1500);
    EXPECT_EQ(text[0]->duration, 2000);
    SubtitleConverter back = converter(AV_CODEC_ID_MOV_TEXT, AV_CODEC_ID_SUBRIP);
    const std::vector<PacketPtr> again = back.convert(*text[0]);
    ASSERT_EQ(again.size(), 1U);
    EXPECT_EQ(text_of(*again[0]), "Grüße");
    EXPECT_EQ(again[0]->pts, 1500);
    EXPECT_EQ(again[0]->duration, 2000);
}

TEST_F(Subtitles, ThatOverlapAreShownTogether) {
    SubtitleConverter to_movie = converter(AV_CODEC_ID_SUBRIP, AV_CODEC_ID_MOV_TEXT);
    std::vector<std::string> shown;
    const auto take = [&](const std::vector<PacketPtr>& packets) {
        for (const PacketPtr& packet : packets) {
            shown.push_back(std::to_string(packet->pts) + "+" + std::to_string(packet->duration) + " " +
                            words_of(*packet));
        }
    };
    take(to_movie.convert(*packet("long", 500, 2000)));
    take(to_movie.convert(*packet("short", 1000, 500)));
    take(to_movie.convert(*packet("same", 1000, 1000)));
    take(to_movie.convert(*packet("next", 4000, 1000)));
    take(to_movie.finish());
    EXPECT_EQ(shown, (std::vector<std::string>{"500+500 long", "1000+500 long\nshort\nsame", "1500+500 long\nsame",
                                               "2000+500 long", "4000+1000 next"}));
    EXPECT_EQ(to_movie.left_out(), 0);
}

TEST_F(Subtitles, ThatComeTooLateAreCounted) {
    SubtitleConverter to_movie = converter(AV_CODEC_ID_SUBRIP, AV_CODEC_ID_MOV_TEXT);
    EXPECT_TRUE(to_movie.convert(*packet("later", 5000, 1000)).empty());
    EXPECT_TRUE(to_movie.convert(*packet("before", 1000, 1000)).empty());
    EXPECT_EQ(to_movie.finish().size(), 1U);
    EXPECT_EQ(to_movie.left_out(), 1);
}

// Fragments of mp4 tell none, and empty samples end what is shown.
TEST_F(Subtitles, WithoutADurationAreShownUntilTheNext) {
    for (const AVCodecID to : {AV_CODEC_ID_MOV_TEXT, AV_CODEC_ID_WEBVTT}) {
        SubtitleConverter converted = converter(AV_CODEC_ID_MOV_TEXT, to);
        const std::string word("\0\1a", 3);
        EXPECT_TRUE(converted.convert(*packet(word, 1000, 0)).empty());
        EXPECT_TRUE(converted.advance(1500).empty());
        const std::vector<PacketPtr> first = converted.convert(*packet(std::string(2, '\0'), 2000, 0));
        ASSERT_EQ(first.size(), 1U);
        EXPECT_EQ(first[0]->duration, 1000);
        EXPECT_TRUE(converted.convert(*packet(word, 3000, 0)).empty());
        EXPECT_TRUE(converted.advance(9000).empty());
        const std::vector<PacketPtr> last = converted.finish();
        ASSERT_EQ(last.size(), 1U);
        EXPECT_EQ(last[0]->pts, 3000);
        EXPECT_EQ(last[0]->duration, 6000) << "to the end";
    }
    SubtitleConverter both = converter(AV_CODEC_ID_SUBRIP, AV_CODEC_ID_MOV_TEXT);
    EXPECT_TRUE(both.convert(*packet("a", 1000, 0)).empty());
    EXPECT_TRUE(both.convert(*packet("b", 1000, 0)).empty());
    const std::vector<PacketPtr> together = both.finish();
    ASSERT_EQ(together.size(), 1U);
    EXPECT_EQ(words_of(*together[0]), "a\nb");
}

TEST_F(Subtitles, AreWordsInWebVttToo) {
    SubtitleConverter web = converter(AV_CODEC_ID_SUBRIP, AV_CODEC_ID_WEBVTT);
    const std::vector<PacketPtr> less = web.convert(*packet("I <3 you & {me}"));
    ASSERT_EQ(less.size(), 1U);
    EXPECT_EQ(text_of(*less[0]), "I &lt;3 you &amp; {me}");
    SubtitleConverter ass = converter(AV_CODEC_ID_ASS, AV_CODEC_ID_WEBVTT);
    EXPECT_TRUE(ass.convert(*packet("0,0,Default,,0,0,0,,\\N")).empty());
    const std::vector<PacketPtr> notes = ass.convert(*packet("1,0,Default,,0,0,0,,a\\hb\\N\\N{note}c"));
    ASSERT_EQ(notes.size(), 1U);
    EXPECT_EQ(text_of(*notes[0]), "a b\nc");
}

TEST_F(Subtitles, OfAssAreItsWords) {
    SubtitleConverter to_movie = converter(AV_CODEC_ID_ASS, AV_CODEC_ID_MOV_TEXT);
    const auto add = [&](const std::string& text, std::int64_t begin) {
        return to_movie.convert(*packet("0,0,Default,,0,0,0,," + text, begin, 1000));
    };
    EXPECT_TRUE(add("{\\an8}up, {\\b1}there{\\b0}\\Nnow", 0).empty());
    EXPECT_TRUE(add("{\\an7\\p1}m 0 0 l 100 0{\\p0}", 0).empty()) << "a drawing";
    EXPECT_TRUE(add("{\\pos(1,2)}up, {\\b1}there{\\b0}\\Nnow", 0).empty());
    const std::vector<PacketPtr> packets = to_movie.finish();
    ASSERT_FALSE(packets.empty());
    EXPECT_EQ(words_of(*packets[0]), "up, there\nnow");
}

TEST_F(Subtitles, WithoutTextGiveNoPacket) {
    SubtitleConverter back = converter(AV_CODEC_ID_MOV_TEXT, AV_CODEC_ID_SUBRIP);
    EXPECT_TRUE(back.convert(*packet(std::string(2, '\0'))).empty());
}

TEST_F(Subtitles, OfPicturesCannotBeConverted) {
    EXPECT_THROW(converter(AV_CODEC_ID_SUBRIP, AV_CODEC_ID_HDMV_PGS_SUBTITLE), Error);
}

TEST_F(Subtitles, ThatAreNotUtf8AreReadAsWestern) {
    SubtitleConverter to_movie = converter(AV_CODEC_ID_SUBRIP, AV_CODEC_ID_MOV_TEXT);
    EXPECT_TRUE(to_movie
                    .convert(*packet("Gr\xfc\xdf"
                                     "e"))
                    .empty());
    const std::vector<PacketPtr> text = to_movie.finish();
    ASSERT_EQ(text.size(), 1U);
    EXPECT_EQ(words_of(*text[0]), "Grüße");
    EXPECT_EQ(to_movie.undecoded(), 0);
}

TEST_F(Subtitles, ThatCannotBeDecodedAreCounted) {
    SubtitleConverter back = converter(AV_CODEC_ID_MOV_TEXT, AV_CODEC_ID_SUBRIP);
    EXPECT_TRUE(back.convert(*packet(std::string("\0\5Gr\xfc\xdf"
                                                 "e",
                                                 7)))
                    .empty());
    EXPECT_EQ(back.undecoded(), 1);
}

}  // namespace
}  // namespace vfilter
