// Written files, held against what was sent to them.

#include "io/output/output_check.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "io/output/container_choice.h"
#include "tests/support/clips.h"

namespace vfilter {
namespace {

// Of packets of different sizes FFmpeg's muxer says that it has no name for it, and writes it nevertheless.
TEST(OutputCheck, SoundOfNoCodecIsNoSound) {
    const testing::Folder folder;
    const std::string path = folder / "a.mkv";
    const std::string command = "cd '" + (folder / "") +
                                "' && ffmpeg -nostdin -v error -y -f lavfi -i sine=d=0.2:r=22050 -c:a adpcm_swf a.flv "
                                "&& ffmpeg -nostdin -v quiet -y -i a.flv -c copy a.mkv";
    ASSERT_EQ(std::system(command.c_str()), 0) << command;
    OutputOptions options;
    options.path = path;
    std::string why;
    try {
        check_written(path, choose_container(options),
                      {{.type = AVMEDIA_TYPE_AUDIO, .codec = AV_CODEC_ID_ADPCM_SWF, .packets = 2}}, {},
                      [] { return false; });
    } catch (const Error& error) {
        why = error.what();
    }
    EXPECT_NE(why.find("stream 0 (audio, adpcm_swf) it does not say what codec"), std::string::npos) << why;
}

}  // namespace
}  // namespace vfilter
