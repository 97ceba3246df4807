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
    for (const AVCodecID codec : {AV_CODEC_ID_WMV2, AV_CODEC_ID_MSMPEG4V3, AV_CODEC_ID_QTRLE, AV_CODEC_ID_WMV3}) {
        EXPECT_TRUE(Returned(codec).decoded()) << codec;
        EXPECT_FALSE(Returned(codec).resized().decoded()) << codec;
    }
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

// "\2", the lengths of the first two headers, and three headers: identification, title, setup.
TEST(ChangedParameters, OfSoundAreWhatItsDecoderTakesFromTheHeader) {
    const Header vorbis{2, 1, 2, 'i', 't', '1', 's', 't'};
    EXPECT_TRUE(Returned(AV_CODEC_ID_VORBIS).with(vorbis, {2, 1, 2, 'i', 't', '2', 's', 't'}).copied()) << "a title";
    EXPECT_TRUE(Returned(AV_CODEC_ID_VORBIS).with(vorbis, {2, 1, 3, 'i', 't', '1', '0', 's', 't'}).copied());
    EXPECT_FALSE(Returned(AV_CODEC_ID_VORBIS).with(vorbis, {2, 1, 2, 'i', 't', '1', 's', 'u'}).copied());
    EXPECT_FALSE(Returned(AV_CODEC_ID_VORBIS).with({2, 255}, {2, 254}).copied()) << "cut short";
    for (const AVCodecID codec : {AV_CODEC_ID_ALAC, AV_CODEC_ID_WMAV2, AV_CODEC_ID_SPEEX, AV_CODEC_ID_WAVPACK}) {
        EXPECT_TRUE(Returned(codec).with({1, 2}, {1, 2}).copied()) << codec;
        EXPECT_FALSE(Returned(codec).with({1, 2}, {1, 3}).copied()) << codec;
    }
    EXPECT_TRUE(Returned(AV_CODEC_ID_FLAC).with({1, 2}, {1, 3}).copied()) << "a sum, and the sizes of frames";
    Header opus(19);
    Header other = opus;
    other[10] = 1;
    EXPECT_TRUE(Returned(AV_CODEC_ID_OPUS).with(opus, other).copied()) << "what is not heard at the beginning";
    other[16] = 1;
    EXPECT_FALSE(Returned(AV_CODEC_ID_OPUS).with(opus, other).copied()) << "gain";
}

TEST(ChangedParameters, AreToldByWhatDiffers) {
    const auto told = [](const Returned& pair) { return what_has_changed(pair.before(), pair.now()); };
    EXPECT_EQ(told(Returned(AV_CODEC_ID_AAC).of_rate(8000)), "sound of another rate or other channels");
    EXPECT_EQ(told(Returned(AV_CODEC_ID_VORBIS).with({1}, {2})), "sound with another header");
    EXPECT_EQ(told(Returned(AV_CODEC_ID_FFV1).resized()), "pictures of another kind");
    EXPECT_EQ(told(Returned(AV_CODEC_ID_H264).with({1}, {2})), "pictures with another header");
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
