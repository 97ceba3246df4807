// Fault 43: ranges, depths, sizes and HDR data. Values and tags agree, and nothing changes unsaid.

#include <regex>

#include "tests/support/faults.h"

namespace vfilter::test {

namespace {

class Ranges : public Faults {
protected:
    // Luma from 0 to 255 and chroma from 0 to 255, said to be of the full range.
    void make_full(const std::string& name = "full.mkv") const {
        ffmpeg(
            "-f lavfi -i color=s=320x64:r=25:d=0.4 -vf "
            "\"format=yuvj422p,geq=lum='X*255/319':cb='Y*255/63':cr='255-Y*255/63'\" -c:v ffv1 -pix_fmt yuvj422p "
            "-color_range pc " +
            name);
    }
    struct Extent {
        std::string range;  // ffprobe's: "pc", "tv", or unknown
        double lowest = 0;  // luma, in steps of 8 bits
        double highest = 0;
    };
    [[nodiscard]] Extent extent_of(const std::string& name) const {
        Extent extent;
        const Stream video = probe(name).video();
        extent.range = video.facts.value("color_range", "");
        // The decoder's samples as they are, without a conversion of their range.
        const std::string raw = ffmpeg_output(fmt::format(
            "-i {0} -map 0:V:0 -frames:v 1 -vf extractplanes=y -f rawvideo -pix_fmt {1} -", name,
            video.facts.at("pix_fmt").get<std::string>().find("10") != std::string::npos ? "gray10le" : "gray"));
        const bool deep = raw.size() > std::size_t{320} * 64;
        extent.lowest = 1e9;
        for (std::size_t i = 0; i + 1 < raw.size(); i += deep ? 2 : 1) {
            const auto low = static_cast<unsigned char>(raw[i]);
            const auto high = static_cast<unsigned char>(raw[i + 1]);
            const double value = deep ? (low + 256.0 * high) / 4 : low;
            extent.lowest = std::min(extent.lowest, value);
            extent.highest = std::max(extent.highest, value);
        }
        return extent;
    }
    // What the first picture of a file carries along, and the stream.
    [[nodiscard]] std::string side_data(const std::string& name) const {
        return run(fmt::format(
                       "ffprobe -v error -select_streams V -show_frames -show_streams -read_intervals %+#1 -of json "
                       "'{}'",
                       name))
            .out;
    }
    void make_hdr(const std::string& name = "hdr.mkv") const {
        ffmpeg(
            "-f lavfi -i testsrc2=s=160x96:r=25:d=1 -c:v libx265 -preset ultrafast -pix_fmt yuv420p10le -x265-params "
            "log-level=none:hdr10=1:repeat-headers=1:colorprim=bt2020:transfer=smpte2084:colormatrix=bt2020nc:"
            "master-display='G(13250,34500)B(7500,3000)R(34000,16000)WP(15635,16450)L(10000000,1)':max-cll='1000,400'"
            " " +
            name);
    }
};

struct Route {
    const char* codec;
    const char* target;
};

TEST_F(Ranges, ValuesAndTagsAgreeWhereverTheyGo) {
    make_full();
    const Extent given = extent_of("full.mkv");
    ASSERT_EQ(given.range, "pc");
    ASSERT_EQ(given.lowest, 0);
    ASSERT_EQ(given.highest, 255);
    for (const Route& route :
         {Route{"prores_ks", "out.mov"},   Route{"huffyuv", "out.mov"},   Route{"mpeg2video", "out.mov"},
          Route{"v210", "out.mov"},        Route{"mpeg4", "out.mov"},     Route{"mpeg4", "out.avi"},
          Route{"mpeg2video", "out.ts"},   Route{"ffv1", "out.avi"},      Route{"mpeg2video", "out.mkv"},
          Route{"mpeg4", "out.mp4"},       Route{"dnxhd", "out.mov"},     Route{"rawvideo", "out.nut"},
          Route{"libx264", "out.mov"},     Route{"libx264", "out.mp4"},   Route{"libx264", "out.mkv"},
          Route{"libx264", "out.ts"},      Route{"libx265", "out.mp4"},   Route{"ffv1", "out.mkv"},
          Route{"prores_ks", "out.mkv"},   Route{"mjpeg", "out.mov"},     Route{"huffyuv", "out.avi"},
          Route{"libvpx-vp9", "out.webm"}, Route{"v210", "out.mkv"},      Route{"huffyuv", "out.mkv"},
          Route{"libvpx", "out.webm"},     Route{"libtheora", "out.ogg"}, Route{"flv", "out.flv"}}) {
        SCOPED_TRACE(fmt::format("{} {}", route.codec, route.target));
        const Result result = vfilter(fmt::format(
            "full.mkv {} -y --codec {} --identity {}", route.target, route.codec,
            std::string(route.codec) == "libx264" || std::string(route.codec) == "libx265" ? "--crf 1"
                                                                                           : "--bitrate 20M"));
        if (std::string_view(route.codec) == "dnxhd") {
            EXPECT_EQ(result.code, 8) << "it has a few sizes: " << result;
            continue;
        }
        if (result.code != 0) {
            ADD_FAILURE() << result;
            continue;
        }
        const Extent written = extent_of(route.target);
        const bool full = written.range == "pc";
        constexpr double of_lossy_codecs = 7;
        EXPECT_NEAR(written.lowest, full ? 0 : 16, of_lossy_codecs) << written.range << '\n' << result;
        EXPECT_NEAR(written.highest, full ? 255 : 235, of_lossy_codecs) << written.range << '\n' << result;
        EXPECT_EQ(says(result, "the pictures use the full range"), !full) << result;
    }
}

TEST_F(Ranges, WhatCanSayItStaysFullToTheByte) {
    make_full();
    const Result result = vfilter("full.mkv out.mkv --codec ffv1 --identity");
    EXPECT_EQ(result.code, 0) << result;
    EXPECT_EQ(picture_hashes("full.mkv"), picture_hashes("out.mkv"));
    ffmpeg("-i full.mkv -c:v libx264 -crf 1 full.mp4");
    ASSERT_EQ(vfilter("full.mp4 h264.mkv --identity --crf 1").code, 0);
    EXPECT_EQ(extent_of("h264.mkv").range, "pc");
}

// What is limited stays limited, and nothing is said of it.
TEST_F(Ranges, LimitedIsNotTouched) {
    ffmpeg("-f lavfi -i testsrc2=s=160x120:d=0.4 -c:v ffv1 -pix_fmt yuv422p -color_range tv in.mkv");
    const Result result = vfilter("in.mkv out.avi --codec huffyuv --identity");
    EXPECT_EQ(result.code, 0) << result;
    EXPECT_FALSE(says(result, "range")) << result;
    EXPECT_EQ(picture_hashes("in.mkv"), picture_hashes("out.avi"));
}

TEST_F(Ranges, AChangeOfDepthOrSizeInTheMiddleIsTold) {
    ffmpeg("-f lavfi -i testsrc2=s=160x120:r=25:d=1 -c:v libx264 -preset ultrafast -pix_fmt yuv420p 8.ts");
    ffmpeg(
        "-f lavfi -i testsrc2=s=160x120:r=25:d=1 -c:v libx264 -preset ultrafast -pix_fmt yuv420p10le "
        "-output_ts_offset 1 10.ts");
    ffmpeg(
        "-f lavfi -i testsrc2=s=320x240:r=25:d=1 -c:v libx264 -preset ultrafast -pix_fmt yuv420p -output_ts_offset 1 "
        "large.ts");
    struct Row {
        const char* first;
        const char* then;
        const char* told;
    };
    for (const Row& row : {Row{"8.ts", "10.ts", "yuv420p10le instead of .*yuv420p"},
                           Row{"10.ts", "8.ts", "yuv420p instead of .*yuv420p10le"},
                           Row{"8.ts", "large.ts", "320x240 .*instead of 160x120"}}) {
        SCOPED_TRACE(fmt::format("{} {}", row.first, row.then));
        ASSERT_EQ(run(fmt::format("cat {} {} > in.ts", row.first, row.then)).code, 0);
        const Result result = vfilter("in.ts out.mkv -y --gaussian 3 --report r.json");
        EXPECT_EQ(result.code, 0) << result;
        EXPECT_TRUE(
            std::regex_search(result.err, std::regex(std::string("from [0-9.]+ s on pictures are .*") + row.told)))
            << result;
        EXPECT_EQ(json_of("r.json").at("frames").at("in"), json_of("r.json").at("frames").at("out"));
        EXPECT_EQ(count_pictures("out.mkv"), 50);
    }
    ASSERT_EQ(run("cat 8.ts 10.ts > in.ts").code, 0);
    EXPECT_TRUE(says(vfilter("in.ts out.mkv -y --gaussian 3"), "with loss of depth"));
}

TEST_F(Ranges, HdrDataIsThereOrIsNamed) {
    make_hdr();
    ASSERT_NE(side_data("hdr.mkv").find("Mastering display"), std::string::npos);
    struct Row {
        const char* arguments;
        const char* target;
        bool kept;
    };
    for (const Row& row :
         {Row{"--codec libx265", "out.mkv", true}, Row{"--codec libx265", "out.mp4", true},
          Row{"--codec libx265", "out.ts", true}, Row{"--codec libx265", "out.mov", true},
          Row{"--codec libsvtav1 --preset 12", "out.mp4", true}, Row{"--codec libx264", "out.mkv", true},
          Row{"--codec libx264", "out.ts", false}, Row{"--codec mpeg2video --pix-fmt yuv420p", "out.ts", false},
          Row{"--codec mpeg2video --pix-fmt yuv420p", "out.mpg", false}, Row{"--codec prores_ks", "out.mov", true},
          Row{"--codec ffv1", "out.avi", false}, Row{"--codec libvpx-vp9", "out.webm", true},
          Row{"", "out.y4m", false}}) {
        SCOPED_TRACE(fmt::format("{} {}", row.arguments, row.target));
        const Result result = vfilter(fmt::format("hdr.mkv {} -y --gaussian 3 {}", row.target, row.arguments));
        ASSERT_EQ(result.code, 0) << result;
        const std::string seen = side_data(row.target);
        const bool display = seen.find("Mastering display") != std::string::npos;
        const bool light = seen.find("Content light") != std::string::npos;
        // There, or a line that names what is not.
        EXPECT_TRUE((display && light) || says(result, "HDR10 data (")) << result;
        EXPECT_FALSE(display && light && says(result, "HDR10 data (")) << result;
        if (row.kept) {
            EXPECT_TRUE(display) << seen.substr(0, 3000) << result;
            EXPECT_TRUE(light) << seen.substr(0, 3000) << result;
        }
    }
}

TEST_F(Ranges, HdrInEightBitsIsTold) {
    make_hdr();
    for (const std::string options : {"--preset web-mp4 out.mp4", "--codec libx264 --pix-fmt yuv420p out.mkv"}) {
        const Result result = vfilter("hdr.mkv -y --gaussian 3 " + options);
        EXPECT_EQ(result.code, 0) << result;
        EXPECT_TRUE(says(result, "the pictures are HDR (")) << result;
        EXPECT_TRUE(says(result, "8 bits")) << result;
    }
    const Result ten = vfilter("hdr.mkv ten.mkv --gaussian 3 --codec libx265");
    EXPECT_FALSE(says(ten, "the pictures are HDR (")) << ten;
}

}  // namespace

}  // namespace vfilter::test
