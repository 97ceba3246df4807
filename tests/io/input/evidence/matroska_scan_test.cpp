// Blocks of Matroska, by themselves and in groups.

#include <gtest/gtest.h>

#include <zlib.h>

#include <chrono>
#include <string>
#include <string_view>

#include "tests/io/input/evidence/scanned_clips.h"

namespace vfilter::test {
namespace {

using namespace std::string_view_literals;

constexpr std::string_view picture_block = "\x81\0\0\x80picture"sv;  // of track 1, at 0
constexpr std::string_view tracks_id = "\x16\x54\xAE\x6B"sv;
constexpr std::string_view cluster_id = "\x1F\x43\xB6\x75"sv;

// Of less than 127 bytes.
std::string element(std::string_view id, std::string_view payload) {
    return std::string(id) + static_cast<char>(0x80 | payload.size()) + std::string(payload);
}

// With one track of pictures. Its segment goes to the end of the file.
File file_of(const std::string& cluster) {
    const std::string track = element("\xD7", "\1") + element("\x73\xC5", "\1") + element("\x83", "\1");
    const std::string all = element("\x1A\x45\xDF\xA3", "") + "\x18\x53\x80\x67\xFF" +
                            element(tracks_id, element("\xAE", track)) +
                            element(cluster_id, element("\xE7", "\0"sv) + cluster);
    return {all.begin(), all.end()};
}

TEST(MatroskaScan, CountsBlocksInGroupsAsWell) {
    const std::string group = element("\xA0", element("\xA1", picture_block) + element("\x9B", "\x28"));
    const ScanResult result = scan(file_of(element("\xA3", picture_block) + group + group), matroska);
    EXPECT_TRUE(result.faults.empty()) << result;
    ASSERT_NE(result.picture(), nullptr);
    EXPECT_EQ(result.picture()->found, 3);
}

using Clock = std::chrono::steady_clock;

// With a size of eight bytes.
std::string long_element(std::string_view id, std::string_view payload) {
    std::string bytes = std::string(id) + '\x01';
    for (int shift = 48; shift >= 0; shift -= 8) {
        bytes += static_cast<char>(payload.size() >> shift & 0xFF);
    }
    return bytes + std::string(payload);
}

TEST(MatroskaScan, TracksThatAreListedAgainTakeNoTime) {
    std::string tracks;
    for (int i = 1; i < 1000; ++i) {
        const std::string number{static_cast<char>(i >> 8), static_cast<char>(i & 0xFF)};
        tracks += element("\xAE", element("\xD7", number) + element("\x83", "\1"));
    }
    std::string again;
    for (int i = 0; i < 20'000; ++i) {
        again += element(tracks_id, element("\xAE", element("\xD7", "\2") + element("\x83", "\1")));
    }
    const std::string all = element("\x1A\x45\xDF\xA3", "") + "\x18\x53\x80\x67\xFF" + long_element(tracks_id, tracks) +
                            again + element(cluster_id, element("\xE7", "\0"sv) + element("\xA3", picture_block));
    const Clock::time_point begin = Clock::now();
    const ScanResult result = scan({all.begin(), all.end()}, matroska);
    EXPECT_LT(Clock::now() - begin, std::chrono::seconds(4)) << "was half a minute";
    EXPECT_TRUE(result.faults.empty()) << result;
    EXPECT_EQ(result.tracks.size(), 999U);
}

// Each has a checksum of its own, over all that are in it.
TEST(MatroskaScan, ClustersInClustersTakeNoTime) {
    constexpr std::size_t nested = 8000;
    constexpr std::size_t inmost = 4'000'000;
    const auto crc = [](std::string_view bytes) {
        return crc32(0, reinterpret_cast<const Bytef*>(bytes.data()), static_cast<uInt>(bytes.size()));
    };
    const std::string room = long_element("\xEC", std::string(inmost, '\0'));
    uLong sum = crc(room);
    std::size_t size = room.size();
    std::vector<std::string> heads;
    for (std::size_t i = 0; i < nested; ++i) {
        std::string checksum = "\xBF\x84";
        for (int shift = 0; shift < 32; shift += 8) {
            checksum += static_cast<char>(sum >> shift & 0xFF);
        }
        std::string head = std::string(cluster_id) + '\x01';
        for (int shift = 48; shift >= 0; shift -= 8) {
            head += static_cast<char>((checksum.size() + size) >> shift & 0xFF);
        }
        head += checksum;
        sum = crc32_combine(crc(head), sum, static_cast<z_off_t>(size));
        size += head.size();
        heads.push_back(head);
    }
    std::string all = element("\x1A\x45\xDF\xA3", "") + "\x18\x53\x80\x67\xFF";
    for (std::size_t i = nested; i-- > 0;) {
        all += heads[i];
    }
    all += room;
    const Clock::time_point begin = Clock::now();
    const ScanResult result = scan({all.begin(), all.end()}, matroska);
    EXPECT_LT(Clock::now() - begin, std::chrono::seconds(4)) << "was half a minute";
    EXPECT_FALSE(result.faults.empty());
    for (const ContainerFault& fault : result.faults) {
        EXPECT_EQ(fault.what.find("checksum"), std::string::npos) << fault.what;
    }
}

}  // namespace
}  // namespace vfilter::test
