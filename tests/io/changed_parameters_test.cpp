// Parameters with which streams come back.

#include "io/changed_parameters.h"

#include <gtest/gtest.h>

#include <vector>

#include "io/extradata.h"
#include "tests/io/input/scripted_source.h"

namespace vfilter {
namespace {

using Header = std::vector<std::uint8_t>;

// A stream before and after, alike but for what a test changes.
struct Returned {
    explicit Returned(AVCodecID codec) : format(testing::make_streams({{}, {}})) {
        for (AVCodecParameters* const of : {&before(), &now()}) {
            of->codec_id = codec;
            of->codec_type = avcodec_get_type(codec);
            if (of->codec_type == AVMEDIA_TYPE_VIDEO) {
                of->width = of->height = 64;
                of->format = AV_PIX_FMT_YUV420P;
            } else {
                of->sample_rate = 48000;
                of->ch_layout = AV_CHANNEL_LAYOUT_STEREO;
            }
        }
    }
    Returned& with(const Header& first, const Header& second) {
        set_extradata(before(), first);
        set_extradata(now(), second);
        return *this;
    }
    const Returned& resized() const {
        now().width = 128;
        return *this;
    }
    const Returned& of_rate(int rate) const {
        now().sample_rate = rate;
        return *this;
    }
    [[nodiscard]] AVCodecParameters& before() const { return *format->streams[0]->codecpar; }
    [[nodiscard]] AVCodecParameters& now() const { return *format->streams[1]->codecpar; }
    [[nodiscard]] bool changed() const { return have_changed(before(), now()); }
    [[nodiscard]] bool decoded() const { return decoder_follows(before(), now()); }
    [[nodiscard]] bool copied(const Header& bytes = {}) const {
        const PacketPtr packet = vfilter::make_packet();
        av_check(av_new_packet(packet.get(), static_cast<int>(bytes.size())), "av_new_packet");
        std::ranges::copy(bytes, packet->data);
        return copy_follows(before(), now(), *packet);
    }

    DescriptionPtr format;
};

TEST(ChangedParameters, AreThoseThatAreKnown) {
    EXPECT_FALSE(Returned(AV_CODEC_ID_H264).changed());
    EXPECT_TRUE(Returned(AV_CODEC_ID_H264).resized().changed());
    EXPECT_TRUE(Returned(AV_CODEC_ID_H264).with({1, 2}, {1, 3}).changed());
    EXPECT_FALSE(Returned(AV_CODEC_ID_H264).with({1, 2}, {}).changed());
    EXPECT_TRUE(Returned(AV_CODEC_ID_AAC).of_rate(44100).changed());
    EXPECT_FALSE(Returned(AV_CODEC_ID_AAC).of_rate(0).changed());
}

TEST(ChangedParameters, AreToldByPicturesOrByTheContainerAlone) {
    EXPECT_TRUE(Returned(AV_CODEC_ID_H264).resized().decoded());
    EXPECT_TRUE(Returned(AV_CODEC_ID_MJPEG).resized().decoded());
    EXPECT_TRUE(Returned(AV_CODEC_ID_RAWVIDEO).decoded());
    EXPECT_FALSE(Returned(AV_CODEC_ID_RAWVIDEO).resized().decoded());
    EXPECT_TRUE(Returned(AV_CODEC_ID_FFV1).with({1}, {1}).decoded());
    EXPECT_FALSE(Returned(AV_CODEC_ID_FFV1).with({1}, {2}).decoded());
    const Returned other(AV_CODEC_ID_RAWVIDEO);
    other.now().format = AV_PIX_FMT_NV12;
    EXPECT_FALSE(other.decoded());
}

TEST(ChangedParameters, OfACopyFitItsHeader) {
    EXPECT_TRUE(Returned(AV_CODEC_ID_PCM_S16LE).copied());
    EXPECT_FALSE(Returned(AV_CODEC_ID_PCM_S16LE).of_rate(44100).copied());
    EXPECT_FALSE(Returned(AV_CODEC_ID_AAC).of_rate(44100).copied());
    EXPECT_TRUE(Returned(AV_CODEC_ID_AAC).of_rate(44100).copied({0xff, 0xf1, 0})) << "an ADTS header";
    EXPECT_TRUE(Returned(AV_CODEC_ID_AAC).with({0x11, 0x90}, {0x11, 0x90, 0x56, 0xe5}).copied());
    EXPECT_FALSE(Returned(AV_CODEC_ID_AAC).with({0x11, 0x90}, {0x12, 0x10}).copied());
    EXPECT_TRUE(Returned(AV_CODEC_ID_AC3).of_rate(44100).copied()) << "each packet tells it";
    EXPECT_FALSE(Returned(AV_CODEC_ID_H264).with({1, 2}, {1, 3}).copied());
    EXPECT_TRUE(Returned(AV_CODEC_ID_H264).with({0, 0, 1, 2}, {0, 0, 1, 3}).copied()) << "in the stream";
    EXPECT_TRUE(Returned(AV_CODEC_ID_DVB_SUBTITLE).copied());
}

TEST(ChangedParameters, AreCarriedByPackets) {
    const Returned pair(AV_CODEC_ID_AAC);
    const PacketPtr packet = vfilter::make_packet();
    EXPECT_EQ(attached_parameters(*packet), nullptr);
    {
        const BufferPtr shared = share_parameters(pair.of_rate(8000).now());
        attach_parameters(*packet, shared);
        attach_parameters(*packet, shared);
    }
    const PacketPtr copy = reference_to(*packet);
    ASSERT_NE(attached_parameters(*copy), nullptr);
    EXPECT_EQ(attached_parameters(*copy), attached_parameters(*packet));
    EXPECT_EQ(attached_parameters(*copy)->sample_rate, 8000);
}

}  // namespace
}  // namespace vfilter
