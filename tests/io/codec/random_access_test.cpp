// Where decoding may begin anew.

#include "io/codec/random_access.h"

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

}  // namespace
}  // namespace vfilter
