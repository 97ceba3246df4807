// Written files, held against what was sent to them.

#include "io/output/output_check.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "io/output/container_choice.h"
#include "tests/support/clips.h"

namespace vfilter {
namespace {

// What Matroska has no name for, FFmpeg's muxer may write nevertheless, under none.
TEST(OutputCheck, SoundOfNoCodecIsNoSound) {
    const testing::Folder folder;
    const std::string path = folder / "a.mkv";
    const std::string command =
        "cd '" + (folder / "") +
        "' && ffmpeg -nostdin -v error -y -f lavfi -i sine=d=0.2 -c:a flac -write_crc32 0 a.mkv "
        "&& sed -i s/A_FLAC/A_NONE/ a.mkv && grep -qa A_NONE a.mkv";
    ASSERT_EQ(std::system(command.c_str()), 0) << command;
    OutputOptions options;
    options.path = path;
    std::string why;
    try {
        check_written(path, choose_container(options),
                      {{.type = AVMEDIA_TYPE_AUDIO, .codec = AV_CODEC_ID_FLAC, .packets = 2}}, {},
                      [] { return false; });
    } catch (const Error& error) {
        why = error.what();
    }
    EXPECT_NE(why.find("stream 0 (audio, flac) it does not say what codec"), std::string::npos) << why;
}

}  // namespace
}  // namespace vfilter
