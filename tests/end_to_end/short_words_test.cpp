// What is told of mistakes, in few words whatever their length.

#include <fmt/format.h>

#include "tests/support/end_to_end.h"

namespace vfilter::test {

namespace {

class ShortWords : public EndToEnd {};

TEST_F(ShortWords, NameTheLimitOfPicturesForEachDecoder) {
    for (const std::string codec : {"ffv1", "mjpeg", "huffyuv", "libvpx", "mpeg4"}) {
        ffmpeg("-f lavfi -i testsrc2=s=320x240:d=0.1 -pix_fmt yuv420p -strict -1 -c:v " + codec + " in.mkv");
        const Result result = vfilter("in.mkv out.mkv --max-pixels 20000");
        EXPECT_EQ(result.code, 3) << result;
        EXPECT_NE(result.err.find("--max-pixels"), std::string::npos) << codec << ": " << result;
    }
}

TEST_F(ShortWords, NameTheTagThatMisfits) {
    make_clip("in.mkv", 3);
    for (const std::string tag : {"abcd", "hvc1"}) {
        const Result result = vfilter("in.mkv out.mp4 --codec libx264 --video-tag " + tag);
        EXPECT_EQ(result.code, 4) << result;
        EXPECT_NE(result.err.find("--video-tag " + tag + ": in mp4 it stands for"), std::string::npos) << result;
        EXPECT_NE(result.err.find("avc1"), std::string::npos) << result;
    }
}

TEST_F(ShortWords, StandForArgumentsOfAnyLength) {
    make_clip("in.mkv", 3);
    const std::string many = "$(head -c 100000 /dev/zero | tr '\\0' x)";
    for (const std::string& arguments :
         {"in.mkv out.mkv --gaussian " + many, "in.mkv out.mkv " + many, "in.mkv out.mkv --" + many,
          "in.mkv out.mkv --codec " + many, "in.mkv out.mkv --vf " + many, "in.mkv out.mkv --encoder-option a=" + many,
          "in.mkv out.mkv --region " + many, "in.mkv out.mkv --metadata " + many, "in.mkv out.mkv --config " + many,
          many + " out.mkv"}) {
        const Result result = run("exec $VFILTER " + arguments);
        const int code = arguments.starts_with(many) ? 3 : arguments.find("--codec") != std::string::npos ? 8 : 2;
        EXPECT_EQ(result.code, code) << arguments.substr(0, 40) << result.err;
        EXPECT_LT(result.err.size(), 3000U) << arguments;
    }
}

TEST_F(ShortWords, LeaveNoTraceOfARunThatNeverBegan) {
    make_clip("in.mkv", 3);
    write("t.json", "old");
    const Result result = vfilter("in.mkv out.mkv --muxer-option nonsense=1 --trace t.json");
    EXPECT_EQ(result.code, 2) << result;
    EXPECT_EQ(content("t.json"), "old");
    EXPECT_FALSE(exists("out.mkv"));
}

}  // namespace

}  // namespace vfilter::test
