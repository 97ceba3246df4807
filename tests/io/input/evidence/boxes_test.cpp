// Boxes in memory and in files, and what is none.

#include "io/input/evidence/boxes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace vfilter {
namespace {

using Strings = std::vector<std::string>;

std::string big(std::uint64_t value, int size) {
    std::string bytes;
    for (int shift = 8 * (size - 1); shift >= 0; shift -= 8) {
        bytes += static_cast<char>(value >> shift & 0xFF);
    }
    return bytes;
}

std::string plain_box(const std::string& type, const std::string& payload) {
    return big(8 + payload.size(), 4) + type + payload;
}

std::string wide_box(const std::string& type, const std::string& payload) {
    return big(1, 4) + type + big(16 + payload.size(), 8) + payload;
}

Bytes bytes_in(const std::string& text) {
    return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

// "type=payload" of each, and "broken" where they do not fit.
Strings in_memory(const std::string& content) {
    Strings found;
    const bool whole = each_box(bytes_in(content), [&](std::uint32_t type, Bytes payload, std::size_t at) {
        EXPECT_EQ(text(payload), content.substr(at, payload.size()));
        found.push_back(shown_mark(type) + "=" + std::string(text(payload)));
    });
    if (!whole) {
        found.emplace_back("broken");
    }
    return found;
}

struct Walk {
    Strings types;
    std::int64_t end;
    bool operator==(const Walk&) const = default;
};

Walk in_file(const std::string& content, std::int64_t from = 0) {
    const ReadBytes read = [&](std::int64_t offset, std::span<std::uint8_t> to) {
        const std::string there = static_cast<std::size_t>(offset) < content.size()
                                      ? content.substr(static_cast<std::size_t>(offset), to.size())
                                      : "";
        std::ranges::copy(there, to.begin());
        return there.size();
    };
    Walk walk{};
    walk.end = each_file_box(read, from, [&](const FileBox& box) {
        walk.types.push_back(shown_mark(box.head.type));
        return box.head.type != mark("stop");
    });
    return walk;
}

TEST(Boxes, AreFoundWithEitherKindOfSize) {
    const std::string content = plain_box("ftyp", "abc") + wide_box("mdat", "defg") + plain_box("free", "");
    EXPECT_EQ(in_memory(content), (Strings{"'ftyp'=abc", "'mdat'=defg", "'free'="}));
    EXPECT_EQ(in_file(content), (Walk{{"'ftyp'", "'mdat'", "'free'"}, std::ssize(content)}));
    EXPECT_EQ(in_file(content, 11), (Walk{{"'mdat'", "'free'"}, std::ssize(content)}));
}

TEST(Boxes, WithoutASizeReachToTheEnd) {
    EXPECT_EQ(in_memory(plain_box("ftyp", "") + big(0, 4) + "mdatxyz"), (Strings{"'ftyp'=", "'mdat'=xyz"}));
    EXPECT_EQ(in_file(plain_box("ftyp", "") + big(0, 4) + "mdatxyz"), (Walk{{"'ftyp'", "'mdat'"}, INT64_MAX}));
    EXPECT_EQ(in_memory(big(1, 4) + "mdat" + big(0, 8) + "xyz"), (Strings{"'mdat'=xyz"}));
}

TEST(Boxes, EndInZeroesInQuickTime) {
    EXPECT_EQ(in_memory(plain_box("name", "a") + std::string(12, '\0')), (Strings{"'name'=a"}));
    EXPECT_EQ(in_file(plain_box("name", "a") + std::string(12, '\0')), (Walk{{"'name'"}, 9}));
}

TEST(Boxes, OfImpossibleSizesEndTheWalk) {
    for (const std::string& wrong : {big(7, 4) + "mdat12345678", big(1, 4) + "mdat" + big(15, 8) + "1234",
                                     std::string(4, '\0') + std::string(4, '\0') + "12345678"}) {
        EXPECT_EQ(in_memory(plain_box("ftyp", "") + wrong), (Strings{"'ftyp'=", "broken"}));
        EXPECT_EQ(in_file(plain_box("ftyp", "") + wrong), (Walk{{"'ftyp'"}, 8}));
    }
    EXPECT_EQ(in_file(big(1, 4) + "mdat" + big(UINT64_MAX, 8)), (Walk{{}, 0}));
    EXPECT_EQ(in_memory(plain_box("mdat", "1234").substr(0, 11)), (Strings{"broken"}));
}

TEST(Boxes, TheWalkEndsWhereItIsTold) {
    EXPECT_EQ(in_file(plain_box("ftyp", "") + plain_box("stop", "") + plain_box("mdat", "")),
              (Walk{{"'ftyp'", "'stop'"}, 8}));
}

TEST(Boxes, SoManyAreNotLookedAt) {
    std::string content;
    for (int i = 0; i < 5000; ++i) {
        content += plain_box("free", "");
    }
    EXPECT_EQ(in_file(content).types.size(), 4096U);
}

}  // namespace
}  // namespace vfilter
