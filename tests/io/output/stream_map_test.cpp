// Which streams have a place in the output.

#include "io/output/stream_map.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "tests/support/clips.h"

namespace vfilter {
namespace {

const AVOutputFormat& muxer_of(const char* name) {
    return *av_guess_format(name, nullptr, nullptr);
}

// A video, two streams of AAC, and SubRip.
class StreamMapTest : public ::testing::Test {
protected:
    static void SetUpTestSuite() {
        folder_ = new testing::Folder;
        std::ofstream(*folder_ / "a.srt") << "1\n00:00:00,200 --> 00:00:00,700\nHello\n";
        const std::string command =
            "ffmpeg -nostdin -v error -y -f lavfi -i testsrc2=size=64x48:rate=25:duration=1 -f lavfi -i "
            "sine=duration=1 -i '" +
            (*folder_ / "a.srt") + "' -map 0 -map 1 -map 1 -map 2 -c:v mpeg4 -c:a aac -c:s srt '" +
            (*folder_ / "a.mkv") + "'";
        ASSERT_EQ(std::system(command.c_str()), 0) << command;
    }
    static void TearDownTestSuite() {
        delete folder_;
        folder_ = nullptr;
    }

    static inline testing::Folder* folder_ = nullptr;
    Demuxer input_{[] {
                       InputRequest options;
                       options.path = *folder_ / "a.mkv";
                       return options;
                   }(),
                   [] { return false; }};
};

TEST_F(StreamMapTest, KeepsTheOrder) {
    StreamMap map(input_, muxer_of("matroska"));
    EXPECT_EQ(map.places(), (std::vector<int>{0, 1, 2, 3}));
    EXPECT_EQ(map.converter(3), nullptr);
    EXPECT_TRUE(map.carries(3));
    EXPECT_FALSE(map.carries(4));  // which appears only later
    EXPECT_TRUE(map.dropped().empty());
}

TEST_F(StreamMapTest, ConvertsSubtitles) {
    StreamMap map(input_, muxer_of("mp4"));
    EXPECT_EQ(map.places(), (std::vector<int>{0, 1, 2, 3}));
    ASSERT_NE(map.converter(3), nullptr);
    EXPECT_EQ(map.converter(3)->context().codec_id, AV_CODEC_ID_MOV_TEXT);
}

TEST_F(StreamMapTest, NamesWhatHasNoPlace) {
    OutputOptions options;
    options.sound.mode = SoundOptions::Mode::copy;
    const StreamMap map(input_, muxer_of("webm"), options);
    EXPECT_EQ(map.places(), (std::vector<int>{0, -1, -1, 1}));
    EXPECT_FALSE(map.carries(1));
    ASSERT_EQ(map.dropped().size(), 2U);
    EXPECT_EQ(map.dropped().front(), "stream 1 (audio, aac)");
}

TEST_F(StreamMapTest, EncodesSoundThatHasNoPlace) {
    const StreamMap map(input_, muxer_of("webm"));
    EXPECT_EQ(map.places(), (std::vector<int>{0, 1, 2, 3}));
    ASSERT_EQ(map.sounds().size(), 2U);
    EXPECT_EQ(map.sounds().at(1).codec->id, AV_CODEC_ID_OPUS);
    EXPECT_EQ(map.encoded().front(), "stream 1 (audio, aac) becomes opus");
}

TEST_F(StreamMapTest, LeavesOutKindsThatNobodyWants) {
    OutputOptions options;
    options.kinds = kind::video | kind::subtitles;
    const StreamMap map(input_, muxer_of("matroska"), options);
    EXPECT_EQ(map.places(), (std::vector<int>{0, -1, -1, 1}));
    EXPECT_TRUE(map.dropped().empty());
}

// What MXF holds, a packet for each picture.
TEST_F(StreamMapTest, CopiesTheSamplesOfPlainSound) {
    const std::string name = *folder_ / "sounds.mkv";
    const std::string command = fmt::format(
        "ffmpeg -nostdin -v error -y -f lavfi -i testsrc2=s=64x48:d=0.2 -f lavfi -i sine=r=44100:d=0.2 -f lavfi -i "
        "sine=r=48000:d=0.2 -map 0 -map 1 -map 2 -c:v ffv1 -c:a pcm_s16le '{}'",
        name);
    ASSERT_EQ(std::system(command.c_str()), 0);
    InputRequest from;
    from.path = name;
    const Demuxer input(from, [] { return false; });
    OutputOptions options;
    options.sound.mode = SoundOptions::Mode::copy;
    const StreamMap map(input, muxer_of("mxf"), options);
    EXPECT_EQ(map.places(), (std::vector<int>{0, -1, 1}));
    ASSERT_EQ(map.sounds().size(), 1U);
    EXPECT_EQ(map.sounds().at(2).codec->id, AV_CODEC_ID_PCM_S16LE);
}

// Each has a place in flv, and one of them alone.
TEST_F(StreamMapTest, DropsWhatIsRefusedWithTheOthers) {
    FramePool pool(allocate_picture);
    const FramePtr first = make_frame();
    first->format = AV_PIX_FMT_YUV420P;
    first->width = 64;
    first->height = 48;
    OutputOptions options;
    const Encoder encoder(options, {}, muxer_of("flv"), {input_, 0}, *first, AV_PIX_FMT_YUV420P, pool);
    StreamMap map(input_, muxer_of("flv"));
    EXPECT_EQ(map.places(), (std::vector<int>{0, 1, 2, -1}));
    map.drop_refused({{0, input_.format().streams[0], &encoder, first.get()}});
    EXPECT_EQ(map.places(), (std::vector<int>{0, 1, -1, -1}));
    EXPECT_EQ(map.dropped().size(), 2U);
}

}  // namespace
}  // namespace vfilter
