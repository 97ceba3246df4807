// Blocks of Matroska, by themselves and in groups.

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace vfilter::test
