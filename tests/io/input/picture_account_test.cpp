// What is missing by the times of pictures.

#include "io/input/picture_account.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "io/codec/decoding_run.h"

namespace vfilter {
namespace {

constexpr int step = 40;  // milliseconds

// Of these pictures, each of a packet of its own.
Damage missing(const std::vector<std::int64_t>& pictures) {
    const ParametersPtr codec(avcodec_parameters_alloc());
    codec->codec_type = AVMEDIA_TYPE_VIDEO;
    codec->codec_id = AV_CODEC_ID_H264;
    PictureAccount account(*codec, {1, 1000}, false, true);
    const PacketPtr packet = make_packet();
    av_new_packet(packet.get(), 1);
    for (const std::int64_t number : pictures) {
        const bool key = number == 0;
        packet->flags = key ? AV_PKT_FLAG_KEY : 0;
        packet->pts = packet->dts = step * number;
        account.sent(*packet);
        account.received({.pts = packet->pts, .interlaced = false, .key = key});
    }
    return account.missing();
}

std::vector<std::int64_t> numbers(std::int64_t from, std::int64_t to) {
    std::vector<std::int64_t> all;
    for (; from < to; ++from) {
        all.push_back(from);
    }
    return all;
}

TEST(PictureAccount, NothingIsMissingOfAWholeStream) {
    const Damage damage = missing(numbers(0, 100));
    EXPECT_EQ(damage.holes, 0);
    EXPECT_TRUE(damage.notes.empty());
}

TEST(PictureAccount, AHoleIsWhatIsMissing) {
    std::vector<std::int64_t> pictures = numbers(0, 42);
    for (const std::int64_t number : numbers(65, 100)) {
        pictures.push_back(number);
    }
    EXPECT_EQ(missing(pictures).holes, 23);
}

// As decoders give them behind damage.
TEST(PictureAccount, AHoleCountsOnceWherePicturesAreOutOfOrder) {
    std::vector<std::int64_t> pictures = numbers(0, 41);
    for (const std::int64_t number : {65, 41}) {
        pictures.push_back(number);
    }
    for (const std::int64_t number : numbers(66, 100)) {
        pictures.push_back(number);
    }
    const Damage damage = missing(pictures);
    EXPECT_EQ(damage.holes, 23);
    EXPECT_EQ(damage.notes.size(), 1U);
}

}  // namespace
}  // namespace vfilter
