// What a file says of its pictures is not lost: rotation, colours, shape, fields, HDR.

#include <fmt/format.h>

#include <algorithm>

#include "tests/support/end_to_end.h"

namespace vfilter::test {

namespace {

class PictureFacts : public EndToEnd {};

TEST_F(PictureFacts, OfRotationSurviveOrAreNamed) {
    make_clip("clip.mp4");
    // The option came with FFmpeg 6; before, the tag did the same.
    ASSERT_EQ(run("ffmpeg -v quiet -y -display_rotation 90 -i clip.mp4 -c copy in.mp4 || "
                  "ffmpeg -v error -y -i clip.mp4 -c copy -metadata:s:v:0 rotate=270 in.mp4")
                  .code,
              0);
    const nlohmann::json matrix = probe("in.mp4").video().side_data("Display Matrix");
    ASSERT_TRUE(matrix.is_object());
    for (const std::string output : {"out.mp4", "out.mov", "out.mkv"}) {
        SCOPED_TRACE(output);
        const nlohmann::json report = filter("in.mp4 " + output);
        const nlohmann::json seen = probe(output).video().side_data("Display Matrix");
        const bool told = report.at("stderr").dump().find("rotat") != std::string::npos;
        EXPECT_TRUE(output == "out.mkv" && told ? seen.is_null()
                                                : seen.is_object() && seen.at("rotation") == matrix.at("rotation"))
            << seen << report.at("stderr");
    }
}

// The video's own data say it in H.264, not in these.
TEST_F(PictureFacts, OfWholePicturesIsToldByTheContainer) {
    for (const auto& [field, wanted] : {std::pair<std::string, std::string>{"prog", "progressive"}, {"tff", "tt"}}) {
        ffmpeg(fmt::format("-f lavfi -i testsrc2=s=160x120:r=25:d=0.12 -vf setfield={} {} -c:v libx264 in.mp4", field,
                           field == "tff" ? "-flags +ildct+ilme" : ""));
        ASSERT_EQ(probe("in.mp4").video().facts.value("field_order", ""), wanted);
        for (const std::string output : {"out.mkv --codec ffv1", "out.mov --codec ffv1", "again.mkv --codec utvideo"}) {
            filter("in.mp4 -y --gaussian 3 " + output);
            EXPECT_EQ(probe(output.substr(0, output.find(' '))).video().facts.value("field_order", ""), wanted)
                << output;
        }
    }
}

TEST_F(PictureFacts, OfColoursAspectAndFieldsSurvive) {
    struct Row {
        std::string make;
        std::string key;  // which the input has for certain
        std::string value;
    };
    // Options for FFmpeg 5, setparams for 7.
    const Row rows[] = {
        {"-vf setsar=16/11,setparams=range=tv:colorspace=bt709:color_primaries=bt709:color_trc=bt709 -color_range tv "
         "-colorspace bt709 -color_primaries bt709 -color_trc bt709",
         "color_space", "bt709"},
        {"-vf scale=out_range=full,format=yuv420p,setparams=range=pc:colorspace=smpte170m -color_range pc -colorspace "
         "smpte170m",
         "color_range", "pc"},
        {"-vf format=yuv420p10le,setparams=range=tv:colorspace=bt2020nc:color_primaries=bt2020:color_trc=arib-std-b67 "
         "-color_range tv -colorspace bt2020nc -color_primaries bt2020 -color_trc arib-std-b67 -chroma_sample_location "
         "topleft",
         "color_transfer", "arib-std-b67"},
        {"-pix_fmt yuv422p -vf setfield=tff -flags +ildct+ilme", "field_order", "tt"},
        {"-vf setsar=4/3", "sample_aspect_ratio", "4:3"},
    };
    for (const Row& row : rows) {
        ffmpeg(fmt::format("-f lavfi -i testsrc2=s=160x120:r=25:d=0.4 {} -c:v libx264 in.mp4", row.make));
        const nlohmann::json in = probe("in.mp4").video().facts;
        ASSERT_EQ(in.value(row.key, ""), row.value) << row.make;
        for (const std::string output : {"out.mp4", "out.mkv", "out.mov", "out.ts"}) {
            SCOPED_TRACE(fmt::format("{} -> {}", row.make, output));
            filter(fmt::format("in.mp4 {} --gaussian 3", output));
            const nlohmann::json out = probe(output).video().facts;
            for (const char* const key :
                 {"sample_aspect_ratio", "color_range", "color_space", "color_primaries", "color_transfer",
                  "chroma_location", "pix_fmt", "field_order", "width", "height", "avg_frame_rate"}) {
                EXPECT_EQ(in.value(key, nlohmann::json()), out.value(key, nlohmann::json())) << key;
            }
        }
    }
}

TEST_F(PictureFacts, OfEachFieldOrderSurvive) {
    for (const std::string field : {"tff", "bff"}) {
        ffmpeg(fmt::format(
            "-f lavfi -i testsrc2=s=160x120:r=25:d=0.4 -vf setfield={0} -flags +ildct+ilme -c:v libx264 -x264-params "
            "{0}=1 {0}.mp4",
            field));
        filter(fmt::format("{0}.mp4 {0}.mkv --gaussian 3 --verify", field));
        const std::string line =
            "ffprobe -v error -select_streams v -show_entries frame=interlaced_frame,top_field_first -of compact ";
        const Result wanted = run(line + field + ".mp4");
        EXPECT_NE(wanted.out.find(field == "tff" ? "interlaced_frame=1|top_field_first=1"
                                                 : "interlaced_frame=1|top_field_first=0"),
                  std::string::npos)
            << wanted;
        EXPECT_EQ(wanted.out, run(line + field + ".mkv").out);
    }
}

TEST_F(PictureFacts, OfHdrSurvive) {
    ffmpeg(
        "-f lavfi -i testsrc2=s=160x120:d=0.4 -vf "
        "format=yuv420p10le,setparams=color_primaries=bt2020:color_trc=smpte2084:colorspace=bt2020nc -c:v libx265 "
        "-color_primaries bt2020 -color_trc "
        "smpte2084 "
        "-colorspace bt2020nc -x265-params \"log-level=0:hdr10=1:master-display="
        "G(13250,34500)B(7500,3000)R(34000,16000)WP(15635,16450)L(10000000,50):max-cll=1000,400\" in.mkv");
    // From the bit stream into the container, and from container to container.
    for (const auto& [input, output] :
         {std::pair{"in.mkv", "out.mkv"}, {"in.mkv", "out.mp4"}, {"out.mkv", "second.mp4"}}) {
        SCOPED_TRACE(output);
        filter(fmt::format("{} {} --gaussian 3", input, output));
        const Stream video = probe(output).video();
        EXPECT_EQ(video.facts.at("color_transfer"), "smpte2084");
        EXPECT_EQ(video.facts.at("pix_fmt"), "yuv420p10le");
        const nlohmann::json light = video.side_data("Content light level metadata");
        ASSERT_TRUE(light.is_object()) << video.facts;
        EXPECT_EQ(light.at("max_content"), 1000);
        EXPECT_EQ(light.at("max_average"), 400);
        const nlohmann::json display = video.side_data("Mastering display metadata");
        ASSERT_TRUE(display.is_object()) << video.facts;
        const auto ratio = [&](const char* key) {
            const std::string text = display.at(key);
            return std::stod(text) / std::stod(text.substr(text.find('/') + 1));
        };
        EXPECT_NEAR(ratio("red_x"), 0.68, 1e-4);
        EXPECT_NEAR(ratio("white_point_y"), 0.329, 1e-4);
        EXPECT_NEAR(ratio("min_luminance"), 0.005, 1e-4);
        EXPECT_NEAR(ratio("max_luminance"), 1000, 1e-4);
    }
}

}  // namespace

}  // namespace vfilter::test
