#include "io/codec/lost_bytes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "io/handles.h"

namespace vfilter {

namespace {

using Data = std::vector<std::uint8_t>;

Data operator+(Data one, const Data& other) {
    one.insert(one.end(), other.begin(), other.end());
    return one;
}

Data zeroes(std::size_t count) {
    return Data(count, 0);
}

Data noise(std::size_t count) {
    Data data;
    for (std::size_t i = 0; i < count; ++i) {
        data.push_back(static_cast<std::uint8_t>(17 + i * 5 % 200));
    }
    return data;
}

bool lost(AVCodecID codec, const Data& data, std::size_t length_size = 0) {
    const PacketPtr packet = make_packet();
    EXPECT_EQ(av_new_packet(packet.get(), static_cast<int>(data.size())), 0);
    std::ranges::copy(data, packet->data);
    return has_lost_bytes(codec, *packet, length_size);
}

const Data code{0, 0, 1};

TEST(LostBytes, AreSeenInSlicesWhereverTheyLie) {
    for (std::size_t at = 40; at < 60; ++at) {
        const Data slice = Data{0x65} + noise(at) + zeroes(15) + noise(50);
        EXPECT_TRUE(lost(AV_CODEC_ID_H264, code + slice)) << at;
        EXPECT_TRUE(lost(AV_CODEC_ID_H264, Data{0, static_cast<std::uint8_t>(slice.size())} + slice, 2)) << at;
        EXPECT_TRUE(lost(AV_CODEC_ID_HEVC, code + Data{0x26, 1} + noise(at) + zeroes(15) + noise(50))) << at;
    }
}

TEST(LostBytes, AreNoneWhereTheyFillUp) {
    const Data slice = Data{0x65} + noise(100);
    EXPECT_FALSE(lost(AV_CODEC_ID_H264, code + slice + zeroes(600) + code + slice));
    EXPECT_FALSE(lost(AV_CODEC_ID_H264, code + slice + zeroes(600)));
    EXPECT_FALSE(lost(AV_CODEC_ID_MPEG2VIDEO, code + noise(80) + zeroes(600) + code + noise(80)));
    EXPECT_FALSE(lost(AV_CODEC_ID_AV1, noise(300) + zeroes(600)));
}

TEST(LostBytes, AreNoneInWhatIsNoPicture) {
    EXPECT_FALSE(lost(AV_CODEC_ID_H264, code + Data{0x06} + noise(40) + zeroes(40) + noise(40)));
    EXPECT_FALSE(lost(AV_CODEC_ID_MPEG2VIDEO, code + Data{0xB2} + noise(40) + zeroes(40) + noise(40)));
    EXPECT_FALSE(lost(AV_CODEC_ID_PRORES, noise(100) + zeroes(600) + noise(100)));
    EXPECT_FALSE(lost(AV_CODEC_ID_H264, {}));
}

TEST(LostBytes, OfArithmeticCodersAreMany) {
    for (const AVCodecID codec : {AV_CODEC_ID_VP8, AV_CODEC_ID_VP9, AV_CODEC_ID_AV1}) {
        EXPECT_TRUE(lost(codec, noise(300) + zeroes(256) + noise(100)));
        EXPECT_FALSE(lost(codec, noise(300) + zeroes(100) + noise(100)));
    }
}

}  // namespace

}  // namespace vfilter
