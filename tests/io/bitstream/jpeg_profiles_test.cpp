// ICC profiles of pictures that become JPEG.

#include "io/bitstream/jpeg_profiles.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace vfilter {
namespace {

void take(JpegProfiles& profiles, std::int64_t pts, const std::string& profile) {
    const FramePtr picture = make_frame();
    picture->pts = pts;
    if (!profile.empty()) {
        AVFrameSideData* const data = av_frame_new_side_data(picture.get(), AV_FRAME_DATA_ICC_PROFILE, profile.size());
        ASSERT_NE(data, nullptr);
        std::ranges::copy(profile, data->data);
    }
    profiles.take(*picture);
    EXPECT_EQ(av_frame_get_side_data(picture.get(), AV_FRAME_DATA_ICC_PROFILE), nullptr);
}

std::string put(JpegProfiles& profiles, std::int64_t pts, const std::string& jpeg) {
    const PacketPtr packet = make_packet();
    EXPECT_EQ(av_new_packet(packet.get(), static_cast<int>(jpeg.size())), 0);
    std::ranges::copy(jpeg, packet->data);
    packet->pts = pts;
    packet->flags = AV_PKT_FLAG_KEY;
    profiles.put(*packet);
    EXPECT_EQ(packet->pts, pts);
    EXPECT_EQ(packet->flags, AV_PKT_FLAG_KEY);
    return {reinterpret_cast<const char*>(packet->data), static_cast<std::size_t>(packet->size)};
}

TEST(JpegProfilesTest, GoWithTheirOwnPicture) {
    JpegProfiles profiles;
    take(profiles, 1, "one");
    take(profiles, 2, "");
    take(profiles, 3, "three");
    const std::string name("ICC_PROFILE\0\1\1", 14);
    EXPECT_EQ(put(profiles, 1, "\xFF\xD8rest"), "\xFF\xD8" + std::string("\xFF\xE2\0\x13", 4) + name + "onerest");
    EXPECT_EQ(put(profiles, 2, "\xFF\xD8rest"), "\xFF\xD8rest");
    const std::string jfif("\xFF\xD8\xFF\xE0\0\4JF", 8);
    EXPECT_EQ(put(profiles, 3, jfif + "rest"), jfif + std::string("\xFF\xE2\0\x15", 4) + name + "threerest");
    EXPECT_EQ(put(profiles, 3, "\xFF\xD8rest"), "\xFF\xD8rest") << "it was another's";
}

TEST(JpegProfilesTest, AreCutWhereASegmentIsFull) {
    JpegProfiles profiles;
    constexpr std::size_t full = 65519;
    take(profiles, 0, std::string(full, 'a') + std::string(10, 'b'));
    const std::string expected = "\xFF\xD8" + std::string("\xFF\xE2\xFF\xFFICC_PROFILE\0\1\2", 18) +
                                 std::string(full, 'a') + std::string("\xFF\xE2\0\x1AICC_PROFILE\0\2\2", 18) +
                                 std::string(10, 'b');
    EXPECT_EQ(put(profiles, 0, "\xFF\xD8"), expected);
}

}  // namespace
}  // namespace vfilter
