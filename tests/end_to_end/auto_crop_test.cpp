// --crop auto: black bars are found, and cut away as --vf crop= does it.

#include <fmt/format.h>

#include "tests/support/end_to_end.h"

namespace vfilter::test {

namespace {

// Nothing of these pictures is as dark as a bar.
constexpr const char* lit = "lutyuv=y='max(val,80)'";

class AutoCrop : public EndToEnd {
protected:
    /// A clip of 160x120 whose pictures have the size and place of a box, x:y:w:h as pad takes it.
    void make(const std::string& name, const std::string& size, const std::string& place, const std::string& how,
              double seconds = 2) const {
        ffmpeg(fmt::format("-f lavfi -i testsrc2=s={}:r=25:d={} -vf \"{},pad=160:120:{}:black\" {} {}", size, seconds,
                           lit, place, how, name));
    }
    /// Runs with --crop auto and with the numbers that it should find, "" where nothing is cut: the same comes of both.
    nlohmann::json expect(const std::string& in, const std::string& crop, const std::string& more = "") const {
        nlohmann::json report = filter(fmt::format("{} out.mkv --codec ffv1 --crop auto {}", in, more));
        filter(fmt::format("{} wanted.mkv --codec ffv1 {} {}", in, crop.empty() ? "" : "--vf crop=" + crop, more));
        EXPECT_EQ(found(report), crop) << in << report.dump(1);
        const std::vector<std::string> wanted = picture_hashes("wanted.mkv");
        EXPECT_FALSE(wanted.empty());
        EXPECT_EQ(picture_hashes("out.mkv"), wanted) << in;
        const Stream seen = probe("out.mkv").video();
        const Stream by_numbers = probe("wanted.mkv").video();
        for (const char* const fact : {"width", "height", "pix_fmt", "field_order", "color_range"}) {
            EXPECT_EQ(seen.facts.value(fact, nlohmann::json()), by_numbers.facts.value(fact, nlohmann::json())) << fact;
        }
        return report;
    }
    /// "w:h:x:y" of a report, "" where it is the whole picture.
    static std::string found(const nlohmann::json& report) {
        const nlohmann::json& crop = report.at("crop");
        const auto& filters = report.at("filters");
        const bool cut = !filters.empty() && filters[0].at("arguments").get<std::string>().starts_with("crop=");
        const std::string text = fmt::format("{}:{}:{}:{}", crop.at("width").get<int>(), crop.at("height").get<int>(),
                                             crop.at("x").get<int>(), crop.at("y").get<int>());
        EXPECT_EQ(cut ? filters[0].at("arguments") : nlohmann::json("crop=" + text), "crop=" + text);
        return cut ? text : "";
    }
};

TEST_F(AutoCrop, CutsBarsAway) {
    struct Case {
        const char* size;
        const char* place;
        const char* crop;
    };
    constexpr Case cases[] = {
        {"160x88", "0:16", "160:88:0:16"},
        {"120x120", "20:0", "120:120:20:0"},
        {"100x80", "40:10", "100:80:40:10"},
        {"160x100", "0:20", "160:100:0:20"},  // at the top alone
        {"140x120", "0:0", "140:120:0:0"},    // on the right alone
        {"160x120", "0:0", ""},
        {"150x108", "5:5", "148:106:6:6"},  // nothing of a bar is left where it ends within a pair
        {"158x118", "1:1", ""},             // too thin
    };
    for (const Case& one : cases) {
        // Of 4:2:0 pad would round places.
        ffmpeg(
            fmt::format("-f lavfi -i testsrc2=s={}:r=25:d=1 -vf \"{},format=yuv444p,pad=160:120:{}:black\" -c:v ffv1 "
                        "in.mkv",
                        one.size, lit, one.place));
        expect("in.mkv", one.crop);
    }
}

TEST_F(AutoCrop, TellsWhatItFound) {
    make("in.mkv", "160x88", "0:16", "-pix_fmt yuv420p -c:v ffv1 -g 1");
    const nlohmann::json report = expect("in.mkv", "160:88:0:16");
    EXPECT_NE(report.at("stderr").dump().find("crop auto: 160x88 from 0,16 in 12 pictures; as --vf crop=160:88:0:16"),
              std::string::npos)
        << report.at("stderr");
    EXPECT_EQ(report.at("crop").at("pictures"), 12);
    EXPECT_EQ(filter("in.mkv out.mkv --gaussian 5").at("crop"), nlohmann::json());
}

TEST_F(AutoCrop, OfAllKindsOfPictures) {
    for (const char* const format : {"yuv420p10", "yuv444p16", "yuv422p", "gbrp", "gray", "gray10", "bgra", "yuva420p",
                                     "rgb48", "yuv410p", "nv12", "yuv420p -color_range pc"}) {
        SCOPED_TRACE(format);
        make("in.nut", "136x88", "12:16",
             fmt::format("-pix_fmt {} -c:v {} -y", format, std::string(format) == "nv12" ? "rawvideo" : "ffv1"), 0.6);
        expect("in.nut", "136:88:12:16");
    }
    // Palettes, and packed samples.
    make("in.gif", "136x88", "12:16", "-y", 0.6);
    expect("in.gif", "136:88:12:16", "--pix-fmt bgra");
    make("in.mov", "136x88", "12:16", "-pix_fmt uyvy422 -c:v rawvideo -y", 0.6);
    expect("in.mov", "136:88:12:16");
}

// Of 4:2:0 a row of chroma is of two rows of one field.
TEST_F(AutoCrop, KeepsFieldsWhereTheyAre) {
    for (const auto& [format, crop] : {std::pair("yuv420p", "160:80:0:20"), {"yuv422p", "160:84:0:18"}}) {
        ffmpeg(fmt::format(
            "-f lavfi -i testsrc2=s=160x84:r=25:d=1 -vf \"{},pad=160:120:0:18:black,format={},setfield=tff\" "
            "-c:v ffv1 -y in.mkv",
            lit, format));
        expect("in.mkv", crop);
    }
}

TEST_F(AutoCrop, LooksAllAlong) {
    // Black in front and behind, with hardly a key frame.
    ffmpeg(
        fmt::format("-f lavfi -i color=black:s=160x120:r=25:d=2 -f lavfi -i testsrc2=s=160x88:r=25:d=2 -filter_complex "
                    "\"[0]split[a][c];[1]{},pad=160:120:0:16:black[b];[a][b][c]concat=n=3:v=1\" -pix_fmt yuv420p -c:v "
                    "libx264 -qp 0 -g 1000 in.mkv",
                    lit));
    const nlohmann::json report = expect("in.mkv", "160:88:0:16");
    EXPECT_EQ(report.at("crop").at("pictures"), 5) << report.at("crop");
    EXPECT_EQ(report.at("stderr").dump().find("too few key frames"), std::string::npos);
    // With many of them.
    ffmpeg("-i in.mkv -c:v libx264 -qp 0 -g 12 -bf 2 keys.mp4");
    EXPECT_EQ(expect("keys.mp4", "160:88:0:16").at("crop").at("pictures"), 5);
    for (const char* const how : {"-c:v mpeg2video -q:v 2 keys.ts", "-c:v mpeg4 -q:v 2 -bf 2 keys.avi",
                                  "-c:v libx265 -x265-params log-level=error:crf=10:open-gop=1:keyint=20 keys.mov",
                                  "-c:v libvpx-vp9 -lossless 1 keys.webm", "-c:v mjpeg -q:v 2 keys.mjpeg.mkv"}) {
        ffmpeg(fmt::format("-i in.mkv -pix_fmt yuv420p {}", how));
        const std::string line = how;
        expect(line.substr(line.rfind(' ') + 1), "160:88:0:16");
    }
    // Black alone.
    ffmpeg("-f lavfi -i color=black:s=160x120:r=25:d=2 -pix_fmt yuv420p -c:v ffv1 -g 1 black.mkv");
    const nlohmann::json black = expect("black.mkv", "");
    EXPECT_EQ(black.at("crop").at("pictures"), 0);
    EXPECT_NE(black.at("warnings").dump().find("nothing is cut, as 12 pictures are black all over"), std::string::npos)
        << black.at("warnings");
}

// A subtitle or a logo, or no more of it than the tips of letters, is not cut through.
TEST_F(AutoCrop, KeepsWholeWhatStandsInABar) {
    for (const auto& [box, crop] :
         {std::pair("x=70:y=4:w=20:h=6", "160:100:0:4"), {"x=70:y=112:w=4:h=4", "160:100:0:16"}}) {
        ffmpeg(
            fmt::format("-f lavfi -i testsrc2=s=160x88:r=25:d=3 -vf \"{},pad=160:120:0:16:black,"
                        "drawbox={}:color=white:t=fill:enable='between(t,1.05,1.25)'\" -pix_fmt yuv420p -c:v ffv1 -g 1 "
                        "-y in.mkv",
                        lit, box));
        expect("in.mkv", crop);
    }
}

TEST_F(AutoCrop, LooksAtTheWantedPart) {
    for (const char* const keys : {"12", "1000"}) {
        ffmpeg(
            fmt::format("-f lavfi -i testsrc2=s=160x120:r=25:d=2 -f lavfi -i testsrc2=s=160x88:r=25:d=2 -f lavfi -i "
                        "testsrc2=s=120x120:r=25:d=2 -filter_complex "
                        "\"[0]{0}[a];[1]{0},pad=160:120:0:16:black[b];[2]{0},pad=160:120:20:0:black[c];"
                        "[a][b][c]concat=n=3:v=1\" -pix_fmt yuv420p -c:v libx264 -qp 0 -g {1} -y in.mp4",
                        lit, keys));
        expect("in.mp4", "");
        expect("in.mp4", "160:88:0:16", "--start 2 --end 4");
        expect("in.mp4", "160:88:0:16", "--start 50f --frames 10");
        expect("in.mp4", "120:120:20:0", "--start 4");
        expect("in.mp4", "", "--start 3");
        expect("in.mp4", "", "--end 1");
    }
}

TEST_F(AutoCrop, OfPicturesThatAreTurned) {
    make("flat.mp4", "136x100", "12:16", "-pix_fmt yuv420p -c:v libx264 -qp 0", 1);
    ASSERT_EQ(run("ffmpeg -v quiet -y -display_rotation 90 -i flat.mp4 -c copy in.mp4 || "
                  "ffmpeg -v error -y -i flat.mp4 -c copy -metadata:s:v rotate=90 in.mp4")
                  .code,
              0);
    const nlohmann::json crop = filter("in.mp4 out.mkv --codec ffv1 --crop auto").at("crop");
    const bool clockwise = crop.at("x") == 4;  // one FFmpeg's 90 is another one's -90
    expect("in.mp4", clockwise ? "100:136:4:12" : "100:136:16:12");
    EXPECT_EQ(probe("out.mkv").video().facts.at("width"), 100);
}

TEST_F(AutoCrop, StandsBeforeAllSteps) {
    make("in.mkv", "160x88", "0:16", "-pix_fmt yuv420p -c:v ffv1", 1);
    filter("in.mkv out.mkv --codec ffv1 --gaussian 9:region=0,0,40,40 --vf hflip --crop auto --sharpen 1");
    filter("in.mkv wanted.mkv --codec ffv1 --vf crop=160:88:0:16 --gaussian 9:region=0,0,40,40 --vf hflip --sharpen 1");
    EXPECT_EQ(picture_hashes("out.mkv"), picture_hashes("wanted.mkv"));
    const Result noise = vfilter("in.mkv out.mkv -y --crop auto --nlmeans auto");
    EXPECT_EQ(noise.code, 2) << noise;
    EXPECT_NE(noise.err.find("not what --crop auto leaves of it; give sigma=S"), std::string::npos) << noise;
}

TEST_F(AutoCrop, IsTheSameWithAnyNumberOfThreads) {
    make("in.mkv", "100x80", "40:10", "-pix_fmt yuv420p -c:v libx264 -qp 0 -g 1000");
    for (const char* const threads : {"1", "2", "7"}) {
        expect("in.mkv", "100:80:40:10", fmt::format("--threads {}", threads));
    }
}

TEST_F(AutoCrop, OfUnevenTimesPicturesAndSeries) {
    make("even.mkv", "160x88", "0:16", "-pix_fmt yuv420p -c:v libx264 -qp 0 -g 10", 4);
    ffmpeg("-i even.mkv -vf select='not(mod(n\\,7))+lt(n\\,30)' -fps_mode vfr -c:v libx264 -qp 0 -g 10 uneven.mkv");
    expect("uneven.mkv", "160:88:0:16");
    // Pictures that end long before the sound.
    ffmpeg("-i even.mkv -f lavfi -i sine=d=60 -c:v libx264 -qp 0 -g 1000 -c:a flac sound.mkv");
    EXPECT_GE(expect("sound.mkv", "160:88:0:16", "--audio none").at("crop").at("pictures"), 4);
    const Result none = vfilter("sound.mkv none.mkv --crop auto --start 30");
    EXPECT_NE(none.err.find("holds no picture"), std::string::npos) << none;
    ffmpeg("-i even.mkv -frames:v 1 one.png");
    EXPECT_EQ(expect("one.png", "160:88:0:16").at("crop").at("pictures"), 1);
    filter("one.png cut.png --crop auto");
    EXPECT_EQ(probe("cut.png").video().facts.at("height"), 88);
    ffmpeg("-i even.mkv -frames:v 30 series_%02d.png");
    expect("series_%02d.png", "160:88:0:16");
    expect("'series_*.png'", "160:88:0:16", "--start 10f");
}

TEST_F(AutoCrop, OfRunsThatLookTwice) {
    make("in.mp4", "160x88", "0:16", "-pix_fmt yuv420p -c:v libx264 -qp 0", 1);
    const nlohmann::json passes = filter("in.mp4 out.mp4 --crop auto --two-pass --bitrate 500k");
    EXPECT_EQ(found(passes), "160:88:0:16");
    EXPECT_EQ(probe("out.mp4").video().facts.at("height"), 88);
    filter("in.mp4 out.gif --crop auto");
    filter("in.mp4 wanted.gif --vf crop=160:88:0:16");
    EXPECT_EQ(content("out.gif"), content("wanted.gif"));
}

TEST_F(AutoCrop, StandsInAFileAndIsForEachOfMany) {
    make("a.mkv", "160x88", "0:16", "-pix_fmt yuv420p -c:v ffv1", 1);
    make("b.mkv", "120x120", "20:0", "-pix_fmt yuv420p -c:v ffv1", 1);
    write("c.toml", "crop = \"auto\"\ncodec = \"ffv1\"\n");
    filter("a.mkv out.mkv --config c.toml");
    EXPECT_EQ(probe("out.mkv").video().facts.at("height"), 88);
    const Result printed = vfilter("a.mkv out.mkv --config c.toml --print-config");
    EXPECT_NE(printed.out.find("crop = \"auto\"\n"), std::string::npos) << printed;
    const Result many = vfilter("a.mkv b.mkv --output-dir done --crop auto --codec ffv1 --jobs 2");
    EXPECT_EQ(many.code, 0) << many;
    EXPECT_EQ(probe("done/a.mkv").video().facts.at("height"), 88);
    EXPECT_EQ(probe("done/b.mkv").video().facts.at("width"), 120);
}

TEST_F(AutoCrop, IsRefusedWhereNobodyCanLookAhead) {
    make("in.mkv", "160x88", "0:16", "-pix_fmt yuv420p -c:v ffv1", 1);
    ffmpeg("-i in.mkv -i in.mkv -map 0 -map 1 -c copy two.mkv");
    ffmpeg("-i in.mkv -c:v libx264 -qp 0 bare.h264");
    for (const char* const line :
         {"- out.mkv < in.mkv", "in.mkv out.mkv --live", "lavfi:testsrc2=d=1 out.mkv", "in.mkv out.mkv --append in.mkv",
          "two.mkv out.mkv --video-stream all", "/dev/video97 out.mkv"}) {
        const Result result = vfilter(fmt::format("{} --crop auto", line));
        EXPECT_EQ(result.code, 2) << line << result;
        EXPECT_NE(result.err.find("--crop auto"), std::string::npos) << line << result;
        EXPECT_NE(result.err.find("--vf crop=W:H:X:Y"), std::string::npos) << line << result;
        EXPECT_FALSE(exists("out.mkv"));
    }
    const Result pipe = run(std::string("mkfifo p.mkv; (cat in.mkv > p.mkv &); ") + kept +
                            "p.mkv out.mkv --crop auto; "
                            "code=$?; cat p.mkv > /dev/null; exit $code");
    EXPECT_EQ(pipe.code, 2) << pipe;
    const Result missing = vfilter("nothing.mkv out.mkv --crop auto");
    EXPECT_EQ(missing.code, 3) << missing;
    EXPECT_EQ(found(filter("two.mkv out.mkv --codec ffv1 --crop auto --video-stream 1")), "160:88:0:16");
    // What does not say how long it is, and is longer than what can be looked at.
    expect("bare.h264", "160:88:0:16");
    ASSERT_EQ(run("for i in {1..81}; do cat bare.h264; done > long.h264").code, 0);
    const Result bare = vfilter("long.h264 out.mkv -y --crop auto");
    EXPECT_EQ(bare.code, 2) << bare;
    EXPECT_NE(bare.err.find("does not say how long it is, and goes on behind the first 2000"), std::string::npos)
        << bare;
}

TEST_F(AutoCrop, RefusesNumbersOfOtherPrograms) {
    for (const char* const value : {"140:140:0:0", "0,140,0,140", "1920:800:0:140", "none", "w=2:h=2"}) {
        const Result result = vfilter(fmt::format("in.mkv out.mkv --crop {}", value));
        EXPECT_EQ(result.code, 2) << result;
        EXPECT_NE(result.err.find("--vf crop=W:H:X:Y"), std::string::npos) << result;
        EXPECT_NE(result.err.find(value), std::string::npos) << result;
    }
}

}  // namespace

}  // namespace vfilter::test
