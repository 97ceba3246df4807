// Options by everyday's names.

#include "config/everyday_words.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "config/command_line.h"
#include "config/error.h"

namespace vfilter {
namespace {

TEST(EverydayWords, AreToldWhatDoesThemHere) {
    EXPECT_NE(everyday_hint("resize").find("--vf scale"), std::string::npos);
    EXPECT_NE(everyday_hint("mute").find("--audio none"), std::string::npos);
    EXPECT_EQ(everyday_hint("nonsense"), "");
    EXPECT_EQ(everyday_hint(""), "");
    EXPECT_EQ(everyday_hint("size width"), "");
    for (const char* const argument : {"--resize", "--resize=320x240"}) {
        try {
            parse_command_line(std::vector<const char*>{"a.mp4", "b.mp4", argument});
            ADD_FAILURE() << argument;
        } catch (const Error& error) {
            EXPECT_EQ(error.code(), ExitCode::usage);
            EXPECT_NE(std::string(error.what()).find("that is --vf scale"), std::string::npos) << error.what();
        }
    }
}

}  // namespace
}  // namespace vfilter
