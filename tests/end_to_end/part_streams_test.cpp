// Parts of videos whose streams do not begin and end together.

#include "tests/support/end_to_end.h"

namespace vfilter::test {

namespace {

using PartStreams = EndToEnd;

TEST_F(PartStreams, SoundBeforeALateVideoStays) {
    ffmpeg("-f lavfi -i testsrc2=s=64x64:r=25:d=2 -f lavfi -i sine=d=6 -c:v libx264 -c:a aac even.mp4");
    for (const std::string in : {"late.mp4", "late.mkv"}) {
        ffmpeg("-itsoffset 3 -i even.mp4 -i even.mp4 -map 0:v -map 1:a -c copy " + in);
        const Result result = vfilter(in + " out.mkv -y --start 1");
        EXPECT_EQ(result.code, 0) << result;
        const Result sound = run("ffmpeg -v error -i out.mkv -map 0:a -f s16le - | wc -c");
        EXPECT_NEAR(std::stod(sound.out) / 2 / 44100, 5, 0.1) << in;
    }
}

TEST_F(PartStreams, CoversBelongToEachPart) {
    ffmpeg("-f lavfi -i color=red:s=40x30 -frames:v 1 cover.jpg");
    ffmpeg(
        "-f lavfi -i testsrc2=s=64x64:r=25:d=3 -i cover.jpg -map 0 -map 1 -c:v:0 libx264 -c:v:1 copy "
        "-disposition:v:1 attached_pic in.mp4");
    for (const std::string out : {"out.mp4", "out.mkv"}) {
        EXPECT_EQ(vfilter("in.mp4 " + out + " --start 1").code, 0);
        EXPECT_EQ(run("ffprobe -v error -show_entries stream=codec_name -of csv=p=0 " + out).out, "h264\nmjpeg\n");
    }
}

TEST_F(PartStreams, ThatHaveNothingInItAreNamed) {
    ffmpeg(
        "-f lavfi -i testsrc2=s=64x64:r=25:d=4 -f lavfi -i sine=d=2 -f lavfi -i sine=880:d=4 -map 0 -map 1 -map 2 "
        "-c:v libx264 -c:a aac in.mp4");
    const Result result = vfilter("in.mp4 out.mp4 --start 3");
    EXPECT_EQ(result.code, 0) << result;
    EXPECT_NE(result.err.find("is left out: nothing of it was to be written"), std::string::npos) << result;
    EXPECT_EQ(run("ffprobe -v error -show_entries stream=codec_name -of csv=p=0 out.mp4").out, "h264\naac\n");
}

TEST_F(PartStreams, BeginAnewAtMidnight) {
    ffmpeg("-f lavfi -i testsrc2=s=64x64:r=25:d=3 -c:v libx264 -timecode 23:59:59:00 in.mov");
    EXPECT_EQ(vfilter("in.mov out.mov --start 2").code, 0);
    const Result code =
        run("ffprobe -v error -select_streams v -show_entries stream_tags=timecode -of csv=p=0 out.mov");
    EXPECT_EQ(code.out, "00:00:01:00\n");
}

}  // namespace

}  // namespace vfilter::test
