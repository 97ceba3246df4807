// Each picture is a file.

#include "io/output/whole_pictures.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "config/error.h"
#include "tests/io/input/scripted_source.h"

namespace vfilter {
namespace {

class KeptPictures final : public PictureSink {
public:
    void write(std::span<const std::uint8_t> bytes) override { files.emplace_back(bytes.begin(), bytes.end()); }
    [[nodiscard]] std::int64_t bytes() const override { return 0; }

    std::vector<std::string> files;
};

class WholePicturesTest : public ::testing::Test {
protected:
    static PacketPtr packet_of(const std::string& bytes, int flags) {
        PacketPtr packet = make_packet();
        EXPECT_EQ(av_new_packet(packet.get(), static_cast<int>(bytes.size())), 0);
        packet->pts = packet->dts = 5000;
        packet->flags = flags;
        std::ranges::copy(bytes, packet->data);
        return packet;
    }
    static DescriptionPtr stream_of(AVCodecID codec) {
        DescriptionPtr format = testing::make_streams({{AVMEDIA_TYPE_VIDEO, codec, {1, 25}}});
        format->streams[0]->codecpar->width = format->streams[0]->codecpar->height = 16;
        return format;
    }

    KeptPictures kept_;
};

TEST_F(WholePicturesTest, AreWhatTheEncoderGives) {
    const DescriptionPtr format = stream_of(AV_CODEC_ID_PNG);
    WholePictures pictures(*av_guess_format("image2pipe", nullptr, nullptr), kept_);
    pictures.write(*packet_of("first", AV_PKT_FLAG_KEY), *format->streams[0]);
    pictures.write(*packet_of("second", 0), *format->streams[0]);
    EXPECT_EQ(kept_.files, (std::vector<std::string>{"first", "second"}));
    EXPECT_EQ(pictures.count(), 2);
}

// From the beginning, whatever its time is.
TEST_F(WholePicturesTest, HaveAContainerEach) {
    const DescriptionPtr format = stream_of(AV_CODEC_ID_VP8);
    WholePictures pictures(*av_guess_format("ivf", nullptr, nullptr), kept_);
    for (const char* const bytes : {"first", "second"}) {
        pictures.write(*packet_of(bytes, AV_PKT_FLAG_KEY), *format->streams[0]);
    }
    ASSERT_EQ(kept_.files.size(), 2U);
    for (const std::string& file : kept_.files) {
        EXPECT_TRUE(file.starts_with("DKIF"));
        EXPECT_EQ(file.substr(36, 8), std::string(8, '\0')) << "its time";
    }
    EXPECT_TRUE(kept_.files.back().ends_with("second"));
    EXPECT_EQ(pictures.count(), 2);
}

TEST_F(WholePicturesTest, DoNotBuildOnOthers) {
    const DescriptionPtr format = stream_of(AV_CODEC_ID_VP8);
    WholePictures pictures(*av_guess_format("ivf", nullptr, nullptr), kept_);
    EXPECT_THROW(pictures.write(*packet_of("second", 0), *format->streams[0]), Error);
    EXPECT_EQ(pictures.count(), 0);
    EXPECT_TRUE(kept_.files.empty());
}

TEST_F(WholePicturesTest, AreRefusedByAContainerForOthers) {
    const DescriptionPtr format = stream_of(AV_CODEC_ID_PNG);
    WholePictures pictures(*av_guess_format("ivf", nullptr, nullptr), kept_);
    EXPECT_THROW(pictures.write(*packet_of("first", AV_PKT_FLAG_KEY), *format->streams[0]), Error);
    EXPECT_TRUE(kept_.files.empty());
}

}  // namespace
}  // namespace vfilter
