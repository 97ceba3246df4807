// What pictures say of themselves, and say otherwise later: it is in the output, or told.

#include <string>

#include "tests/support/end_to_end.h"

namespace vfilter::test {

namespace {

class PictureChanges : public EndToEnd {
protected:
    // Two seconds, each encoded in its way, and joined byte by byte.
    void join(const std::string& first, const std::string& second) const {
        const std::string pictures = "-f lavfi -i testsrc2=s=128x96:r=25:d=1 ";
        ffmpeg(pictures + first + " -f mpegts a.ts");
        ffmpeg(pictures + second + " -f mpegts b.ts");
        write("list.txt", "file a.ts\nfile b.ts\n");
        ffmpeg("-f concat -i list.txt -c copy in.ts");
    }
    [[nodiscard]] std::string told(const std::string& arguments) const {
        const Result result = vfilter(arguments + " -y --box 3");
        EXPECT_EQ(result.code, 0) << result;
        return result.err;
    }
};

TEST_F(PictureChanges, OfShapeAndColoursAreToldOnce) {
    const auto x264 = [](const std::string& shape, const std::string& colours) {
        return "-vf setsar=" + shape + " -c:v libx264 -bf 0 -x264-params colorprim=" + colours +
               ":colormatrix=" + colours;
    };
    join(x264("1/1", "bt470bg"), x264("4/3", "bt709"));
    const std::string line = told("in.ts out.mkv");
    EXPECT_NE(line.find("pixel aspect 4:3 (first 1:1), colour primaries bt709 (first bt470bg), colour matrix bt709 "
                        "(first bt470bg); the output keeps the labels it began with"),
              std::string::npos)
        << line;
    EXPECT_EQ(line.find("are labelled differently", line.find("are labelled differently") + 1), std::string::npos)
        << line;
    join(x264("1/1", "bt709"), x264("1/1", "bt709"));
    EXPECT_EQ(told("in.ts out.mkv").find("are labelled differently"), std::string::npos);
}

TEST_F(PictureChanges, OfTheScanAreTold) {
    const std::string mpeg2 = "-c:v mpeg2video -b:v 2M -bf 0 ";
    const std::string fields = mpeg2 + "-vf interlace=scan=tff -flags +ildct+ilme -top 1";
    join(mpeg2, fields);
    EXPECT_NE(told("in.ts out.mkv").find("scan interlaced with the top field first (first progressive)"),
              std::string::npos);
    join(fields, mpeg2);
    EXPECT_EQ(told("in.ts out.mkv").find("are labelled differently"), std::string::npos)
        << "a progressive picture is none the worse for being coded as two fields";
}

// FFmpeg's decoder begins anew there, without the picture that it holds back and those that lean on it.
TEST_F(PictureChanges, OfShapeLoseNoPictureOfMpeg2) {
    const std::string pictures = "-f lavfi -i testsrc2=s=720x576:r=25:d=1 -c:v mpeg2video -b:v 3M -g 8 -bf 2 ";
    ffmpeg(pictures + "-aspect 4:3 plain.m2v");
    ffmpeg("-i plain.m2v -f rawvideo plain.yuv");
    const std::string header("\0\0\1\xB3", 4);
    constexpr std::size_t at_aspect = 7;
    std::string stream = content("plain.m2v");
    std::size_t third = 0;
    for (int headers = 0; headers < 3; ++headers) {
        third = stream.find(header, third + 1);
    }
    for (std::size_t at = third; at != std::string::npos; at = stream.find(header, at + 1)) {
        stream[at + at_aspect] = static_cast<char>((stream[at + at_aspect] & 0x0F) | 0x30);  // 16:9
    }
    write("wide.m2v", stream);
    ASSERT_EQ(vfilter("wide.m2v wide.yuv -y --vf null").code, 0);
    EXPECT_TRUE(content("wide.yuv") == content("plain.yuv"));
    EXPECT_NE(told("wide.m2v out.mkv").find("pixel aspect 64:45 (first 16:15)"), std::string::npos);

    ffmpeg("-f lavfi -i testsrc2=s=704x576:r=25:d=1 -c:v mpeg2video -b:v 3M -g 8 -bf 2 -aspect 4:3 narrow.m2v");
    write("sizes.m2v", content("plain.m2v") + content("narrow.m2v"));
    const Result sizes = vfilter("sizes.m2v out.mkv -y --box 3");
    EXPECT_EQ(sizes.code, 0) << sizes;
    EXPECT_NE(sizes.err.find("50 frames in, 50 out"), std::string::npos) << sizes;
}

TEST_F(PictureChanges, ThatBringHdrAreTold) {
    const std::string x265 = "-pix_fmt yuv420p10le -c:v libx265 -x265-params log-level=error:bframes=0";
    join(x265, x265 + ":max-cll=1000,400");
    EXPECT_NE(told("in.ts out.mkv --codec x265 --preset ultrafast").find("light level 1000 and 400 cd/m2 (first none)"),
              std::string::npos);
}

// What tone mapping is asked for takes HDR's data with it.
TEST_F(PictureChanges, OfToneMappingAreNoNews) {
    ffmpeg(
        "-f lavfi -i testsrc2=s=64x64:r=25:d=0.4 -pix_fmt yuv420p10le -c:v libx265 -x265-params "
        "log-level=error:colorprim=bt2020:transfer=smpte2084:colormatrix=bt2020nc:max-cll=1000,400:"
        "\"master-display=G(13250,34500)B(7500,3000)R(34000,16000)WP(15635,16450)L(10000000,1)\" in.mkv");
    const std::string line =
        told("in.mkv out.mkv --vf zscale=t=linear:npl=100,tonemap=hable,zscale=t=bt709:m=bt709:r=tv,format=yuv420p");
    EXPECT_EQ(line.find("are labelled differently"), std::string::npos) << line;
    EXPECT_EQ(line.find("HDR"), std::string::npos) << line;
    EXPECT_TRUE(probe("out.mkv").video().side_data("Mastering display metadata").is_null());
    EXPECT_EQ(told("in.mkv out.mkv --codec x265 --preset ultrafast").find("are labelled differently"),
              std::string::npos);
    EXPECT_TRUE(probe("out.mkv").video().side_data("Mastering display metadata").is_object());
}

// User data of ITU-T T.35 (ETSI TS 101 154, B.3) before each picture: the active format.
TEST_F(PictureChanges, AnActiveFormatIsToldToBeLost) {
    ffmpeg("-f lavfi -i testsrc2=s=64x48:r=25:d=1 -c:v libx264 -x264-params slices=1:bframes=0:aud=0 plain.h264");
    const std::string data = "\xB5" + std::string("\0", 1) + "\x31" + "DTG1\x41\xFA";
    const std::string message =
        std::string("\0\0\0\1\6\4", 6) + static_cast<char>(data.size()) + data + static_cast<char>(0x80);
    const std::string plain = content("plain.h264");
    const std::string slice("\0\0\1\x65", 4);
    write("in.h264", plain.substr(0, plain.find(slice)) + message + plain.substr(plain.find(slice)));
    EXPECT_NE(told("in.h264 out.mkv").find("the active format description (AFD) is lost"), std::string::npos);
}

// The display size of MPEG-2, less than that of the pictures (ITU-T H.262, 6.2.2.4).
TEST_F(PictureChanges, APartForNarrowScreensIsToldToBeLost) {
    ffmpeg("-f lavfi -i testsrc2=s=64x48:r=25:d=0.4 -c:v mpeg2video -seq_disp_ext always whole.m2v");
    std::string bytes = content("whole.m2v");
    const std::size_t extension = bytes.find(std::string("\0\0\1\xB5\x2B", 5));
    ASSERT_NE(extension, std::string::npos);
    bytes[extension + 8] = 0;
    bytes[extension + 9] = static_cast<char>(32 << 2 | (bytes[extension + 9] & 3));
    write("in.m2v", bytes);
    const std::string lost = "which part of the pictures narrower screens show (pan-scan) is lost";
    EXPECT_NE(told("in.m2v out.mkv").find(lost), std::string::npos);
    EXPECT_EQ(told("whole.m2v out.mkv").find(lost), std::string::npos);
    EXPECT_EQ(told("in.m2v out.mkv --codec mpeg2video").find("pan-scan"), std::string::npos);
    EXPECT_NE(told("in.m2v out.mkv --codec mpeg2video --vf scale=32:24").find(lost + ": --vf scale=32:24"),
              std::string::npos);
    EXPECT_EQ(told("in.m2v out.mkv --codec mpeg2video --vf eq=contrast=1.1").find("pan-scan"), std::string::npos);
}

TEST_F(PictureChanges, TwoViewsAreToldToBeLost) {
    ffmpeg("-f lavfi -i testsrc2=s=64x48:r=25:d=1 -c:v libx264 -x264-params frame-packing=3 in.ts");
    EXPECT_EQ(told("in.ts out.ts").find("two views"), std::string::npos);
    EXPECT_NE(told("in.ts out.mkv --codec ffv1").find("how two views lie in the pictures (3D) is lost"),
              std::string::npos);
}

TEST_F(PictureChanges, ATimeCodeGoesOnOrIsToldToBeLost) {
    const auto first_code = [&](const std::string& name) {
        return run("ffprobe -v error -show_frames " + name + " | grep -m1 ^timecode=").out;
    };
    ffmpeg("-f lavfi -i testsrc2=s=64x48:r=25:d=1 -c:v mpeg2video -gop_timecode 10:00:00:00 in.ts");
    EXPECT_EQ(told("in.ts out.ts --codec mpeg2video").find("time code"), std::string::npos);
    EXPECT_EQ(first_code("out.ts"), "timecode=10:00:00:00\n");
    EXPECT_NE(told("in.ts out.mkv").find("the time code of the pictures, 10:00:00:00 of the first, is lost"),
              std::string::npos);
    ffmpeg("-f lavfi -i testsrc2=s=64x48:r=25:d=3 -c:v mpeg2video zero.ts");
    EXPECT_EQ(told("zero.ts out.mkv --start 1.5").find("time code"), std::string::npos) << "it counts from 0";
}

// Those of HEVC in UHD television lie at the top left.
TEST_F(PictureChanges, APlaceOfChromaThatIsLostIsTold) {
    ffmpeg(
        "-f lavfi -i testsrc2=s=64x48:r=25:d=1 -pix_fmt yuv420p -c:v libx265 -x265-params "
        "log-level=error:chromaloc=2 in.mkv");
    EXPECT_NE(told("in.mkv out.mkv --codec mpeg4").find("where the samples of the chroma lie (topleft) is lost"),
              std::string::npos);
    EXPECT_EQ(told("in.mkv out.mkv").find("chroma lie"), std::string::npos);
}

// Blocks of sound go on while pictures are missing: no clock was set.
TEST_F(PictureChanges, ALongHoleOfTheVideoAloneIsDamage) {
    ffmpeg(
        "-f lavfi -i testsrc2=s=64x48:r=25:d=16 -f lavfi -i sine=d=16 -c:v libx264 -preset ultrafast -g 12 -bf 0 -c:a "
        "mp2 whole.mkv");
    for (const std::string ending : {"mkv", "ts"}) {
        ffmpeg("-i whole.mkv -map 0 -c copy -bsf:v \"noise=drop=gte(n\\,72)*lt(n\\,348)\" in." + ending);
        const Result holed = vfilter("in." + ending + " out.mkv -y --box 3");
        EXPECT_EQ(holed.code, 5) << holed;
        EXPECT_NE(holed.err.find("276 pictures missing"), std::string::npos) << holed;
    }
}

// Readers that know of no duration of the last picture, rates that no clock of milliseconds can hold, times that do
// not begin at 0: whole files.
TEST_F(PictureChanges, WholeFilesOfOddTimesAreWhole) {
    const auto is_whole = [&](const std::string& name, const std::string& more = "") {
        const Result result = vfilter(name + " out.mkv -y --codec ffv1 --identity " + more);
        EXPECT_EQ(result.code, 0) << result;
    };
    ffmpeg("-f lavfi -i testsrc2=s=64x48:r=480:d=1 -c:v ffv1 rate.mkv");
    is_whole("rate.mkv");
    ffmpeg("-f lavfi -i testsrc2=s=64x48:r=25:d=1 -c:v mpeg4 -output_ts_offset 10 late.nut");
    is_whole("late.nut");
    ffmpeg("-f lavfi -i testsrc2=s=64x48:r=10:d=0.4 -final_delay 300 slides.gif");
    for (const std::string ending : {"mkv", "avi", "mp4"}) {
        filter("slides.gif slides." + ending + " --identity");
        is_whole("slides." + ending);
    }
    is_whole("slides.mp4", "--start 0.2");
}

// Nor is a picture of two fields that the decoder kept to itself.
TEST_F(PictureChanges, LostPicturesOfTwoFieldsAreCounted) {
    const std::string coded = "-c:v mpeg2video -b:v 3M -g 8 -bf 2 -flags +ildct+ilme -top 1 -aspect 4:3 ";
    const std::string fields = ":r=50:d=1 -vf interlace=scan=tff ";
    ffmpeg("-f lavfi -i testsrc2=s=720x576" + fields + coded + "wide.m2v");
    ffmpeg("-f lavfi -i testsrc2=s=704x576" + fields + coded + "narrow.m2v");
    const std::string narrow = content("narrow.m2v");
    const std::size_t open_group = narrow.find(std::string("\0\0\1\xB3", 4), 1);
    write("in.m2v", content("wide.m2v") + narrow.substr(open_group));
    const Result result = vfilter("in.m2v out.mkv -y --box 3");
    EXPECT_EQ(result.code, 5) << result;
    EXPECT_NE(result.err.find("2 pictures missing"), std::string::npos) << result;
}

}  // namespace

}  // namespace vfilter::test
