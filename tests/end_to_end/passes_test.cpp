// Runs that look at the input twice, and what they are for.

#include <fmt/format.h>

#include <cmath>
#include <filesystem>

#include "tests/support/end_to_end.h"

namespace vfilter::test {

namespace {

using Passes = EndToEnd;

TEST_F(Passes, MakeTheSizeThatWasAskedFor) {
    ffmpeg(
        "-f lavfi -i testsrc2=s=160x120:r=25:d=2 -f lavfi -i mandelbrot=s=160x120:r=25 -filter_complex "
        "\"[0][1]concat=n=2:v=1,trim=duration=4\" -pix_fmt yuv420p -c:v ffv1 in.mkv");
    for (const char* const codec : {"x264", "x265", "vp9", "mpeg4"}) {
        const std::string arguments =
            fmt::format("in.mkv out.mkv --gaussian 5 --codec {} --bitrate 120k {}", codec,
                        std::string(codec) == "vp9" || std::string(codec) == "mpeg4" ? "" : "--preset veryfast");
        filter(arguments + " --two-pass");
        const auto size = static_cast<double>(std::filesystem::file_size(path("out.mkv")));
        const double seconds = std::stod(probe("out.mkv").format.at("duration").get<std::string>());
        EXPECT_NEAR(size * 8 / seconds, 120e3, 18e3) << codec;
        EXPECT_EQ(names(), (std::vector<std::string>{"in.mkv", "out.mkv"}));
    }
}

TEST_F(Passes, NeedAFileAndARateAndAnEncoderThatKnowsThem) {
    make_clip("in.mp4");
    for (const char* const line :
         {"- out.mp4 --two-pass --bitrate 1M < in.mp4", "in.mp4 out.mp4 --two-pass",
          "in.mp4 out.mkv --codec ffv1 --two-pass --bitrate 1M", "in.mp4 out.mp4 --live --two-pass --bitrate 1M"}) {
        const Result result = vfilter(line);
        EXPECT_EQ(result.code, 2) << line << result.err;
        EXPECT_NE(result.err.find("--two-pass"), std::string::npos) << result.err;
    }
    write("out.mp4", "mine");
    EXPECT_EQ(vfilter("in.mp4 out.mp4 --two-pass --bitrate 1M -n").code, 4);
    EXPECT_EQ(content("out.mp4"), "mine");
    EXPECT_EQ(names(), (std::vector<std::string>{"in.mp4", "out.mp4"}));
}

// Animations by their names alone.
TEST_F(Passes, AreNotNeededForAnimations) {
    make_clip("in.mkv", 10);
    filter("in.mkv out.webp --gaussian 5");
    const std::string webp = content("out.webp");
    EXPECT_EQ(webp.substr(8, 4), "WEBP");
    std::size_t pictures = 0;
    for (std::size_t at = webp.find("ANMF"); at != std::string::npos; at = webp.find("ANMF", at + 1)) {
        ++pictures;
    }
    EXPECT_EQ(pictures, 10U);
    filter("in.mkv out.avif --gaussian 5");
    // FFmpeg 7.1 reads the first picture, for those who show no animation, as a stream of its own.
    const Stream pictures_of_avif = probe("out.avif").of("video").back();
    EXPECT_EQ(pictures_of_avif.codec(), "av1");
    EXPECT_EQ(pictures_of_avif.packets.size(), 10U);
}

// FFmpeg's encoders end the program where they find that there are too few.
TEST_F(Passes, WithTooFewBitsAreRefused) {
    ffmpeg("-f lavfi -i testsrc2=s=64x48:r=25:d=0.4 -c:v ffv1 in.mkv");
    for (const std::string codec : {"mpeg4", "mpeg2video", "mpeg1video"}) {
        for (const std::string bitrate : {"500", "4k"}) {
            const Result result =
                vfilter(fmt::format("in.mkv out.mkv -y --identity --two-pass --bitrate {} --codec {}", bitrate, codec));
            EXPECT_EQ(result.code, 8) << result;
            EXPECT_NE(result.err.find("bits per second are too few"), std::string::npos) << result;
        }
        EXPECT_EQ(vfilter(fmt::format("in.mkv out.mkv -y --identity --two-pass --bitrate 300k --codec {}", codec)).code,
                  0);
    }
}

// Before it is known that MPEG-1 takes no fields.
TEST_F(Passes, TakeInterlacedPicturesAsWholeOnes) {
    ffmpeg("-f lavfi -i testsrc2=s=64x48:r=25:d=0.4,setfield=tff -c:v ffv1 -field_order tt in.mkv");
    filter("in.mkv out.mkv --identity --two-pass --bitrate 300k --codec mpeg1video");
    EXPECT_EQ(count_pictures("out.mkv"), 10);
}

// The muxer of program streams takes any codec, and that of Flash PNG: nobody could read them.
TEST_F(Passes, OfWhatNobodyReadsAreRefusedFirst) {
    ffmpeg("-f lavfi -i testsrc2=s=64x48:r=25:d=0.2 -c:v ffv1 in.mkv");
    for (const std::string output : {"out.mpg --codec vp9", "out.vob --codec mjpeg", "out.swf --codec png"}) {
        const Result result = vfilter("in.mkv --identity " + output);
        EXPECT_EQ(result.code, 4) << result;
        EXPECT_NE(result.err.find("cannot hold"), std::string::npos) << result;
    }
    EXPECT_EQ(vfilter("in.mkv out.mpg --identity --codec x264").code, 0);
}

TEST_F(Passes, CodecsHaveCommonNames) {
    ffmpeg("-f lavfi -i testsrc2=s=256x128:r=25:d=0.2 -pix_fmt yuv420p -c:v ffv1 in.mkv");
    struct Row {
        const char* name;
        const char* out;
        const char* codec;
        const char* format;
    };
    for (const Row& row :
         {Row{"x264", "out.mp4", "h264", "yuv420p"}, Row{"h264", "out.mp4", "h264", "yuv420p"},
          Row{"h265 --preset ultrafast", "out.mp4", "hevc", "yuv420p"}, Row{"av1", "out.mkv", "av1", "yuv420p"},
          Row{"vp9", "out.webm", "vp9", "yuv420p"}, Row{"vp8", "out.webm", "vp8", "yuv420p"},
          Row{"prores", "out.mov", "prores", "yuv422p10le"}, Row{"dnxhr", "out.mov", "dnxhd", "yuv422p"},
          Row{"dnxhr --pix-fmt yuv422p10le", "out.mov", "dnxhd", "yuv422p10le"},
          Row{"dnxhr --pix-fmt yuv444p10le", "out.mov", "dnxhd", "yuv444p10le"}}) {
        filter(fmt::format("in.mkv {} --gaussian 3 --codec {}", row.out, row.name));
        const Stream video = probe(row.out).video();
        EXPECT_EQ(video.codec(), row.codec) << row.name;
        EXPECT_EQ(video.facts.at("pix_fmt").get<std::string>(), row.format) << row.name;
    }
}

}  // namespace

}  // namespace vfilter::test
