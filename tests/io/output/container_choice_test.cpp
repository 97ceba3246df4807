// The container that the options ask for.

#include "io/output/container_choice.h"

#include <gtest/gtest.h>

#include <string>

namespace vfilter {
namespace {

std::string choice(const std::string& path, const std::string& format = "") {
    OutputOptions options;
    options.path = path;
    options.format = format;
    try {
        return choose_container(options).name;
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ExitCode::usage);
        return error.what();
    }
}

TEST(ContainerChoice, GoesByTheOptionThenByTheName) {
    EXPECT_EQ(choice("a.mp4"), "mp4");
    EXPECT_EQ(choice("a.mkv"), "matroska");
    EXPECT_EQ(choice("a.mp4", "mkv"), "matroska");
    EXPECT_EQ(choice("a.mp4", "y4m"), "yuv4mpegpipe");
    EXPECT_EQ(choice("-"), "matroska");
    EXPECT_EQ(choice("", "null"), "null");
}

TEST(ContainerChoice, IsRefusedWhereItIsNone) {
    EXPECT_EQ(choice("a.nonsense"), "a.nonsense: the name does not tell the format; give --format");
    EXPECT_EQ(choice("a.mp4", "nonsense"), "--format: FFmpeg cannot write 'nonsense'");
}

TEST(ContainerChoice, WritesTheNamedFileAlone) {
    EXPECT_EQ(choice("a.png"), "image2pipe");
    EXPECT_EQ(choice("a%d.png"), "image2pipe");
    EXPECT_EQ(choice("a%d", "jpg"), "image2pipe");
    EXPECT_EQ(choice("a%d.png", "image2"), "image2pipe") << "which says no more than the name";
    EXPECT_EQ(choice("a.jpg", "image2"), "image2pipe");
    EXPECT_NE(choice("a%d.mp4", "image2").find("pictures of the format image2"), std::string::npos);
    EXPECT_NE(choice("-", "image2").find("pictures of the format image2"), std::string::npos);
    EXPECT_NE(choice("a.m3u8").find("would write files that you did not name"), std::string::npos);
    EXPECT_NE(choice("a.mp4", "segment").find("would write files that you did not name"), std::string::npos);
}

}  // namespace
}  // namespace vfilter
