// Small files whose labels would take for ever, or all memory.

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string>

#include "io/input/evidence/matroska_unread.h"
#include "io/input/evidence/mp4_unread.h"

namespace vfilter {
namespace {

std::string box_of(const std::string& type, const std::string& payload) {
    std::string bytes;
    for (int shift = 24; shift >= 0; shift -= 8) {
        bytes += static_cast<char>((8 + payload.size()) >> shift & 0xFF);
    }
    return bytes + type + payload;
}

std::string times(const std::string& what, std::size_t count) {
    std::string all;
    for (std::size_t i = 0; i < count; ++i) {
        all += what;
    }
    return all;
}

// How often a movie is read from.
std::size_t reads_of(const std::string& movie, UnreadInMovie& found) {
    std::size_t reads = 0;
    found = unread_in_movie([&](std::int64_t offset, std::span<std::uint8_t> to) {
        ++reads;
        const std::string there = movie.substr(std::min(static_cast<std::size_t>(offset), movie.size()), to.size());
        std::ranges::copy(there, to.begin());
        return there.size();
    });
    return reads;
}

const std::string spatial_sound = box_of("stbl", box_of("stsd", std::string(8, '\0') + box_of("SA3D", "")));

TEST(UnreadInMovie, BoxesBesideTablesAreNotWalkedAnew) {
    constexpr std::size_t boxes = 1000;
    const std::string media = box_of("mdia", box_of("minf", times(box_of("free", ""), boxes) + spatial_sound));
    UnreadInMovie found;
    const std::size_t reads = reads_of(times(box_of("free", ""), boxes) + box_of("moov", box_of("trak", media)), found);
    EXPECT_LT(reads, 3 * boxes) << "was a million";
    ASSERT_EQ(found.tracks.size(), 1U);
    EXPECT_TRUE(found.tracks.front().ambisonic);
    EXPECT_FALSE(found.more);
}

TEST(UnreadInMovie, WalksOverSoManyBoxesAtMost) {
    const std::string media = box_of("mdia", times(box_of("minf", times(box_of("free", ""), 1000)), 200));
    UnreadInMovie found;
    EXPECT_LT(reads_of(box_of("moov", box_of("trak", media)), found), 70'000U) << "was 200 thousand";
    EXPECT_TRUE(found.more);
}

TEST(UnreadInMovie, AThousandTracksAreWalkedThrough) {
    const std::string table =
        box_of("stbl", box_of("stsd", std::string(8, '\0')) + times(box_of("stts", "12345678"), 8));
    const std::string media = box_of("mdia", box_of("mdhd", std::string(24, '\0')) + box_of("hdlr", "12345678soun") +
                                                 box_of("minf", box_of("smhd", "1234") + box_of("dinf", "") + table));
    UnreadInMovie found;
    reads_of(box_of("moov", times(box_of("trak", box_of("tkhd", std::string(84, '\0')) + media), 999)), found);
    EXPECT_EQ(found.tracks.size(), 999U);
    EXPECT_FALSE(found.more);
}

TEST(UnreadInMovie, SaysWhereEditsAreLeftOut) {
    const std::string fast = std::string("\0\0\0\1\0\0\0\0\0\2\0\0", 12);
    for (const std::size_t edits : {999U, 2000U}) {
        std::string list(8, '\0');
        list[6] = static_cast<char>(edits >> 8);
        list[7] = static_cast<char>(edits & 0xFF);
        UnreadInMovie found;
        reads_of(box_of("moov", box_of("trak", box_of("edts", box_of("elst", list + times(fast, edits))))), found);
        ASSERT_EQ(found.tracks.size(), 1U);
        EXPECT_EQ(found.tracks.front().rates.size(), std::min<std::size_t>(edits, 1000));
        EXPECT_EQ(found.more, edits > 1000);
    }
}

std::string ebml_of(const std::string& id, const std::string& payload) {
    std::string bytes = id + '\x01';
    for (int shift = 48; shift >= 0; shift -= 8) {
        bytes += static_cast<char>(payload.size() >> shift & 0xFF);
    }
    return bytes + payload;
}

UnreadLabels unread_of(const std::string& segment) {
    const std::string file = ebml_of("\x1A\x45\xDF\xA3", "") + ebml_of("\x18\x53\x80\x67", segment);
    return unread_in_matroska([&](std::int64_t offset, std::span<std::uint8_t> to) {
        const std::string there = file.substr(std::min(static_cast<std::size_t>(offset), file.size()), to.size());
        std::ranges::copy(there, to.begin());
        return there.size();
    });
}

std::string track_of_uid(char uid) {
    return ebml_of("\xAE", ebml_of("\x73\xC5", std::string(1, uid)) + ebml_of("\x83", "\1") + ebml_of("\x86", "A"));
}

TEST(UnreadInMatroska, TracksWithOneUidTakeNoTime) {
    const auto begin = std::chrono::steady_clock::now();
    const UnreadLabels labels = unread_of(ebml_of("\x16\x54\xAE\x6B", times(track_of_uid(1), 20'000)));
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(3)) << "was 13 seconds";
    EXPECT_EQ(labels.tracks.size(), 10'000U);
    EXPECT_EQ(labels.tracks.back().stream, 9'999);
    EXPECT_TRUE(labels.more);
}

// And a tag of the UID that follows is none of theirs.
TEST(UnreadInMatroska, TracksWithOneUidAreCounted) {
    const std::string level = ebml_of("\x63\xC0", ebml_of("\x63\xC5", "\3") + ebml_of("\x63\xC5", "\3"));
    const std::string tag =
        ebml_of("\x73\x73", level + ebml_of("\x67\xC8", ebml_of("\x45\xA3", "NAME") + ebml_of("\x44\x87", "x")));
    const UnreadLabels labels =
        unread_of(ebml_of("\x16\x54\xAE\x6B", track_of_uid(2) + track_of_uid(2) + track_of_uid(3)) +
                  ebml_of("\x12\x54\xC3\x67", tag));
    ASSERT_EQ(labels.tracks.size(), 3U);
    EXPECT_EQ(labels.tracks[1].stream, 1);
    EXPECT_EQ(labels.tracks[2].stream, 2);
    ASSERT_EQ(labels.tags.size(), 1U);
    EXPECT_EQ(labels.tags.front().stream, 2);
    EXPECT_FALSE(labels.more);
}

}  // namespace
}  // namespace vfilter
