// What a muxer takes is found out by letting one try.

#include "io/output/memory_output.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/io/input/scripted_source.h"

namespace vfilter {
namespace {

const AVOutputFormat& container(const char* name) {
    return *av_guess_format(name, nullptr, nullptr);
}

DescriptionPtr sound_of(AVCodecID codec) {
    DescriptionPtr format = testing::make_streams({{AVMEDIA_TYPE_AUDIO, codec, {1, 48000}}});
    AVCodecParameters& parameters = *format->streams[0]->codecpar;
    parameters.sample_rate = 48000;
    av_channel_layout_default(&parameters.ch_layout, 2);
    return format;
}

TEST(MemoryOutput, KeepsWhatAMuxerWrites) {
    MemoryOutput output(container("wav"));
    const DescriptionPtr from = sound_of(AV_CODEC_ID_PCM_S16LE);
    from->streams[0]->codecpar->codec_tag = 99;  // another container's
    const AVStream& to = output.add_copy(*from->streams[0]);
    EXPECT_EQ(to.codecpar->codec_tag, 0U);
    ASSERT_TRUE(output.writes_header());
    const std::vector<std::uint8_t> bytes = output.take();
    ASSERT_GT(bytes.size(), 12U);
    EXPECT_EQ(std::string(bytes.begin(), bytes.begin() + 4), "RIFF");
    EXPECT_TRUE(output.take().empty());
}

TEST(MemoryOutput, TellsWhatAMuxerRefuses) {
    MemoryOutput refused(container("wav"));
    refused.add_copy(*sound_of(AV_CODEC_ID_OPUS)->streams[0]);
    EXPECT_FALSE(refused.writes_header());
    MemoryOutput movie(container("mov"));
    movie.add_copy(*sound_of(AV_CODEC_ID_OPUS)->streams[0]);
    EXPECT_FALSE(movie.begins());
    MemoryOutput mkv(container("matroska"));
    mkv.add_copy(*sound_of(AV_CODEC_ID_AAC)->streams[0]);
    EXPECT_TRUE(mkv.begins());
}

}  // namespace
}  // namespace vfilter
