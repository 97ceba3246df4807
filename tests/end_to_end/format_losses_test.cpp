// What encoders and files cannot hold of samples and of their meaning: the nearest is made of it, and what is lost is
// told.

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <string>

#include "tests/support/end_to_end.h"

namespace vfilter::test {

namespace {

class FormatLosses : public EndToEnd {
protected:
    // The largest difference of 8-bit samples of all pictures, by ffmpeg's eyes.
    [[nodiscard]] int difference(const std::string& a, const std::string& b, const std::string& format) const {
        const std::string one = ffmpeg_output(fmt::format("-i {} -f rawvideo -pix_fmt {} -", a, format));
        const std::string other = ffmpeg_output(fmt::format("-i {} -f rawvideo -pix_fmt {} -", b, format));
        int most = one.size() == other.size() && !one.empty() ? 0 : 255;
        for (std::size_t i = 0; i < one.size() && i < other.size(); ++i) {
            most = std::max(most, std::abs(static_cast<unsigned char>(one[i]) - static_cast<unsigned char>(other[i])));
        }
        return most;
    }

    // The first picture's first sample, as players show it: by its matrix, or by the one of its size.
    [[nodiscard]] std::string shown_colour(const std::string& file) const {
        const nlohmann::json facts = probe(file).video().facts;
        const bool hd = facts.value("width", 0) >= 1280 || facts.value("height", 0) > 576;
        const std::string said = facts.value("color_space", "unknown");
        const std::string matrix = said == "bt470bg" || (said == "unknown" && !hd) ? "smpte170m"
                                   : said == "unknown" || said == "gbr"            ? "bt709"
                                                                                   : said;
        const std::string rgb = ffmpeg_output(
            fmt::format("-i {} -frames:v 1 -vf scale=in_color_matrix={},format=rgb24 -f rawvideo -", file, matrix));
        return rgb.substr(0, 3);
    }
    void expect_green(const std::string& file, const std::string& how) const {
        const std::string shown = shown_colour(file);
        ASSERT_EQ(shown.size(), 3U) << how;
        const int wanted[] = {0, 0xC0, 0};
        for (std::size_t i = 0; i < shown.size(); ++i) {
            EXPECT_NEAR(static_cast<unsigned char>(shown[i]), wanted[i], 6) << how << ", component " << i;
        }
    }
    // Of one colour, 720p, tagged and not, 576p, and pictures of RGB.
    void make_green() const {
        const std::string green = "-f lavfi -i color=0x00C000:r=5:d=0.4:s=";
        const std::string by_709 = "1280x720 -vf scale=out_color_matrix=bt709,format=yuv420p,setparams=colorspace=";
        ffmpeg(green + by_709 + "unknown -c:v ffv1 hd.mkv");
        ffmpeg(green + by_709 + "bt709 -colorspace bt709 -c:v ffv1 tagged.mkv");
        ffmpeg(green + "720x576 -pix_fmt yuv420p -c:v ffv1 sd.mkv");
        ffmpeg(green + "640x480 in_%d.png");
        ASSERT_EQ(probe("hd.mkv").video().facts.value("color_space", "unknown"), "unknown");
    }
};

// Two steps lie between them, each with pictures of its own.
TEST_F(FormatLosses, HalvedChromaBecomesFloats) {
    for (const std::string format : {"yuv420p", "yuv422p10", "yuva420p"}) {
        ffmpeg("-f lavfi -i smptehdbars=s=64x48:d=0.12:r=25 -pix_fmt " + format + " -c:v ffv1 in.mkv");
        ASSERT_EQ(vfilter("in.mkv deep%d.png -y --identity --pix-fmt rgb48be").code, 0) << format;
        for (const std::string ending : {"exr", "pfm"}) {
            const Result result = vfilter("in.mkv out%d." + ending + " -y --identity");
            EXPECT_EQ(result.code, 0) << result;
            for (const std::string number : {"1", "3"}) {
                EXPECT_LE(difference("deep" + number + ".png", "out" + number + "." + ending, "gbrp"), 3) << format;
            }
        }
    }
}

// H.264, HEVC and AV1 are limited where they do not say what they are.
TEST_F(FormatLosses, GrayIsFullInBitStreams) {
    ffmpeg("-f lavfi -i gradients=s=64x48:c0=black:c1=white:d=1 -frames:v 1 -pix_fmt gray -c:v rawvideo in.nut");
    ffmpeg("-i in.nut -pix_fmt ya8 -c:v rawvideo alpha.nut");
    for (const std::string in : {"in.nut", "alpha.nut"}) {
        for (const std::string out : {"out.mkv --codec x265 --crf 1", "out.hevc --codec x265 --crf 1",
                                      "out.mp4 --codec x264 --crf 1", "out.mkv --codec libaom-av1 --crf 1"}) {
            const Result result = vfilter(in + " " + out + " -y --identity");
            EXPECT_EQ(result.code, 0) << result;
            EXPECT_FALSE(says(result, "limited range")) << result;
            EXPECT_LE(difference("in.nut", out.substr(0, out.find(' ')), "gbrp"), 4) << in << " " << out;
        }
    }
}

// FFmpeg's description says two, three and three.
TEST_F(FormatLosses, Rgb8HasThreeBitsOfRed) {
    write("in.rgb8", std::string("\xE0\x1C\x03\xFF", 4));
    ASSERT_EQ(vfilter("in.rgb8 out.png --identity --input-format rawvideo --input-option video_size=4x1 "
                      "--input-option pixel_format=rgb8")
                  .code,
              0);
    EXPECT_EQ(ffmpeg_output("-i out.png -f rawvideo -pix_fmt rgb24 -"),
              std::string("\xFF\0\0\0\xFF\0\0\0\xFF\xFF\xFF\xFF", 12));
}

// libx265 writes past the end of its memory with these, and the program was aborted.
TEST_F(FormatLosses, NarrowPicturesBecomeHevc) {
    for (const std::string size : {"33x17", "48x64"}) {
        ffmpeg("-f lavfi -i testsrc2=s=" + size + ":d=0.2 -pix_fmt yuv444p -c:v ffv1 in.mkv");
        const Result result = vfilter("in.mkv out.mp4 -y --identity --codec x265");
        EXPECT_EQ(result.code, 0) << result;
    }
}

TEST_F(FormatLosses, AreToldBesideTheRange) {
    ffmpeg("-f lavfi -i testsrc2=s=64x48:d=0.04 -pix_fmt yuva444p10 -c:v ffv1 -color_range pc in.mkv");
    const Result flv = vfilter("in.mkv out.flv -y --identity --codec flv1");
    EXPECT_TRUE(says(flv, "in the limited range, with loss of depth, resolution of chroma, alpha")) << flv;
    ffmpeg("-i in.mkv -frames:v 1 -c:v ffv1 -color_range tv limited.mkv");
    const Result webp = vfilter("limited.mkv out.webp -y --identity");
    EXPECT_TRUE(says(webp, "with loss of depth")) << webp;
    EXPECT_TRUE(says(webp, "of which it makes 4:2:0")) << webp;
}

// Whatever it is in, JPEG is read as full.
TEST_F(FormatLosses, MotionJpegHasTheFullRange) {
    ffmpeg("-f lavfi -i color=white:s=64x48:r=5:d=0.4 -pix_fmt yuv420p -color_range tv -c:v ffv1 in.mkv");
    for (const std::string out : {"out.avi", "out.mov", "out.mkv"}) {
        const Result result = vfilter("in.mkv " + out + " -y --codec mjpeg");
        ASSERT_EQ(result.code, 0) << result;
        EXPECT_EQ(probe(out).video().facts.value("pix_fmt", ""), "yuvj420p") << out;
        const std::string luma = ffmpeg_output("-i " + out + " -frames:v 1 -vf extractplanes=y -f rawvideo -");
        ASSERT_FALSE(luma.empty());
        EXPECT_GT(static_cast<unsigned char>(luma.front()), 252) << out;
    }
    for (const std::string more : {" --pix-fmt yuv420p", " --encoder-option color_range=tv"}) {
        const Result result = vfilter("in.mkv out.mkv -y --codec mjpeg" + more);
        ASSERT_EQ(result.code, 0) << result;
        EXPECT_EQ(probe("out.mkv").video().facts.value("color_range", ""), "tv") << more;
    }
}

TEST_F(FormatLosses, ARangeThatIsNamedAndNotReachedIsTold) {
    ffmpeg("-f lavfi -i color=white:s=64x48:r=5:d=0.4 in_%d.png");
    ffmpeg("-f lavfi -i color=white:s=64x48:r=5:d=0.4 -pix_fmt yuv420p -c:v ffv1 in.mkv");
    for (const std::string words : {"-i in_%d.png -color_range pc -pix_fmt yuv420p",
                                    "-i in.mkv -vf format=rgb24 -color_range pc -pix_fmt yuv444p",
                                    "-i in.mkv --vf 'format=rgb24,setparams@color=range=pc[color];[color]null' "
                                    "-pix_fmt yuv444p"}) {
        const Result told = vfilter(words + " -c:v ffv1 -y out.mkv");
        ASSERT_EQ(told.code, 0) << told;
        // libavfilter makes it of RGB since FFmpeg 7.
        const bool full =
            ffmpeg_output("-i out.mkv -frames:v 1 -vf extractplanes=y -f rawvideo -").find('\xFF') != std::string::npos;
        EXPECT_EQ(says(told, "names the range pc, which its pictures do not have"), !full) << told;
    }
    for (const std::string words :
         {"-i in.mkv -color_range pc", "-i in_%d.png -color_range tv -pix_fmt yuv420p", "-i in_%d.png -color_range pc",
          "-i in_%d.png -colorspace bt709 -pix_fmt yuv420p", "-i in.mkv --vf setparams=range=pc,scale=out_range=tv"}) {
        const Result result = vfilter(words + " -c:v ffv1 -y out.mkv");
        ASSERT_EQ(result.code, 0) << result;
        EXPECT_FALSE(says(result, "names the range")) << result;
    }
}

// VP8 has the one of BT.601, and says so of all.
TEST_F(FormatLosses, OfTheMatrixAreToldWhereAnotherIsSaid) {
    for (const std::string matrix : {"bt709", "smpte170m"}) {
        ffmpeg("-f lavfi -i testsrc2=s=64x48:d=0.04 -pix_fmt yuv420p -c:v ffv1 -colorspace " + matrix + " in.mkv");
        const Result result = vfilter("in.mkv out.webm -y --identity --codec vp8");
        EXPECT_EQ(result.code, 0) << result;
        EXPECT_EQ(says(result, "(bt709) is lost"), matrix == "bt709") << result;
    }
}

// Players take HD for BT.709 that says nothing.
TEST_F(FormatLosses, AGuessedMatrixIsTold) {
    const std::string guess = "do not state their colour matrix and are converted as BT.601";
    ffmpeg("-f lavfi -i color=gray:s=1280x720:d=0.04 -pix_fmt yuv444p hd.y4m");
    ffmpeg("-f lavfi -i color=gray:s=64x48:d=0.04 -pix_fmt yuv444p sd.y4m");
    for (const std::string out : {"out.png", "out.jpg", "out.webp"}) {
        const Result large = vfilter("hd.y4m " + out + " -y --identity");
        EXPECT_TRUE(says(large, guess)) << large;
        const Result small = vfilter("sd.y4m " + out + " -y --identity");
        EXPECT_FALSE(says(small, guess)) << small;
    }
    const Result named = vfilter("hd.y4m out.png -y --fill '#204080' --vf setparams=colorspace=bt709");
    EXPECT_FALSE(says(named, guess)) << named;
    const std::string colour = ffmpeg_output("-i out.png -f rawvideo -pix_fmt rgb24 -");
    EXPECT_NEAR(static_cast<unsigned char>(colour.at(0)), 0x20, 2);
    EXPECT_NEAR(static_cast<unsigned char>(colour.at(2)), 0x80, 2);
    EXPECT_FALSE(says(vfilter("hd.y4m out.mkv -y --identity --codec ffv1"), guess));
}

// What hardly any RGB has is kept where file and bit stream have a place for it, and told elsewhere.
TEST_F(FormatLosses, TheRangeOfRgbIsKeptOrTold) {
    ffmpeg(
        "-f lavfi -i testsrc2=s=64x48:d=0.2 -pix_fmt gbrp -c:v libx264rgb -bsf:v h264_metadata=video_full_range_flag=0 "
        "-color_range tv in.mp4");
    ASSERT_EQ(probe("in.mp4").video().facts.value("color_range", ""), "tv");
    for (const std::string out : {"out.mp4 --codec libx264rgb", "out.mkv --codec libx264rgb", "out.mkv --codec ffv1",
                                  "out.mov --codec png", "out.png --frames 1", "out.mp4"}) {
        const Result result = vfilter("in.mp4 -y --identity " + out);
        EXPECT_EQ(result.code, 0) << result;
        const nlohmann::json facts = probe(out.substr(0, out.find(' '))).video().facts;
        const bool rgb = facts.at("pix_fmt").get<std::string>().find("yuv") == std::string::npos;
        const bool kept = rgb && facts.value("color_range", "") == "tv";
        EXPECT_EQ(kept, out.find("264rgb") != std::string::npos || out.find("ffv1") != std::string::npos) << out;
        EXPECT_EQ(says(result, "that the RGB has the limited range is lost"), rgb && !kept) << result;
        EXPECT_EQ(says(result, "are RGB in the limited range, and are converted as if"), !rgb) << result;
    }
    ffmpeg("-f lavfi -i testsrc2=s=64x48:d=0.2 -pix_fmt gbrp -c:v libx264rgb full.mp4");
    EXPECT_FALSE(says(vfilter("full.mp4 out.mov -y --identity --codec png"), "limited range"));
}

// No advice that the encoder refuses, and none where there are no ten bits to be kept.
TEST_F(FormatLosses, OfHdrAreThoseOfItsBits) {
    for (const std::string format : {"yuv420p10", "yuv420p"}) {
        ffmpeg("-f lavfi -i testsrc2=s=64x48:d=0.04 -vf setparams=color_trc=smpte2084 -pix_fmt " + format +
               " -c:v ffv1 -color_trc smpte2084 in.mkv");
        const Result result = vfilter("in.mkv out.mkv -y --identity --codec mpeg4");
        EXPECT_EQ(says(result, "the pictures are HDR ("), format == "yuv420p10") << result;
        EXPECT_FALSE(says(result, "--pix-fmt")) << result;
    }
}

// Whoever converts: the encoder, or a graph in front of it, for its sake or its own.
TEST_F(FormatLosses, WithinGraphsAreToldAsWell) {
    ffmpeg(
        "-f lavfi -i testsrc2=s=64x48:r=5:d=0.4 -vf setparams=color_trc=smpte2084 -pix_fmt yuv420p10 -c:v ffv1 "
        "-color_trc smpte2084 in.mkv");
    for (const std::string how :
         {"--codec mpeg4 --vf hflip", "--codec ffv1 --pix-fmt yuv420p --vf scale=32:24",
          "--codec ffv1 --vf delogo=1:1:8:8", "--codec ffv1 --vf format=yuv420p10,eq=gamma=1.1"}) {
        const Result result = vfilter("in.mkv out.mkv -y " + how);
        EXPECT_EQ(result.code, 0) << result;
        const bool by_filters = how.find("delogo") != std::string::npos || how.find("eq=") != std::string::npos;
        EXPECT_TRUE(says(result, fmt::format("pictures are converted from yuv420p10le to yuv420p {}",
                                             by_filters ? "by the filters of --vf" : "for the encoder")))
            << result;
        EXPECT_TRUE(says(result, "with loss of depth")) << result;
        EXPECT_TRUE(says(result, "the pictures are HDR (")) << result;
    }
    const Result asked = vfilter("in.mkv out.mkv -y --codec ffv1 --vf format=yuv420p");
    EXPECT_FALSE(says(asked, "pictures are converted")) << asked;
    const Result kept = vfilter("in.mkv out.mkv -y --codec ffv1 --vf hflip");
    EXPECT_FALSE(says(kept, "with loss")) << kept;
    const Result gif = vfilter("in.mkv out.gif -y --vf fps=5,scale=32:-1");
    EXPECT_TRUE(says(gif, "pictures are converted from yuv420p10le to 256 colours")) << gif;
    EXPECT_FALSE(says(gif, "transparent")) << gif;
}

// What a graph has made of more than there was.
TEST_F(FormatLosses, OfWhatAGraphHasMadeAreTold) {
    ffmpeg("-f lavfi -i color=lime:s=64x48:r=5:d=0.4 -pix_fmt yuv420p -c:v ffv1 in.mkv");
    const auto told = [this](const std::string& how) {
        const Result result = vfilter("in.mkv -y " + how);
        EXPECT_EQ(result.code, 0) << result;
        const std::size_t at = result.err.find("pictures are converted from ");
        return at == std::string::npos ? "" : result.err.substr(at, result.err.find('\n', at) - at);
    };
    const std::string alpha =
        "pictures are converted from yuva420p to yuv420p for the encoder libx264, with loss of alpha";
    for (const std::string graph : {"chromakey=lime", "format=yuva420p", "chromakey=lime,fps=5", "chromakey=lime,hflip",
                                    "chromakey=lime,scale=32:24", "chromakey=lime --vf hflip"}) {
        EXPECT_EQ(told("out.mp4 --vf " + graph), alpha) << graph;
    }
    EXPECT_NE(told("out.y4m --vf chromakey=lime").find("with loss of alpha"), std::string::npos);
    EXPECT_NE(told("out.avi --codec mpeg4 --vf format=yuv444p10").find("from yuv444p10le to yuv420p for the encoder"),
              std::string::npos);
    for (const std::string how :
         {"out.mkv --codec ffv1 --vf chromakey=lime", "out.mp4 --vf chromakey=lime,format=yuv420p",
          "out.mp4 --vf despill", "out.avi --codec mpeg4 --vf colorbalance=rs=.1", "out.mp4 --vf format=yuv422p",
          "out.mkv --codec x265 --vf format=yuv420p10"}) {
        EXPECT_EQ(told(how), "") << how;
    }
}

// RGB becomes YUV of BT.601 there, whatever the pictures were before, and what has another size is taken for another
// matrix where it says none.
TEST_F(FormatLosses, NoGraphHasColoursSeenOtherwise) {
    make_green();
    for (const std::string how :
         {"tagged.mkv --vf lutrgb", "tagged.mkv --vf lutrgb,scale=320:-2", "tagged.mkv --vf lutrgb --vf scale=320:-2",
          "in_%d.png --vf scale=1280:-2", "in_%d.png --vf scale=320:-2",
          "in_%d.png --vf scale=1280:-2:out_color_matrix=bt709", "in_%d.png --vf scale=1280:-2 --gaussian 3",
          "hd.mkv --vf lutrgb", "hd.mkv --vf lutrgb,scale=320:-2", "hd.mkv --vf scale=320:-2",
          "hd.mkv --vf format=gbrp --gaussian 3 --vf format=yuv444p", "hd.mkv --vf scale=320:-2 --gaussian 3",
          "sd.mkv --vf scale=1280:720", "sd.mkv --vf scale=1280:720,lutrgb", "sd.mkv --vf scale=1280:720 --vf hflip",
          "sd.mkv --vf scale=1280:720:out_color_matrix=bt709", "sd.mkv --vf transpose",
          "sd.mkv --vf scale=1280:720 --fill '#00C000:region=0,0,640,720'"}) {
        const Result result = vfilter(fmt::format("{} out.mp4 -y --codec x264 --crf 1", how));
        ASSERT_EQ(result.code, 0) << result;
        expect_green("out.mp4", how);
    }
    const Result tagged = vfilter("tagged.mkv out.mp4 -y --vf lutrgb");
    EXPECT_EQ(says(tagged, "the matrix of the pictures, bt709, becomes smpte170m"),
              probe("out.mp4").video().facts.value("color_space", "") != "bt709")
        << tagged;
    const Result larger = vfilter("sd.mkv out.mp4 -y --vf scale=1280:720");
    EXPECT_TRUE(says(larger, "do not say their matrix, and get the tag smpte170m")) << larger;
    for (const std::string how : {"hd.mkv --vf lutrgb", "sd.mkv --vf scale=640:-2", "in_%d.png --vf scale=1280:-2",
                                  "sd.mkv --vf scale=1280:720:out_color_matrix=bt709"}) {
        const Result result = vfilter(how + " out.mp4 -y");
        EXPECT_FALSE(says(result, "matrix")) << result;
    }
}

TEST_F(FormatLosses, AMatrixThatAGraphMakesAndNobodySaysIsTold) {
    make_green();
    const std::string told = "are those of smpte170m, which";
    for (const std::string in : {"in_%d.png", "sd.mkv"}) {
        for (const std::string out : {"out.y4m", "out.avi --codec mpeg4"}) {
            const Result large = vfilter(fmt::format("{} -y --vf scale=1280:720 {}", in, out));
            EXPECT_TRUE(says(large, told)) << large;
            EXPECT_FALSE(says(large, "what the pictures say")) << large;
            const Result small = vfilter(fmt::format("{} -y --vf scale=320:240 {}", in, out));
            EXPECT_FALSE(says(small, "smpte170m")) << small;
        }
        const Result kept =
            vfilter(fmt::format("{} -y --vf scale=1280:720 out.mkv --codec ffv1 --pix-fmt yuv420p", in));
        EXPECT_EQ(kept.code, 0) << kept;
        EXPECT_FALSE(says(kept, told)) << kept;
        expect_green("out.mkv", in);
    }
}

TEST_F(FormatLosses, AMatrixThatAGraphGuessesIsTold) {
    make_green();
    const std::string guess = "do not state their colour matrix and are converted as BT.601";
    for (const std::string out : {"out.png --frames 1 --vf scale=320:-2", "out.gif --vf scale=320:-2",
                                  "out.mkv --codec ffv1 --vf format=gbrp", "out.mp4 --vf format=gbrp --gaussian 3"}) {
        EXPECT_TRUE(says(vfilter("hd.mkv -y " + out), guess)) << out;
        EXPECT_FALSE(says(vfilter("tagged.mkv -y " + out), guess)) << out;
        EXPECT_FALSE(says(vfilter("sd.mkv -y " + out), guess)) << out;
    }
    for (const std::string graph : {"setparams=colorspace=bt709,scale=320:-2", "scale=320:-2:in_color_matrix=bt709"}) {
        EXPECT_FALSE(says(vfilter("hd.mkv out.png -y --frames 1 --vf " + graph), guess)) << graph;
        expect_green("out.png", graph);
    }
    EXPECT_FALSE(says(vfilter("hd.mkv out.png -y --frames 1 --vf scale=320:-2 --gaussian 3"), guess));
    expect_green("out.png", "a tag of the graph's");
    const Result jpeg = vfilter("hd.mkv out.jpg -y --frames 1 --vf scale=320:-2");
    EXPECT_TRUE(says(jpeg, "the colours are those of bt709, which readers of JPEG take for BT.601")) << jpeg;
    EXPECT_FALSE(says(jpeg, "get the tag")) << jpeg;
}

TEST_F(FormatLosses, OfTheMatrixInMotionJpegAreTold) {
    make_green();
    // As libavfilter does since FFmpeg 7.
    ASSERT_EQ(vfilter("tagged.mkv graph.mkv --vf lutrgb --codec x264").code, 0);
    const bool keeps = probe("graph.mkv").video().facts.value("color_space", "") == "bt709";
    for (const std::string out : {"out.avi", "out.mkv", "out.mov", "out.nut", "out.mjpeg"}) {
        const std::string told = "the colours are those of bt709, which readers of JPEG take for BT.601";
        EXPECT_TRUE(says(vfilter("tagged.mkv -y --identity --codec mjpeg " + out), told)) << out;
        EXPECT_FALSE(says(vfilter("sd.mkv -y --identity --codec mjpeg " + out), told)) << out;
        EXPECT_EQ(says(vfilter("tagged.mkv -y --vf lutrgb --codec mjpeg " + out), told), keeps) << out;
    }
}

}  // namespace

}  // namespace vfilter::test
