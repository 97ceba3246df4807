// What a file says of its streams and parts, which is kept in other containers or named: rotation, chapters, covers.

#include <fmt/format.h>

#include <utility>

#include "tests/support/end_to_end.h"

namespace vfilter::test {

namespace {

class SaidOfStreams : public EndToEnd {
protected:
    // Seconds at which each begins, and its title. When one ends, QuickTime says by the next one.
    [[nodiscard]] std::vector<std::string> chapters(const std::string& name) const {
        std::vector<std::string> found;
        for (const nlohmann::json& chapter : probe(name).chapters) {
            found.push_back(fmt::format("{:.2f} {}", std::stod(chapter.at("start_time").get<std::string>()),
                                        chapter.at("tags").at("title").get<std::string>()));
        }
        return found;
    }
};

TEST_F(SaidOfStreams, EveryVideosRotationIsNamed) {
    make_clip("clip.mp4", 5);
    // The option came with FFmpeg 6; before, the tag did the same.
    ASSERT_EQ(run("ffmpeg -v quiet -y -i clip.mp4 -display_rotation 90 -i clip.mp4 -map 0:v -map 1:v -c copy in.mp4 || "
                  "ffmpeg -v error -y -i clip.mp4 -map 0:v -map 0:v -c copy -metadata:s:v:1 rotate=270 in.mp4")
                  .code,
              0);
    const std::vector<Stream> in = probe("in.mp4").of("video");
    ASSERT_TRUE(in.at(0).side_data("Display Matrix").is_null());
    ASSERT_TRUE(in.at(1).side_data("Display Matrix").is_object());
    for (const std::string options : {"", " --video-stream all", " --video-stream 1"}) {
        for (const std::string output : {"out.nut", "out.mkv", "out.mov"}) {
            SCOPED_TRACE(output + options);
            const nlohmann::json report = filter(fmt::format("in.mp4 {} --gaussian 3{}", output, options));
            const bool kept = probe(output).of("video").at(1).side_data("Display Matrix").is_object();
            const bool told = report.at("stderr").dump().find("the rotation of ") != std::string::npos;
            EXPECT_NE(kept, told) << report.at("stderr");
        }
    }
}

// The last mark of a disc is one at its end.
TEST_F(SaidOfStreams, ChaptersOfNoLengthAreKept) {
    write("chapters.txt",
          ";FFMETADATA1\n[CHAPTER]\nTIMEBASE=1/1000\nSTART=0\nEND=1000\ntitle=a\n[CHAPTER]\nTIMEBASE=1/1000\n"
          "START=1000\nEND=1000\ntitle=mark\n[CHAPTER]\nTIMEBASE=1/1000\nSTART=1500\nEND=2000\ntitle=b\n"
          "[CHAPTER]\nTIMEBASE=1/1000\nSTART=2000\nEND=2000\ntitle=end\n");
    ffmpeg("-f lavfi -i testsrc2=s=64x64:r=25:d=2 -i chapters.txt -map_chapters 1 -c:v libx264 in.mkv");
    for (const std::string output : {"out.mkv", "out.mp4", "out.mov", "out.nut"}) {
        SCOPED_TRACE(output);
        filter("in.mkv " + output);
        EXPECT_EQ(chapters(output), (std::vector<std::string>{"0.00 a", "1.00 mark", "1.50 b", "2.00 end"}));
        filter("in.mkv -y " + output + " --start 1 --duration 0.8");
        EXPECT_EQ(chapters(output), (std::vector<std::string>{"0.00 mark", "0.50 b"}));
    }
}

// One muxer writes them all, but not the same into each.
TEST_F(SaidOfStreams, WhatMoviesHoldIsNotSaidToBeLeftOut) {
    write("chapters.txt",
          ";FFMETADATA1\n[CHAPTER]\nTIMEBASE=1/1000\nSTART=0\nEND=400\ntitle=One\n"
          "[CHAPTER]\nTIMEBASE=1/1000\nSTART=400\nEND=1000\ntitle=Two\n");
    make_clip("plain.mp4");
    const std::string to = "plain.mp4 -i chapters.txt -map 0 -map_metadata 1 -map_chapters 1 -c copy";
    // By the word of FFmpeg 6 and later, and by the one before.
    ASSERT_EQ(run("ffmpeg -v quiet -y -display_rotation 90 -i " + to + " in.mp4 || ffmpeg -v error -y -i " + to +
                  " -metadata:s:v rotate=90 in.mp4")
                  .code,
              0);
    for (const std::string container : {"mp4", "mov", "ipod", "3gp", "3g2", "f4v", "psp", "ismv"}) {
        const Result result = vfilter("in.mp4 out.bin -y --format " + container + " --codec x264 --gaussian 3");
        ASSERT_EQ(result.code, 0) << result;
        const Media out = probe("out.bin");
        EXPECT_EQ(result.err.find("chapters") == std::string::npos, out.chapters.size() == 2) << result;
        EXPECT_EQ(result.err.find("rotation") == std::string::npos,
                  out.video().facts.dump().find("\"rotation\"") != std::string::npos)
            << result;
        EXPECT_EQ(result.err.find("is left out"), std::string::npos) << result;
        // Players that read from a server want the index first.
        const std::string bytes = content("out.bin");
        EXPECT_EQ(bytes.find("moov") < bytes.find("mdat"), container != "psp") << container;
    }
    for (const std::string container : {"3g2", "f4v"}) {
        const Result result =
            run(std::string(kept) + "in.mp4 - --codec x264 --gaussian 3 --format " + container + " > out.bin");
        ASSERT_EQ(result.code, 0) << result;
        EXPECT_EQ(count_pictures("out.bin"), 25) << container;
    }
}

TEST_F(SaidOfStreams, CoversInMatroskaAreNamedByWhatTheyAre) {
    make_clip("clip.mp4", 5);
    for (const auto& [codec, type] : {std::pair{"bmp", "image/bmp"}, {"png", "image/png"}, {"mjpeg", "image/jpeg"}}) {
        SCOPED_TRACE(codec);
        ffmpeg(fmt::format("-f lavfi -i color=red:s=64x64 -frames:v 1 -c:v {0} -f image2pipe -pix_fmt {1} cover.{0}",
                           codec,
                           codec == std::string("mjpeg") ? "yuvj420p"
                           : codec == std::string("bmp") ? "bgr24"
                                                         : "rgb24"));
        ffmpeg(
            fmt::format("-i clip.mp4 -i cover.{} -map 0 -map 1 -c copy -disposition:v:1 attached_pic in.mp4", codec));
        filter("in.mp4 out.mkv --gaussian 3");
        const Stream cover = probe("out.mkv").streams.back();
        EXPECT_EQ(cover.tag("mimetype"), type);
        EXPECT_EQ(cover.tag("filename"), fmt::format("cover.{}", codec == std::string("mjpeg") ? "jpg" : codec));
        EXPECT_NE(content("out.mkv").find(content(fmt::format("cover.{}", codec))), std::string::npos);
    }
}

// As of files: what has gone cannot be read again, but for its front.
TEST_F(SaidOfStreams, WhatAPipeDoesNotHoldIsNamed) {
    ffmpeg(
        "-f lavfi -i testsrc2=s=64x64:r=25:d=1 -f lavfi -i sine=d=1 -c:v libx264 -c:a aac -metadata title=Old "
        "-metadata artist=Me -metadata:s:a language=ger in.mkv");
    for (const std::string format : {"matroska", "mp4", "nut", "mpegts", "avi", "flv", "yuv4mpegpipe", "h264"}) {
        SCOPED_TRACE(format);
        const std::string options = fmt::format(" --identity -y --format {} --log-level warning --report ", format);
        const Result file = vfilter("in.mkv out" + options + "file.json");
        ASSERT_EQ(file.code, 0) << file;
        const Result pipe = run("set -o pipefail; $VFILTER in.mkv -" + options + "pipe.json | cat > piped");
        ASSERT_EQ(pipe.code, 0) << pipe;
        EXPECT_EQ(json_of("pipe.json").at("tags_dropped"), json_of("file.json").at("tags_dropped"));
        const auto tells = [](const Result& result) {
            return result.err.find("does not hold, and leaves out: ") != std::string::npos;
        };
        EXPECT_EQ(tells(pipe), tells(file)) << pipe;
        EXPECT_EQ(tells(pipe), !json_of("pipe.json").at("tags_dropped").empty()) << pipe;
    }
}

}  // namespace

}  // namespace vfilter::test
