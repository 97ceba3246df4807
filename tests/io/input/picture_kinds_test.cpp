// What kind of picture a file holds.

#include "io/input/picture_kinds.h"

#include <gtest/gtest.h>

#include <fstream>

#include "tests/support/clips.h"

namespace vfilter {
namespace {

TEST(PictureKinds, AreToldByTheFirstBytes) {
    const testing::Folder folder;
    const auto write = [&](const std::string& name, const std::string& bytes) {
        std::ofstream(folder / name, std::ios::binary) << bytes;
        return folder / name;
    };
    const std::string png = write("a.png", "\x89PNG\r\n\x1a\n....");
    const std::string jpeg = write("b.jpg", "\xff\xd8\xff\xe0....");
    const std::string upper = write("c.JPEG", "\xff\xd8\xff\xe1....");
    const std::string other = write("d.xyz", "nobody knows");
    EXPECT_EQ(kind_of_picture(png), "PNG");
    EXPECT_EQ(kind_of_picture(jpeg), "JPEG");
    EXPECT_EQ(kind_of_picture(other), "");
    EXPECT_EQ(kind_of_picture(folder / "none.png"), "");
    EXPECT_EQ(other_kind({png, jpeg}), jpeg);
    EXPECT_EQ(other_kind({jpeg, upper, other}), "");
    EXPECT_EQ(other_kind({other, jpeg}), "");
}

}  // namespace
}  // namespace vfilter
