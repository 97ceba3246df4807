// What encoders say of themselves, taken out of their bit streams.

#include "io/bitstream/encoder_notes.h"

#include <gtest/gtest.h>

namespace vfilter {
namespace {

using Bytes = std::vector<std::uint8_t>;

Bytes joined(std::initializer_list<Bytes> parts) {
    Bytes all;
    for (const Bytes& part : parts) {
        all.insert(all.end(), part.begin(), part.end());
    }
    return all;
}

const Bytes start{0, 0, 0, 1};
const Bytes picture{0x65, 0x88, 0x84, 0x00};
const Bytes other_sei{0x06, 0x01, 0x02, 0xAA, 0xBB, 0x80};
const Bytes notes{0x06, 0x05, 0x03, 'a', 'b', 'c', 0x80};
const Bytes both{0x06, 0x05, 0x03, 'a', 'b', 'c', 0x01, 0x02, 0xAA, 0xBB, 0x80};

TEST(EncoderNotes, AreTakenOutBetweenStartCodes) {
    const NalForm form{AV_CODEC_ID_H264};
    EXPECT_EQ(without_notes(form, joined({start, notes, start, picture})), joined({{0}, {0, 0, 1}, picture}));
    EXPECT_EQ(without_notes(form, joined({start, both, start, picture})), joined({start, other_sei, start, picture}));
    EXPECT_TRUE(without_notes(form, joined({start, other_sei, start, picture})).empty());
    EXPECT_TRUE(without_notes(form, joined({start, picture})).empty());
    EXPECT_TRUE(without_notes({AV_CODEC_ID_VP9}, joined({start, notes})).empty());
}

TEST(EncoderNotes, AreTakenOutBetweenLengths) {
    const NalForm form{AV_CODEC_ID_H264, 4};
    EXPECT_EQ(without_notes(form, joined({{0, 0, 0, 7}, notes, {0, 0, 0, 4}, picture})),
              joined({{0, 0, 0, 4}, picture}));
    EXPECT_EQ(without_notes(form, joined({{0, 0, 0, 11}, both, {0, 0, 0, 4}, picture})),
              joined({{0, 0, 0, 6}, other_sei, {0, 0, 0, 4}, picture}));
    EXPECT_TRUE(without_notes(form, joined({{0, 0, 0, 99}, notes})).empty());
}

TEST(EncoderNotes, OfHevcHaveALongerHeader) {
    const NalForm form{AV_CODEC_ID_HEVC};
    const Bytes hevc_notes{0x4E, 0x01, 0x05, 0x01, 'x', 0x80};
    const Bytes slice{0x26, 0x01, 0xAF};
    EXPECT_EQ(without_notes(form, joined({start, hevc_notes, start, slice})), joined({{0}, {0, 0, 1}, slice}));
}

// What looks like a start code within a message has a 3 in it, which belongs to no length.
TEST(EncoderNotes, KeepEscapedBytesOfOtherMessages) {
    const Bytes escaped{0x06, 0x05, 0x01, 'a', 0x01, 0x04, 0, 0, 3, 1, 0xCC, 0x80};
    EXPECT_EQ(without_notes({AV_CODEC_ID_H264}, joined({start, escaped, start, picture})),
              joined({start, {0x06, 0x01, 0x04, 0, 0, 3, 1, 0xCC, 0x80}, start, picture}));
}

TEST(EncoderNotes, OfPacketsGoInPlace) {
    const PacketPtr packet = make_packet();
    const Bytes bytes = joined({start, notes, start, picture});
    ASSERT_EQ(av_new_packet(packet.get(), static_cast<int>(bytes.size())), 0);
    std::copy(bytes.begin(), bytes.end(), packet->data);
    remove_notes({AV_CODEC_ID_H264}, *packet);
    EXPECT_EQ(Bytes(packet->data, packet->data + packet->size), joined({{0}, {0, 0, 1}, picture}));
}

}  // namespace
}  // namespace vfilter
