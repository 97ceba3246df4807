// What the options of part, encoding and names do, seen from outside.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "tests/support/end_to_end.h"

namespace vfilter::test {

namespace {

struct Part {
    std::string options;
    int begin;  // pictures, the end exclusive
    int end;
};

struct Source {
    std::string name;
    Media media;
    std::vector<std::string> hashes;  // of the pictures
};

class Parts : public EndToEnd {
protected:
    static constexpr int frames = 75;
    void expect_part(const Source& input, const Part& part) const;
    static void expect_sound(const Stream& in, const Stream& out, double begin, double end, double shift);
};

void Parts::expect_part(const Source& input, const Part& part) const {
    SCOPED_TRACE(input.name + ' ' + part.options);
    filter(fmt::format("{} out.mkv --codec ffv1 {}", input.name, part.options));
    const Media& in = input.media;
    const Media out = probe("out.mkv");
    ASSERT_EQ(input.hashes.size(), static_cast<std::size_t>(frames));
    const std::vector<std::string> wanted(input.hashes.begin() + part.begin, input.hashes.begin() + part.end);
    EXPECT_TRUE(wanted == picture_hashes("out.mkv"));

    // Without --start time goes on as it was. With it the part begins at 0, or less than a picture later.
    std::vector<double> times(in.pictures.begin() + part.begin, in.pictures.begin() + part.end);
    const std::vector<double>& seen = out.pictures;
    ASSERT_FALSE(seen.empty());
    const bool moved = part.options.find("--start") != std::string::npos;
    const double shift = moved ? times.front() - seen.front() : 0;
    if (moved) {
        EXPECT_GE(seen.front(), 0);
        EXPECT_LT(seen.front(), 0.04);
    }
    std::ranges::for_each(times, [&](double& time) { time -= shift; });
    EXPECT_TRUE(same_seconds(times, seen, 0.0006));
    // FFmpeg finds the times of Matroska's packets before 0 by those after them: there have to be some.
    if (part.end - part.begin >= 5) {
        expect_sound(in.of("audio").at(0), out.of("audio").at(0), times.front(), times.back() + 0.04, shift);
    }
}

// The packets of that part, as they were with the pictures.
void Parts::expect_sound(const Stream& in, const Stream& out, double begin, double end, double shift) {
    int missing = 0;
    int superfluous = 0;
    double furthest = 0;
    constexpr double nearly = 0.045;  // a packet's length more or less, and half a picture's
    for (const Packet& packet : in.packets) {
        const double at = static_cast<double>(*packet.pts) * in.tick - shift;
        const double over = at + static_cast<double>(packet.duration) * in.tick;
        const auto found = std::ranges::find(out.packets, packet.hash, &Packet::hash);
        const bool carried = found != out.packets.end();
        missing += at >= begin + nearly && over <= end - nearly && !carried ? 1 : 0;
        superfluous += (over < begin - nearly && shift > 0) || at > end + nearly ? (carried ? 1 : 0) : 0;
        if (carried && found->pts) {
            furthest = std::max(furthest, std::abs(static_cast<double>(*found->pts) * out.tick - at));
        }
    }
    EXPECT_EQ(missing, 0);
    EXPECT_EQ(superfluous, 0);
    EXPECT_LE(furthest, 0.0011) << "sound moved against the pictures";
}

TEST_F(Parts, AreExactToThePicture) {
    // Noise, so that no two packets of sound are alike.
    const std::string sources = fmt::format(
        "-f lavfi -i testsrc2=s=160x120:r=25:d={0} -f lavfi -i anoisesrc=r=48000:d={0}:seed=1 -c:v libx264 "
        "-preset veryfast -bf 3 -g 24 -c:a mp2 ",
        frames / 25.0);
    ffmpeg(sources + "in.mp4");
    ffmpeg(sources + "-x264-params open-gop=1 in.ts");
    ffmpeg(sources + "in.mkv");
    const Part parts[] = {
        {"--start 0.51 --end 1.2", 13, 30},
        {"--start 0.49 --end 1.17", 13, 30},
        {"--start 12f --duration 10f", 12, 22},
        {"--frames 7", 0, 7},
        {"--start 1 --frames 5", 25, 30},
        {"--end 20f", 0, 20},
        {"--duration 0.4", 0, 10},
        {"--start 00:00:01.04", 26, frames},
        {"--start 0:2 --frames 1000", 50, frames},
        {"--start 37f --frames 1", 37, 38},
        {"--end 100", 0, frames},
        {"--start 0 --frames 1", 0, 1},
        {"--start 74f", 74, frames},
    };
    for (const std::string name : {"in.mp4", "in.ts", "in.mkv"}) {
        const Source input{name, probe(name), picture_hashes(name)};
        for (const Part& part : parts) {
            // In seconds the same everywhere only where pictures and sound begin together.
            if (name == "in.mp4" || part.options.find('f') != std::string::npos) {
                expect_part(input, part);
            }
        }
    }
}

// They have no times to be sought by, or only those at which packets are decoded.
TEST_F(Parts, OfBareStreamsAreExact) {
    const std::string source = fmt::format("-f lavfi -i testsrc2=s=160x120:r=25:d={} ", frames / 25.0);
    const std::pair<const char*, const char*> inputs[] = {
        {"in.h264", "-c:v libx264 -preset veryfast -bf 2 -g 24"},
        {"in.hevc", "-c:v libx265 -preset ultrafast -x265-params log-level=none"},
        {"in.m2v", "-c:v mpeg2video -bf 2"},
        {"in.mjpeg", "-c:v mjpeg -pix_fmt yuvj420p"},
        {"in.avi", "-c:v libx264 -preset veryfast -bf 2 -g 24"},
    };
    for (const auto& [name, encoder] : inputs) {
        ffmpeg(fmt::format("{} {} {}", source, encoder, name));
        const std::vector<std::string> all = picture_hashes(name);
        ASSERT_EQ(all.size(), static_cast<std::size_t>(frames));
        for (const Part& part :
             {Part{"--start 25f", 25, frames}, {"--start 30f --frames 7", 30, 37}, {"--end 9f", 0, 9}}) {
            SCOPED_TRACE(fmt::format("{} {}", name, part.options));
            filter(fmt::format("{} out.mkv --codec ffv1 {}", name, part.options));
            EXPECT_TRUE(picture_hashes("out.mkv") ==
                        std::vector<std::string>(all.begin() + part.begin, all.begin() + part.end));
        }
    }
}

// What comes before its first key frame nobody could decode.
TEST_F(Parts, BeginCopiedVideosWithAKeyFrame) {
    ffmpeg(
        "-f lavfi -i testsrc2=s=160x120:r=25:d=3 -f lavfi -i testsrc=s=160x120:r=25:d=3 -map 0 -map 1 -c:v libx264 "
        "-preset veryfast -bf 0 -g:v:0 10 -g:v:1 25 -sc_threshold 0 in.mkv");
    const nlohmann::json report = filter("in.mkv out.mkv --video-stream 0 --start 0.6");
    const Stream copied = probe("out.mkv").streams.at(1);
    ASSERT_EQ(copied.packets.size(), 50U);
    EXPECT_TRUE(copied.packets.front().key);
    EXPECT_NEAR(copied.times().front(), 0.4, 0.001);
    EXPECT_NE(report.at("stderr").dump().find("begins 0.400 s later, with its first key frame"), std::string::npos)
        << report.at("stderr");
    const nlohmann::json none = filter("in.mkv none.mkv --video-stream 0 --start 2.2");
    EXPECT_NE(none.at("stderr").dump().find("the wanted part holds no key frame of it"), std::string::npos)
        << none.at("stderr");
}

// Near the beginning Matroska tells no decoding times.
TEST_F(Parts, OfAFewPicturesAreExact) {
    make_clip("in.mkv", 12);
    for (const int count : {1, 2, 3, 5, 8, 11, 12}) {
        filter(fmt::format("in.mkv out.mkv --frames {}", count));
        EXPECT_EQ(count_pictures("out.mkv"), count);
        filter(fmt::format("in.mkv out.mkv --end {}f", count));
        EXPECT_EQ(count_pictures("out.mkv"), count);
    }
    // A number of pictures is one, however uneven their times.
    ffmpeg(
        "-f lavfi -i testsrc2=s=160x120:r=25:d=4 -vf \"select='lt(n,5)+gt(n,80)'\" -fps_mode vfr -c:v libx264 -bf 3 "
        "uneven.mp4");
    for (const int count : {3, 10, 15, 20}) {
        filter(fmt::format("uneven.mp4 out.mp4 --frames {}", count));
        EXPECT_EQ(count_pictures("out.mp4"), count);
    }
}

// What mp4's edit list hides would be lost.
TEST_F(Parts, ShowTheirFirstPictureInMp4) {
    make_clip("in.mp4", 50);
    for (const std::string start : {"0.47", "0.48", "0.49", "0.5", "0.51", "13f"}) {
        const nlohmann::json report = filter(fmt::format("in.mp4 out.mp4 --start {}", start));
        EXPECT_EQ(count_pictures("out.mp4"), report.at("frames").at("out")) << start;
    }
}

TEST_F(Parts, WithoutPicturesGiveNoFile) {
    for (const std::string input : {"in.mp4", "in.ts"}) {
        make_clip(input, 25);
        // One that is none, or one that the input does not have.
        for (const auto& [part, code] : {std::pair<std::string, int>{"--start 5", 3},
                                         {"--start 100f", 3},
                                         {"--start 1:00", 3},
                                         {"--end 0", 2},
                                         {"--duration 0", 2},
                                         {"--start 0.8 --end 0.4", 2}}) {
            const Result result = vfilter(fmt::format("{} out.mkv {}", input, part));
            EXPECT_EQ(result.code, code) << result;
            EXPECT_FALSE(exists("out.mkv")) << part;
            EXPECT_EQ(parts().size(), 0U) << part;
            std::filesystem::remove(path("out.mkv"));
        }
    }
}

class Options : public EndToEnd {};

TEST_F(Options, OfTheEncoderReachIt) {
    make_clip("in.mkv", 25);
    struct Row {
        std::string options;
        std::string output;
        std::string codec;
        std::string pix_fmt = "yuv420p";
    };
    const Row rows[] = {
        {"", "out.mp4", "h264"},
        {"", "out.mov", "h264"},
        {"", "out.webm", "vp9"},
        {"--codec libx265 --encoder-option x265-params=log-level=none", "out.mp4", "hevc"},
        {"--codec hevc --encoder-option x265-params=log-level=none --pix-fmt yuv420p10le", "out.mkv", "hevc",
         "yuv420p10le"},
        {"--codec mpeg4 --bitrate 300k", "out.avi", "mpeg4"},
        {"--codec mpeg2video", "out.ts", "mpeg2video"},
        {"--codec vp8 --bitrate 300k", "out.webm", "vp8"},
        {"--codec prores", "out.mov", "prores", "yuv422p10le"},
        {"--codec mjpeg", "out.mkv", "mjpeg", ""},
        {"--pix-fmt yuv444p", "out.mp4", "h264", "yuv444p"},
    };
    for (const Row& row : rows) {
        SCOPED_TRACE(row.options + ' ' + row.output);
        const nlohmann::json report = filter(fmt::format("in.mkv {} --gaussian 3 {}", row.output, row.options));
        const Media out = probe(row.output);
        const Stream video = out.video();
        EXPECT_EQ(video.codec(), row.codec) << report.at("encoder");
        EXPECT_TRUE(row.pix_fmt.empty() || video.facts.at("pix_fmt") == row.pix_fmt) << video.facts.at("pix_fmt");
        EXPECT_EQ(out.pictures.size(), 25U);
    }
}

// Whoever gave them thinks that they do.
TEST_F(Options, ThatChangeNothingAreTold) {
    make_clip("in.mkv", 5);
    for (const auto& [options, told] : {std::pair("out.mkv --max-latency 100", "--max-latency changes nothing"),
                                        {"out.mkv --timeout 5", "--timeout changes nothing"},
                                        {"out.mkv --start-number 3", "--start-number changes nothing"},
                                        {"out.ts --video-tag avc1", "--video-tag changes nothing"},
                                        {"out.mkv --format null", "--format null: out.mkv is not written"},
                                        {"out.mkv --codec ffv1 --bitrate 2M", "--bitrate changes nothing"}}) {
        const auto said = filter(fmt::format("in.mkv {} --gaussian 3", options)).at("stderr").dump();
        EXPECT_NE(said.find(told), std::string::npos) << said;
    }
    for (const auto& [options, told] :
         {std::pair("--crf 20 --encoder-option crf=30", "--crf changes nothing: --encoder-option crf=30 counts"),
          {"--crf 20 --encoder-option qp=30", "--encoder-option qp=30 changes nothing: --crf counts"},
          {"--bitrate 1M --encoder-option crf=30", "--bitrate changes nothing: --encoder-option crf=30 counts"},
          {"--bitrate 1M --encoder-option b=2M", "--bitrate changes nothing: --encoder-option b=2M counts"},
          {"--codec x265 --bitrate 1M --encoder-option qp=30", "qp=30 changes nothing: --bitrate counts"},
          {"--preset fast --encoder-option preset=slow", "--preset changes nothing: --encoder-option preset=slow"},
          {"--codec libopenjpeg --bitrate 1M", "--bitrate changes nothing"}}) {
        const auto said = filter(fmt::format("in.mkv out.mkv --gaussian 3 {}", options)).at("stderr").dump();
        EXPECT_NE(said.find(told), std::string::npos) << said;
    }
    for (const char* const options :
         {"out.mkv --crf 20 --encoder-option bf=0", "out.webm --bitrate 1M --encoder-option crf=30",
          "out_%d.png --start-number 3", "out.mp4 --video-tag avc1", "- --format null", "out.mkv --bitrate 2M"}) {
        const auto said = filter(fmt::format("in.mkv {} --gaussian 3", options)).at("stderr").dump();
        EXPECT_EQ(said.find("changes nothing"), std::string::npos) << said;
        EXPECT_EQ(said.find("is not written"), std::string::npos) << said;
    }
}

TEST_F(Options, OfQualityChangeTheSize) {
    ffmpeg(
        "-f lavfi -i testsrc2=s=160x120:r=25:d=2 -vf noise=alls=30:allf=t -c:v libx264 -preset ultrafast -crf 10 "
        "in.mp4");
    const auto size = [&](const std::string& options) {
        filter("in.mp4 out.mp4 " + options);
        return static_cast<double>(std::filesystem::file_size(path("out.mp4")));
    };
    EXPECT_GT(size("--crf 15"), 1.5 * size("--crf 30"));
    // The rate control of so short a clip overshoots, but evenly.
    EXPECT_NEAR(size("--bitrate 300k") / size("--bitrate 100k"), 3, 0.4);
    EXPECT_NE(size("--preset ultrafast"), size("--preset veryfast"));
    // A key picture every 5.
    filter("in.mp4 out.mp4 --encoder-option g=5 --encoder-option sc_threshold=0 --encoder-option bf=0");
    const std::vector<Packet> packets = probe("out.mp4").video().packets;
    for (std::size_t i = 0; i < packets.size(); ++i) {
        EXPECT_EQ(packets[i].key, i % 5 == 0) << i;
    }
}

TEST_F(Options, OfOverwriting) {
    make_clip("in.mkv", 10);
    write("out.mkv", "old");
    for (const std::string option : {"", "-n", "--no-overwrite"}) {
        const Result refused = vfilter("in.mkv out.mkv " + option);
        EXPECT_EQ(refused.code, 4) << refused;
        EXPECT_EQ(lines_of(refused.err).size(), 1U) << refused;
        EXPECT_EQ(content("out.mkv"), "old");
    }
    EXPECT_EQ(vfilter("in.mkv out.mkv -y").code, 0);
    EXPECT_EQ(count_pictures("out.mkv"), 10);
    EXPECT_EQ(parts().size(), 0U);
    // The mode of what is replaced is kept, through a link too, which stays one.
    std::filesystem::permissions(path("out.mkv"),
                                 std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
    std::filesystem::create_symlink("out.mkv", path("link.mkv"));
    EXPECT_EQ(vfilter("in.mkv link.mkv -y --frames 5").code, 0);
    EXPECT_TRUE(std::filesystem::is_symlink(path("link.mkv")));
    EXPECT_EQ(count_pictures("out.mkv"), 5);
    EXPECT_EQ(std::filesystem::status(path("out.mkv")).permissions(),
              std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
    EXPECT_EQ(run("umask 027; $VFILTER in.mkv new.mkv -q && stat -c %a new.mkv").out, "640\n");
}

TEST_F(Options, AnyNameIsJustAName) {
    make_clip("clip.mkv", 5);
    const std::string long_name = std::string(251, 'n') + ".mkv";
    const std::string names_of_files[] = {
        "with space.mkv", "a:b.mkv",         "http:x.mkv",
        "%d.mkv",         "img%03d.mkv",     "\xc3\xa4\xe2\x82\xac\xf0\x9f\x8e\xac.mkv",
        "quote\"s'.mkv",  "back\\slash.mkv", "new\nline.mkv",
        "*.mkv",          "[a].mkv",         "file:x.mkv",
        "pipe:1.mkv",     "concat:a|b.mkv",  "-dash.mkv",
        "--gaussian.mkv", "$HOME.mkv",       "a,b;c.mkv",
        long_name};
    for (const std::string& name : names_of_files) {
        SCOPED_TRACE(name);
        std::filesystem::copy_file(path("clip.mkv"), path("plain.mkv"),
                                   std::filesystem::copy_options::overwrite_existing);
        write("name", name);
        // Through a variable, so that the shell takes nothing amiss.
        const std::string read_name = "IFS= read -rd '' name < name; ";
        const Result out = run(read_name + kept + "-q -- plain.mkv \"$name\"");
        EXPECT_EQ(out.code, 0) << out;
        ASSERT_TRUE(exists(name));
        const Result in = run(read_name + kept + "-q -y --report r.json -i \"./$name\" -o back.mkv");
        EXPECT_EQ(in.code, 0) << in;
        EXPECT_EQ(count_pictures("back.mkv"), 5);
        EXPECT_EQ(json_of("r.json").at("input"), "./" + name);
        std::filesystem::remove(path(name));
        std::filesystem::remove(path("back.mkv"));
        EXPECT_EQ(names(), (std::vector<std::string>{"clip.mkv", "name", "plain.mkv", "r.json"}));
    }
    // Behind its option no word is another one.
    EXPECT_EQ(vfilter("clip.mkv -q -o -dash.mkv").code, 0);
    EXPECT_EQ(vfilter("-q -i -dash.mkv -o -again.mkv").code, 0);
    EXPECT_EQ(count_pictures("./-again.mkv"), 5);
    EXPECT_EQ(vfilter("clip.mkv -o -y").code, 2);
    EXPECT_EQ(vfilter("clip.mkv -q -dash.mkv").code, 2);
    const Result too_long = vfilter("clip.mkv " + std::string(300, 'n') + ".mkv");
    EXPECT_EQ(too_long.code, 4) << too_long;
}

TEST_F(Options, TwoFoldersAndNoFolderWork) {
    make_clip("in.mkv", 5);
    std::filesystem::create_directories(path("a b/c"));
    EXPECT_EQ(run("cd 'a b/c' && $VFILTER ../../in.mkv ../out.mkv -q").code, 0);
    EXPECT_EQ(count_pictures("a b/out.mkv"), 5);
    EXPECT_EQ(run("cd 'a b' && $VFILTER out.mkv c//second.mkv -q --gaussian=5").code, 0);
    EXPECT_TRUE(exists("a b/c/second.mkv"));
}

TEST_F(Options, ThatAreWrongTakeOneLine) {
    make_clip("in.mkv", 3);
    for (const auto& [arguments, code, line] :
         {std::tuple{"--preset slowest", 8, "--preset slowest: the encoder libx264 does not take it"},
          {"--encoder-option tune=nothing", 8, "--encoder-option tune=nothing: the encoder libx264 does not take it"},
          {"--encoder-option profile=best", 8, "--encoder-option profile=best: the encoder libx264 does not take it"},
          {"--metadata s:a:0:title=X", 2, "or of streams, as audio:0:title=X"}}) {
        const Result result = vfilter(std::string("in.mkv out.mkv --identity --codec x264 ") + arguments);
        EXPECT_EQ(result.code, code) << result;
        EXPECT_NE(result.err.find(line), std::string::npos) << result;
        EXPECT_EQ(std::ranges::count(result.err, '\n'), 1) << result;
    }
    EXPECT_EQ(
        vfilter("in.mkv out.mkv --identity --codec x264 --preset Fast --encoder-option tune=film,zerolatency").code, 0);
}

// Of which the default quality would be a contradiction.
TEST_F(Options, OfVp9MayAskForNoLoss) {
    make_clip("in.mkv", 3);
    filter("in.mkv out.webm --identity --codec vp9 --encoder-option lossless=1 --audio none");
    EXPECT_EQ(picture_hashes("out.webm"), picture_hashes("in.mkv"));
}

}  // namespace

}  // namespace vfilter::test
