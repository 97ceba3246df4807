// Which packets of H.264 begin a picture.

#include "io/bitstream/h264_fields.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "io/codec/decoding_run.h"
#include "tests/support/two_fields.h"

namespace vfilter {
namespace {

// Of each field its bytes; the first one's are behind the parameter sets.
std::vector<std::string> fields_of(const std::string& stream) {
    const std::string code("\0\0\1", 3);
    std::vector<std::string> fields;
    std::string front;
    for (std::size_t at = 0; at != std::string::npos;) {
        const std::size_t next = stream.find(code, at + 1);
        front += stream.substr(at, next == std::string::npos ? next : next - at);
        const int type = stream[at + 3] & 0x1F;
        if (type == 1 || type == 5) {
            fields.push_back(std::exchange(front, ""));
        }
        at = next;
    }
    return fields;
}

bool completes(H264Fields& reader, const std::string& bytes) {
    const PacketPtr packet = make_packet();
    EXPECT_GE(av_new_packet(packet.get(), static_cast<int>(bytes.size())), 0);
    std::memcpy(packet->data, bytes.data(), bytes.size());
    return reader.completes(*packet);
}

H264Fields reader_of(AVCodecID id) {
    const ParametersPtr codec(avcodec_parameters_alloc());
    codec->codec_id = id;
    return H264Fields(*codec);
}

TEST(H264Fields, AreTwoForAPictureInPacketsOfTheirOwn) {
    H264Fields reader = reader_of(AV_CODEC_ID_H264);
    H264Fields other = reader_of(AV_CODEC_ID_HEVC);
    const std::vector<std::string> fields = fields_of(test::pictures_of_two_fields(20));
    ASSERT_EQ(fields.size(), 40U);
    for (std::size_t i = 0; i < fields.size(); ++i) {
        EXPECT_EQ(completes(reader, fields[i]), i % 2 == 1) << i;
        EXPECT_FALSE(completes(other, fields[i]));
    }
    EXPECT_EQ(reader.lone(), 0);
}

TEST(H264Fields, OfOnePacketAreOnePicture) {
    H264Fields reader = reader_of(AV_CODEC_ID_H264);
    const std::vector<std::string> fields = fields_of(test::pictures_of_two_fields(4));
    for (std::size_t i = 0; i < fields.size(); i += 2) {
        EXPECT_FALSE(completes(reader, fields[i] + fields[i + 1]));
    }
    EXPECT_EQ(reader.lone(), 0);
    EXPECT_FALSE(completes(reader, fields[2]));
    EXPECT_EQ(reader.lone(), 1) << "at the end";
    EXPECT_TRUE(completes(reader, fields[3]));
    EXPECT_EQ(reader.lone(), 0);
}

// libavcodec decodes them all the same.
TEST(H264Fields, OfPacketsWithStartCodesWhereLengthsAreTold) {
    const std::vector<std::string> fields = fields_of(test::pictures_of_two_fields(4));
    const std::string code("\0\0\1", 3);
    std::string told("\1\x64\0\x1E\xFF", 5);  // ISO/IEC 14496-15, 5.3.3.1
    for (std::size_t at = fields[0].find(code), next = 0; at != std::string::npos; at = next) {
        next = fields[0].find(code, at + 3);
        std::string nal = fields[0].substr(at + 3, next == std::string::npos ? next : next - at - 3);
        nal.erase(nal.find_last_not_of('\0') + 1);
        const int type = nal[0] & 0x1F;
        if (type == 7 || type == 8) {
            told += std::string(type == 7 ? "\xE1" : "\1", 1) + static_cast<char>(nal.size() >> 8U) +
                    static_cast<char>(nal.size()) + nal;
        }
    }
    const ParametersPtr codec(avcodec_parameters_alloc());
    codec->codec_id = AV_CODEC_ID_H264;
    codec->extradata = static_cast<std::uint8_t*>(av_mallocz(told.size() + AV_INPUT_BUFFER_PADDING_SIZE));
    codec->extradata_size = static_cast<int>(told.size());
    std::memcpy(codec->extradata, told.data(), told.size());
    H264Fields reader(*codec);
    for (std::size_t i = 2; i < fields.size(); ++i) {
        EXPECT_EQ(completes(reader, std::string("\0", 1) + fields[i].substr(fields[i].find(code))), i % 2 == 1) << i;
    }
    EXPECT_EQ(reader.lone(), 0);
}

// The second of one and the first of the next have different numbers.
TEST(H264Fields, OfDifferentPicturesAreNotPutTogether) {
    H264Fields reader = reader_of(AV_CODEC_ID_H264);
    const std::vector<std::string> fields = fields_of(test::pictures_of_two_fields(6));
    int pictures = 0;
    for (const std::size_t i : {0U, 1U, 3U, 4U, 5U, 6U, 8U, 9U}) {
        pictures += completes(reader, fields[i]) ? 0 : 1;
    }
    EXPECT_EQ(pictures, 5);
    EXPECT_EQ(reader.lone(), 2);
}

}  // namespace
}  // namespace vfilter
