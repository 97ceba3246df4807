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
    EXPECT_NE(everyday_hint("speed").find("--vf setpts=PTS/2 --af atempo=2,"), std::string::npos);
    EXPECT_NE(everyday_hint("watermark").find("overlay"), std::string::npos);
    EXPECT_NE(everyday_hint("check").find("exit code is 5"), std::string::npos);
    EXPECT_NE(everyday_hint("burn").find("--vf subtitles=FILE --allow-files --allow-network"), std::string::npos);
    EXPECT_NE(everyday_hint("lut").find("--vf lut3d=FILE.cube --allow-files"), std::string::npos);
    EXPECT_NE(everyday_hint("lossless").find("--encoder-option qp=0"), std::string::npos);
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

// Up to the first blank that begins a remark: what stands there is a command line, but for what the reader has.
TEST(EverydayWords, AreToldWhatTheProgramReads) {
    for (const char* const word :
         {"resize",  "rotate",      "flip",          "fps",  "mute",   "compress", "deinterlace", "stabilize",
          "noise",   "banding",     "brightness",    "gray", "text",   "gpu",      "hdr",         "speed",
          "volume",  "loudness",    "lossless",      "copy", "freeze", "aspect",   "thumbnails",  "strip-gps",
          "verbose", "audio-delay", "replace-audio", "burn", "lut"}) {
        const std::string hint = everyday_hint(word);
        const std::size_t begin = hint.find("--");
        ASSERT_NE(begin, std::string::npos) << word;
        std::string option = hint.substr(begin, hint.find(' ', begin) - begin);
        const std::size_t value = std::min(begin + option.size() + 1, hint.size());
        std::string argument = hint.substr(value, hint.find(' ', value) - value);
        option.erase(option.find_last_not_of(",:") + 1);
        argument.erase(argument.find_last_not_of(",:") + 1);
        std::vector<const char*> arguments{"a.mp4", "b.mp4", option.c_str()};
        if (word != std::string("banding")) {  // its option stands alone
            arguments.push_back(argument.c_str());
        }
        EXPECT_NO_THROW(parse_command_line(arguments)) << hint;
    }
}

}  // namespace
}  // namespace vfilter
