// Names of what a picture says of itself.

#include "io/input/picture_says.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

namespace vfilter {
namespace {

TEST(PictureSays, KeepsTheFirstNamesAndCountsTheOthers) {
    PictureSays says;
    for (int round = 0; round < 2; ++round) {
        for (int i = 0; i < 20'000; ++i) {
            says.add("k" + std::to_string(i));
        }
    }
    says.add("");
    EXPECT_EQ(says.texts.front(), "k0");
    EXPECT_LE(says.texts.size(), 64U);
    EXPECT_EQ(says.texts.size() + says.further.size(), 20'000U);
}

TEST(PictureSays, HandsOnHowManyMoreThereAre) {
    PictureSays says;
    for (int i = 0; i < 100; ++i) {
        says.add("k" + std::to_string(i));
    }
    const PacketPtr packet = make_packet();
    ASSERT_GE(av_new_packet(packet.get(), 8), 0);
    add_said(*packet, says);
    std::size_t size = 0;
    const std::uint8_t* const strings = av_packet_get_side_data(packet.get(), AV_PKT_DATA_STRINGS_METADATA, &size);
    ASSERT_NE(strings, nullptr);
    const std::string_view all(reinterpret_cast<const char*>(strings), size);
    const std::string further = std::string(further_texts_name) + '\0' + "36" + '\0';
    EXPECT_NE(all.find(further), std::string_view::npos);
}

}  // namespace
}  // namespace vfilter
