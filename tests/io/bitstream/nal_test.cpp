// Units of H.264 and HEVC, whole and cut.

#include "io/bitstream/nal.h"

#include <gtest/gtest.h>

namespace vfilter {
namespace {

using Bytes = std::vector<std::uint8_t>;

std::vector<Bytes> copies_of(const std::vector<Nal>& nals) {
    std::vector<Bytes> copies;
    for (const Nal& nal : nals) {
        copies.emplace_back(nal.data, nal.data + nal.size);
    }
    return copies;
}

std::vector<Bytes> header_units(AVCodecID codec, const Bytes& header) {
    return copies_of(nals_of_header(codec, header));
}

TEST(Nal, UnitsOfAHeaderAreThoseOfItsRecordAsFarAsItGoes) {
    const Bytes avcc{1, 77, 0, 30, 0xFF, 0xE1, 0, 3, 0x67, 7, 8, 2, 0, 2, 0x68, 9, 0, 2, 0x68, 5};
    EXPECT_EQ(header_units(AV_CODEC_ID_H264, avcc), (std::vector<Bytes>{{0x67, 7, 8}, {0x68, 9}, {0x68, 5}}));
    for (std::size_t size = 0; size < avcc.size(); ++size) {
        // In memory of its own, so that a sanitizer sees who reads too far.
        EXPECT_LE(header_units(AV_CODEC_ID_H264, Bytes(avcc.begin(), avcc.begin() + static_cast<int>(size))).size(),
                  3U);
    }
    Bytes hvcc(22, 0);
    hvcc[0] = 1;
    hvcc[21] = 3;
    const Bytes arrays{2, 0x20, 0, 1, 0, 3, 0x40, 1, 9, 0x27, 0, 2, 0, 0, 0, 4, 0x4E, 1, 5, 6};
    hvcc.insert(hvcc.end(), arrays.begin(), arrays.end());
    EXPECT_EQ(header_units(AV_CODEC_ID_HEVC, hvcc), (std::vector<Bytes>{{0x40, 1, 9}, {0x4E, 1, 5, 6}}));
    hvcc.pop_back();
    EXPECT_EQ(header_units(AV_CODEC_ID_HEVC, hvcc), (std::vector<Bytes>{{0x40, 1, 9}, {0x4E, 1, 5}}));
}

TEST(Nal, UnitsOfAHeaderWithStartCodesHaveNoZerosBehindThem) {
    EXPECT_EQ(header_units(AV_CODEC_ID_H264, {0, 0, 0, 1, 0x67, 7, 0, 0, 0, 1, 0, 0, 1, 0x68, 9}),
              (std::vector<Bytes>{{0x67, 7}, {0x68, 9}}));
}

TEST(Nal, MessagesEndWhereTheUnitDoes) {
    const Bytes bytes{0x06, 0xFF, 1, 2, 0xAA, 0xBB, 4, 5, 1, 0x80, 0, 0};  // type 256, and one that is longer
    const Sei sei = read_sei(AV_CODEC_ID_H264, {bytes.data(), bytes.size()});
    ASSERT_EQ(sei.messages.size(), 1U);
    EXPECT_EQ(sei.messages[0].type, 256U);
    EXPECT_EQ(Bytes(sei.messages[0].payload.begin(), sei.messages[0].payload.end()), (Bytes{0xAA, 0xBB}));
    EXPECT_EQ(Bytes(sei.messages[0].whole.begin(), sei.messages[0].whole.end()), (Bytes{0xFF, 1, 2, 0xAA, 0xBB}));
    EXPECT_FALSE(sei.whole);
    EXPECT_TRUE(read_sei(AV_CODEC_ID_HEVC, {bytes.data(), 2}).messages.empty());
}

TEST(Nal, ARecoveryPointIsFoundBehindEscapedBytes) {
    const Bytes bytes{0x06, 5, 4, 0, 0, 3, 1, 9, 6, 1, 0x28, 0x80};  // after 4, inexact, whole
    const auto point = recovery_point_of({bytes.data(), bytes.size()});
    ASSERT_TRUE(point);
    EXPECT_EQ(point->pictures, 4U);
    EXPECT_FALSE(point->exact);
    EXPECT_FALSE(point->broken_link);
    EXPECT_FALSE(recovery_point_of({bytes.data(), 8}));
}

}  // namespace
}  // namespace vfilter
