// Where decoding may begin anew.

#include "io/bitstream/random_access.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <vector>

namespace vfilter {
namespace {

using Bytes = std::vector<std::uint8_t>;

class RandomAccessTest : public ::testing::Test {
protected:
    void stream(AVCodecID codec, const Bytes& extradata = {}) {
        avcodec_parameters_free(&codec_);
        codec_ = avcodec_parameters_alloc();
        codec_->codec_id = codec;
        if (!extradata.empty()) {
            codec_->extradata = static_cast<std::uint8_t*>(av_mallocz(extradata.size() + AV_INPUT_BUFFER_PADDING_SIZE));
            std::ranges::copy(extradata, codec_->extradata);
            codec_->extradata_size = static_cast<int>(extradata.size());
        }
        access_ = std::make_unique<RandomAccess>(*codec_);
    }
    bool begins(const Bytes& bytes, bool key = true) {
        const PacketPtr packet = make_packet();
        EXPECT_EQ(av_new_packet(packet.get(), static_cast<int>(bytes.size())), 0);
        std::ranges::copy(bytes, packet->data);
        packet->flags = key ? AV_PKT_FLAG_KEY : 0;
        return access_->begins_at(*packet);
    }
    bool leans(const Bytes& bytes) {
        const PacketPtr packet = make_packet();
        EXPECT_EQ(av_new_packet(packet.get(), static_cast<int>(bytes.size())), 0);
        std::ranges::copy(bytes, packet->data);
        return access_->leans_on_others(*packet);
    }
    void TearDown() override { avcodec_parameters_free(&codec_); }

private:
    AVCodecParameters* codec_ = nullptr;
    std::unique_ptr<RandomAccess> access_;
};

TEST_F(RandomAccessTest, IsAnIdrPictureOrARecoveryPointOfH264) {
    stream(AV_CODEC_ID_H264);
    EXPECT_TRUE(begins({0, 0, 0, 1, 0x65, 1, 2, 3}));
    EXPECT_FALSE(begins({0, 0, 0, 1, 0x65, 1, 2, 3}, false));
    EXPECT_FALSE(begins({0, 0, 1, 0x41, 1, 2, 3}));                                     // marked, and none
    EXPECT_TRUE(begins({0, 0, 1, 6, 6, 1, 0xC4, 0x80, 0, 0, 1, 0x41, 1}));              // recovery after 0 pictures
    EXPECT_FALSE(begins({0, 0, 1, 6, 6, 1, 0x24, 0x80, 0, 0, 1, 0x41, 1}));             // after 3
    EXPECT_TRUE(begins({0, 0, 1, 6, 5, 2, 9, 9, 6, 1, 0xC4, 0x80, 0, 0, 1, 0x41, 1}));  // behind another message
    EXPECT_FALSE(begins({0, 0, 1, 6, 6}));                                              // cut short
    // Behind one of four bytes, 0 0 1 9, which has a fifth so that no start code is in it.
    EXPECT_TRUE(begins({0, 0, 1, 6, 5, 4, 0, 0, 3, 1, 9, 6, 1, 0xC4, 0x80, 0, 0, 1, 0x41, 1}));
}

TEST_F(RandomAccessTest, ReadsLengthsWhereTheContainerHasThem) {
    stream(AV_CODEC_ID_H264, {1, 77, 0, 30, 0xFD, 0xE1, 0, 0});  // lengths of two bytes
    EXPECT_TRUE(begins({0, 2, 9, 0x10, 0, 3, 0x65, 1, 2}));
    EXPECT_FALSE(begins({0, 2, 9, 0x10, 0, 3, 0x41, 1, 2}));
    EXPECT_FALSE(begins({0xFF, 0xFF, 0x41, 1}));  // longer than the packet
}

TEST_F(RandomAccessTest, NeedsParametersOnceTheyComeInPackets) {
    stream(AV_CODEC_ID_H264);
    EXPECT_TRUE(begins({0, 0, 1, 0x67, 1, 2, 0, 0, 1, 0x65, 1}));
    EXPECT_FALSE(begins({0, 0, 1, 0x65, 1}));  // which ones it means only who has read the others knows
    EXPECT_TRUE(begins({0, 0, 1, 0x67, 1, 2, 0, 0, 1, 0x65, 1}));
}

TEST_F(RandomAccessTest, IsAnyIrapPictureOfHevc) {
    stream(AV_CODEC_ID_HEVC);
    EXPECT_TRUE(begins({0, 0, 1, 19 << 1, 1, 5}));
    EXPECT_TRUE(begins({0, 0, 1, 21 << 1, 1, 5}));
    EXPECT_FALSE(begins({0, 0, 1, 1 << 1, 1, 5}));
    EXPECT_TRUE(begins({0, 0, 1, 39 << 1, 1, 5, 0, 0, 1, 20 << 1, 1, 5}));  // behind a message
}

TEST_F(RandomAccessTest, LooksIntoThePacketsOfOlderCodecs) {
    stream(AV_CODEC_ID_MPEG4);
    EXPECT_TRUE(begins({0, 0, 1, 0xB6, 0x10, 1}));
    EXPECT_FALSE(begins({0, 0, 1, 0xB6, 0x50, 1}));
    stream(AV_CODEC_ID_MPEG2VIDEO);
    EXPECT_TRUE(begins({0, 0, 1, 0xB3, 1, 2, 0, 0, 1, 0, 1}));
    EXPECT_FALSE(begins({0, 0, 1, 0, 1}));
    stream(AV_CODEC_ID_VP8);
    EXPECT_TRUE(begins({0x10, 1}));
    EXPECT_FALSE(begins({0x11, 1}));
    stream(AV_CODEC_ID_MJPEG);
    EXPECT_TRUE(begins({0xFF, 0xD8}));
    EXPECT_FALSE(begins({}));
}

TEST_F(RandomAccessTest, LeansOnOthersWhereThePictureSaysSo) {
    stream(AV_CODEC_ID_H264);
    EXPECT_TRUE(leans({0, 0, 1, 0x41, 0x9A, 1}));                              // slice_type 5, P
    EXPECT_TRUE(leans({0, 0, 1, 0x01, 0x9E, 1}));                              // 6, B
    EXPECT_TRUE(leans({0, 0, 1, 0x41, 0xE0, 1}));                              // 0, P
    EXPECT_FALSE(leans({0, 0, 1, 0x41, 0x88, 0x80, 1}));                       // 7, I
    EXPECT_FALSE(leans({0, 0, 1, 0x65, 0x88, 0x80, 1}));                       // IDR
    EXPECT_FALSE(leans({0, 0, 1, 6, 6, 1, 0x24, 0x80, 0, 0, 1, 0x41, 0x9A}));  // intra refresh begins
    EXPECT_TRUE(leans({0, 0, 1, 6, 5, 2, 9, 9, 0x80, 0, 0, 1, 0x41, 0x9A}));   // another message
    EXPECT_FALSE(leans({0, 0, 1, 9, 0x10}));
    stream(AV_CODEC_ID_MPEG4);
    EXPECT_FALSE(leans({0, 0, 1, 0xB6, 0x10, 1}));
    EXPECT_TRUE(leans({0, 0, 1, 0xB6, 0x50, 1}));
    stream(AV_CODEC_ID_MPEG2VIDEO);
    EXPECT_FALSE(leans({0, 0, 1, 0, 0, 0x0F, 1}));
    EXPECT_TRUE(leans({0, 0, 1, 0, 0, 0x17, 1}));
    stream(AV_CODEC_ID_VP8);
    EXPECT_TRUE(leans({0x11, 1}));
    stream(AV_CODEC_ID_MJPEG);
    EXPECT_FALSE(leans({0xFF, 0xD8}));
    EXPECT_FALSE(leans({}));
}

// A header of 240x104, as Smooth Streaming has it behind a few bytes, and one that says that there may be fields.
TEST_F(RandomAccessTest, OfVc1LeansOnOthersByTheHeaderOfTheStream) {
    const auto header = [](std::uint8_t interlace) {
        return Bytes{0x24, 0, 0, 1, 0x0F, 0xCB, 0x84, 7, 0x70, 0x33, interlace, 7, 0x78, 0, 0, 1, 0x0E, 0x5A};
    };
    stream(AV_CODEC_ID_VC1, header(0x8A));
    EXPECT_TRUE(leans({0, 0, 1, 0x0D, 0x13, 0x17, 0x54}));   // P
    EXPECT_TRUE(leans({0, 0, 1, 0x0D, 0x80, 0x3D, 0x4B}));   // B
    EXPECT_FALSE(leans({0, 0, 1, 0x0D, 0xC0, 0x3D, 0x4B}));  // I
    EXPECT_FALSE(leans({0x13, 0x17, 0x54, 0xF0, 0xC1}));     // without a start code nobody knows where it is
    stream(AV_CODEC_ID_VC1, header(0xCA));
    EXPECT_TRUE(leans({0, 0, 1, 0x0D, 0x00, 1, 1}));   // progressive, P
    EXPECT_FALSE(leans({0, 0, 1, 0x0D, 0x60, 1, 1}));  // I
    EXPECT_TRUE(leans({0, 0, 1, 0x0D, 0x80, 1, 1}));   // fields in one frame, P
    EXPECT_FALSE(leans({0, 0, 1, 0x0D, 0xC8, 1, 1}));  // two fields, I and P
    EXPECT_TRUE(leans({0, 0, 1, 0x0D, 0xD8, 1, 1}));   // P and P
    stream(AV_CODEC_ID_VC1);
    EXPECT_FALSE(leans({0, 0, 1, 0x0D, 0x13, 0x17, 0x54}));
}

}  // namespace
}  // namespace vfilter
