// Files that follow the input: --append.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/end_to_end.h"

namespace vfilter::test {

namespace {

constexpr const char* h264 = "-c:v libx264 -preset ultrafast -g 20 -bf 2 -c:a aac";

class AppendedFiles : public EndToEnd {
protected:
    // 50 pictures, and sound that is three pieces of AAC longer; another hue and tone for each number.
    void make_clip(int number, const std::string& name, const std::string& how = h264) const {
        ffmpeg(
            fmt::format("-f lavfi -i testsrc2=s=64x48:r=25:d=2,hue=h={0}0 -f lavfi -i sine=f={0}00:r=48000:d=2.064 "
                        "{1} {2}",
                        number, how, name));
    }
    void make_three() const {
        for (int number = 1; number <= 3; ++number) {
            make_clip(number, fmt::format("{}.mp4", number));
        }
    }
    // Decoded samples of the first sound, of 24 bits.
    [[nodiscard]] std::string samples(const std::string& name) const {
        return ffmpeg_output("-i " + name + " -map 0:a:0 -f s24le -");
    }
    void change_bytes(const std::string& name, double where) const {
        std::fstream file(path(name), std::ios::in | std::ios::out | std::ios::binary);
        const auto size = static_cast<double>(std::filesystem::file_size(path(name)));
        file.seekp(static_cast<std::streamoff>(where * size));
        file << std::string(40, '\x5a');
    }
};

using Names = std::vector<std::string>;

constexpr double length = 2.064;

TEST_F(AppendedFiles, PicturesAndTimesAreThoseOfEachInTurn) {
    make_three();
    const nlohmann::json report = filter("1.mp4 out.mkv --append 2.mp4 --append 3.mp4 --codec ffv1 --audio flac");
    EXPECT_EQ(report.at("frames").at("out"), 150);
    Names hashes;
    std::string sound;
    std::vector<double> times;
    for (int number = 1; number <= 3; ++number) {
        filter(fmt::format("{}.mp4 alone.mkv -y --codec ffv1 --audio flac", number));
        std::ranges::copy(picture_hashes("alone.mkv"), std::back_inserter(hashes));
        for (const double time : picture_times("alone.mkv")) {
            times.push_back(time + (number - 1) * length);
        }
        sound += samples("alone.mkv");
    }
    EXPECT_EQ(picture_hashes("out.mkv"), hashes);
    EXPECT_TRUE(samples("out.mkv") == sound) << samples("out.mkv").size() << " of " << sound.size();
    const std::vector<double> made = picture_times("out.mkv");
    ASSERT_EQ(made.size(), times.size());
    for (std::size_t i = 0; i < times.size(); ++i) {
        EXPECT_NEAR(made[i], times[i], 0.00101) << i;  // Matroska's clock
    }
    write("list.txt", "file 1.mp4\nfile '2.mp4'\nfile 3.mp4\n");
    filter("-f concat -safe 0 -i list.txt listed.mkv --codec ffv1 --audio flac");
    EXPECT_EQ(picture_hashes("listed.mkv"), hashes);
    ASSERT_EQ(report.at("appended").size(), 2U);
    EXPECT_EQ(report.at("appended").at(1).at("file"), "3.mp4");
    const std::string sum = run("sha256sum 3.mp4").out.substr(0, 64);
    EXPECT_EQ(report.at("appended").at(1).at("sha256"), sum);
}

// The encoder's own delay, of which the first packet of each is nothing else, is not heard in the middle.
TEST_F(AppendedFiles, CopiedSoundGoesOn) {
    make_three();
    for (const std::string name : {"out.mp4", "out.mkv", "out.ts"}) {
        SCOPED_TRACE(name);
        filter("1.mp4 " + name + " --append 2.mp4 --append 3.mp4");
        const Stream sound = probe(name).of("audio").at(0);
        const std::size_t each = probe("1.mp4").of("audio").at(0).times().size();
        EXPECT_EQ(sound.codec(), "aac");
        EXPECT_EQ(sound.times().size(), 3 * each - 2);
        const std::vector<double> times = sound.times();
        for (std::size_t i = 1; i < times.size(); ++i) {
            EXPECT_GT(times[i], times[i - 1]);
            EXPECT_LT(times[i], times[i - 1] + 0.03) << "no hole";
        }
        EXPECT_EQ(ffmpeg_complaints(name), "");
    }
}

// Opus says how much of it comes before the beginning, and not by packets.
TEST_F(AppendedFiles, CopiedSoundHasNothingBeforeItsBeginning) {
    ffmpeg(
        "-f lavfi -i testsrc2=s=64x48:r=25:d=1 -f lavfi -i sine=r=48000:d=1 -c:v libvpx-vp9 -c:a libopus "
        "-frame_duration 2.5 1.webm");
    const std::vector<double> own = probe("1.webm").of("audio").at(0).times();
    const auto before = std::ranges::count_if(own, [](double time) { return time < -0.0015; });
    ASSERT_GE(before, 1);
    filter("1.webm out.webm --append 1.webm");
    const std::vector<double> times = probe("out.webm").of("audio").at(0).times();
    EXPECT_EQ(std::ssize(times), 2 * std::ssize(own) - before);
    EXPECT_TRUE(std::ranges::is_sorted(times));
}

// Each has a decoder of its own: codecs, sizes and rates may be others.
TEST_F(AppendedFiles, MayBeOfAnotherKind) {
    make_clip(1, "1.mp4");
    make_clip(2, "2.mkv", "-c:v libx265 -x265-params log-level=error -s 128x96 -ar 44100 -c:a libmp3lame");
    ffmpeg("-f lavfi -i testsrc2=s=64x48:r=30:d=1 -c:v mpeg2video -bf 2 3.ts");
    const Result refused = vfilter("1.mp4 out.mkv --append 2.mkv --codec ffv1");
    EXPECT_EQ(refused.code, 2);
    EXPECT_TRUE(says(refused,
                     "2.mkv: stream 1 is mp3 of 44100 Hz, mono, and the input's is aac of 48000 Hz, mono, and "
                     "cannot be copied behind it; --audio aac (or another codec) makes one of both"))
        << refused;
    EXPECT_EQ(names(), (Names{"1.mp4", "2.mkv", "3.ts"}));
    const Result result = vfilter("1.mp4 out.mkv --append 2.mkv --append 3.ts --codec ffv1 --audio flac");
    EXPECT_EQ(result.code, 0) << result;
    EXPECT_TRUE(says(result, "3.ts: lacks what the input has: audio 0")) << result;
    EXPECT_TRUE(says(result, "pictures are 128x96 yuv420p instead of 64x48 yuv420p; they become 64x48")) << result;
    EXPECT_EQ(count_pictures("out.mkv"), 50 + 50 + 30);
    const std::vector<double> times = picture_times("out.mkv");
    EXPECT_NEAR(times[110] - times[109], 1.0 / 30, 0.0011);
    EXPECT_NEAR(times[10] - times[9], 1.0 / 25, 0.0011);
    filter("3.ts alone.mkv --codec ffv1");
    const Names all = picture_hashes("out.mkv");
    EXPECT_EQ(Names(all.end() - 30, all.end()), picture_hashes("alone.mkv"));
}

// What containers say of their length leaves out some of the sound (MPEG-TS), is rounded (Matroska) or missing.
TEST_F(AppendedFiles, NoSoundIsLostWhereTheyMeet) {
    struct Kind {
        const char* name;
        const char* how;
    };
    for (const Kind& kind :
         std::array{Kind{"a.ts", h264}, Kind{"a.mkv", h264}, Kind{"a.flv", "-c:v libx264 -c:a aac"},
                    Kind{"a.mpg", "-c:v mpeg2video -c:a mp2"}, Kind{"a.avi", "-c:v mpeg4 -c:a pcm_s16le"}}) {
        SCOPED_TRACE(kind.name);
        make_clip(1, kind.name, kind.how);
        filter(fmt::format("{} alone.mkv -y --codec ffv1 --audio flac", kind.name));
        filter(fmt::format("{0} out.mkv -y --codec ffv1 --audio flac --append {0} --append {0}", kind.name));
        const std::string one = samples("alone.mkv");
        const std::string all = samples("out.mkv");
        // FFmpeg 7 takes what AAC has before its first sample in Matroska for sound. It lies over the end of the file
        // before.
        const bool primed = probe("alone.mkv").format.value("start_time", "0").starts_with('-');
        const std::size_t before = primed ? 3 * 1024 : 0;
        const std::string heard = one.substr(before);
        ASSERT_GE(all.size(), 3 * one.size() - 2 * before);
        EXPECT_LT(all.size(), 3 * one.size() + 2 * 3 * 48000 / 5) << "pictures that end later leave silence";
        EXPECT_TRUE(all.starts_with(one));
        EXPECT_TRUE(all.ends_with(heard));
        EXPECT_LE(all.find(heard, one.size()), all.size() - 2 * heard.size());
        const nlohmann::json part = filter(
            fmt::format("{0} part.mkv -y --codec ffv1 --audio flac --append {0} --append {0} --start 2.5", kind.name));
        EXPECT_TRUE(samples("part.mkv").ends_with(heard));
    }
    make_clip(1, "long.mp4", "-c:v libx264 -c:a aac -t 1 -shortest");
    ASSERT_EQ(
        run("ffmpeg -v error -i long.mp4 -f lavfi -i sine=d=3 -map 0:v -map 1 -c:v copy -c:a pcm_s16le -f matroska - "
            "> nolength.mkv")
            .code,
        0);
    filter("nolength.mkv out.mkv -y --codec ffv1 --audio flac --append nolength.mkv");
    EXPECT_EQ(samples("out.mkv").size(), 2 * samples("nolength.mkv").size());
    EXPECT_NEAR(picture_times("out.mkv").at(25), 3, 0.03);
}

TEST_F(AppendedFiles, WhatTheySayOtherwiseIsTold) {
    make_clip(1, "1.mp4");
    make_clip(2, "2.mov", "-an -c:v mjpeg");  // which has the full range
    const Result result = vfilter("1.mp4 out.mkv --append 2.mov --codec ffv1");
    EXPECT_EQ(result.code, 0) << result;
    EXPECT_TRUE(says(result, "colour range pc (first tv)")) << result;
}

// A header may say less than there is, and what follows is reckoned from what there is.
TEST_F(AppendedFiles, AHeaderMayBeWrong) {
    ffmpeg("-f lavfi -i testsrc2=s=64x48:r=5:d=20 -c:v libx264 -g 5 -bf 0 long.mkv");
    std::string file = content("long.mkv");
    const std::size_t duration = file.find("\x44\x89\x88");  // ID and size of the element, then a double
    ASSERT_NE(duration, std::string::npos);
    file.replace(duration + 3, 8, std::string("\x40\xa7\x70\0\0\0\0\0", 8));  // 3000 ms
    write("short.mkv", file);
    make_clip(1, "1.mkv");
    EXPECT_EQ(vfilter("short.mkv whole.nut -y --append 1.mkv --codec ffv1").code, 5) << "its checksum is wrong, too";
    const std::vector<double> times = picture_times("whole.nut");
    ASSERT_EQ(times.size(), 150U);
    for (const std::string start : {"14", "21"}) {
        EXPECT_EQ(vfilter("short.mkv part.nut -y --append 1.mkv --codec ffv1 --start " + start).code, 0);
        EXPECT_EQ(count_pictures("part.nut"),
                  std::ranges::count_if(times, [&](double time) { return time > std::stod(start) - 0.01; }))
            << start;
    }
}

// Before anything runs, with the file's name.
TEST_F(AppendedFiles, WhatCannotBeDecodedIsToldAtOnce) {
    make_clip(1, "1.mp4");
    ffmpeg("-f lavfi -i testsrc2=s=640x480:d=0.1 -c:v libx264 large.mp4");
    ffmpeg("-f lavfi -i testsrc2=s=64x48:d=0.1 -c:v libx264rgb rgb.mp4");
    const Result large = vfilter("1.mp4 out.mkv --append large.mp4 --max-pixels 100000");
    EXPECT_EQ(large.code, 3) << large;
    EXPECT_TRUE(says(large, "large.mp4: pictures of 640x480")) << large;
    const Result rgb = vfilter("1.mp4 out.mkv --append rgb.mp4");
    EXPECT_EQ(rgb.code, 2) << rgb;
    EXPECT_TRUE(says(rgb, "rgb.mp4: RGB and YUV files cannot be joined in one output")) << rgb;
    EXPECT_EQ(names().size(), 3U);
}

TEST_F(AppendedFiles, ThatChangeMeanwhileAreErrors) {
    make_clip(1, "1.mp4");
    make_clip(2, "2.mp4");
    ffmpeg("-f lavfi -i testsrc2=s=320x240:r=25:d=20 -c:v libx264 -preset ultrafast long.mp4");
    Command late("exec $VFILTER long.mp4 late.mkv --append 2.mp4 --gaussian 31 --codec ffv1 --threads 1", folder());
    while (late.running() && parts().empty()) {
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    ASSERT_TRUE(late.signal(SIGSTOP));
    ffmpeg("-i 1.mp4 -c copy -an -y 2.mp4");
    ASSERT_TRUE(late.signal(SIGCONT));
    const Result result = late.wait(std::chrono::seconds(120));
    EXPECT_EQ(result.code, 3) << result;
    EXPECT_TRUE(says(result, "2.mp4: has changed since it was first looked at")) << result;
}

// Of an AVI time is counted in pictures.
TEST_F(AppendedFiles, TimesAreAsFineAsEachHasThem) {
    make_clip(1, "1.avi", "-c:v mpeg4 -an");
    ffmpeg("-f lavfi -i testsrc2=s=64x48:r=30:d=1 -c:v mpeg4 2.mp4");
    filter("1.avi out.nut --append 2.mp4 --codec ffv1");
    const std::vector<double> times = picture_times("out.nut");
    ASSERT_EQ(times.size(), 80U);
    for (std::size_t i = 0; i < times.size(); ++i) {
        const double own = static_cast<double>(i);
        EXPECT_NEAR(times[i], i < 50 ? own / 25 : 2 + (own - 50) / 30, 0.00002) << i;
    }
    ffmpeg("-i 1.avi -f lavfi -i sine=d=2.11 -map 0:v -map 1 -c:v copy -c:a pcm_s16le longer.avi");
    filter("longer.avi joined.nut --append longer.avi --codec ffv1");
    EXPECT_NEAR(picture_times("joined.nut").at(50), 2.11, 0.0001);
    const nlohmann::json part = filter("1.avi part.nut --append 2.mp4 --codec ffv1 --start 1");
    EXPECT_EQ(part.at("frames").at("out"), 55);
}

TEST_F(AppendedFiles, ThatAreTurnedOtherwiseAreRefused) {
    make_clip(1, "1.mp4");
    ASSERT_EQ(run("ffmpeg -v quiet -y -display_rotation 90 -i 1.mp4 -c copy 2.mp4 || "
                  "ffmpeg -v error -y -i 1.mp4 -c copy -metadata:s:v rotate=90 2.mp4")
                  .code,
              0);
    const Result result = vfilter("1.mp4 out.mkv --append 2.mp4");
    EXPECT_EQ(result.code, 2);
    EXPECT_TRUE(says(result, "2.mp4: its pictures are turned otherwise")) << result;
    EXPECT_EQ(filter("2.mp4 out.mkv --append 2.mp4").at("frames").at("out"), 100);
}

// What leans on pictures that were cut off does not lean on those of the file before.
TEST_F(AppendedFiles, OpenGroupsBeginAsTheyDoAlone) {
    make_clip(1, "film.mkv",
              "-an -c:v libx265 -x265-params log-level=error:keyint=10:min-keyint=10:open-gop=1:bframes=3");
    make_clip(2, "film.ts", "-an -c:v mpeg2video -g 10 -bf 2");
    ffmpeg("-ss 1 -i film.mkv -c copy hevc.mkv");
    ffmpeg("-ss 1 -i film.ts -c copy -muxdelay 0 mpeg2.ts");
    for (const std::string name : {"hevc.mkv", "mpeg2.ts"}) {
        SCOPED_TRACE(name);
        const int code = vfilter(name + " alone.mkv -y --codec ffv1").code;  // 5 where pictures lean on what is missing
        Names twice = picture_hashes("alone.mkv");
        std::ranges::copy(picture_hashes("alone.mkv"), std::back_inserter(twice));
        EXPECT_EQ(vfilter(name + " out.mkv -y --codec ffv1 --append " + name).code, code);
        EXPECT_GE(twice.size(), 40U);
        EXPECT_EQ(picture_hashes("out.mkv"), twice);
    }
}

TEST_F(AppendedFiles, PartsLieAnywhere) {
    make_three();
    filter("1.mp4 all.nut --append 2.mp4 --append 3.mp4 --codec ffv1 --audio flac");
    const Names all = picture_hashes("all.nut");
    const std::vector<double> times = picture_times("all.nut");
    struct Part {
        const char* options;
        double from;
        double to;
    };
    for (const Part& part :
         std::array{Part{"--start 1", 1, 99}, Part{"--start 2.5 --end 5", 2.5, 5}, Part{"--start 4.3", 4.3, 99},
                    Part{"--end 3", 0, 3}, Part{"--start 2.064 --duration 0.5", 2.064, 2.564}}) {
        SCOPED_TRACE(part.options);
        filter(
            fmt::format("1.mp4 part.nut -y --append 2.mp4 --append 3.mp4 --codec ffv1 --audio flac {}", part.options));
        Names wanted;
        for (std::size_t i = 0; i < all.size(); ++i) {
            if (times[i] > part.from - 0.01 && times[i] < part.to - 0.01) {
                wanted.push_back(all[i]);
            }
        }
        EXPECT_EQ(picture_hashes("part.nut"), wanted);
        const double seconds = static_cast<double>(samples("part.nut").size()) / 3 / 48000;
        EXPECT_NEAR(seconds, std::min(part.to, 3 * length) - part.from, 0.0001);
    }
    filter("1.mp4 few.nut --append 2.mp4 --append 3.mp4 --codec ffv1 --frames 60");
    EXPECT_EQ(picture_hashes("few.nut"), Names(all.begin(), all.begin() + 60));
}

TEST_F(AppendedFiles, DamageIsThatOfItsFile) {
    make_clip(1, "1.mkv");
    make_clip(2, "2.mkv");
    change_bytes("2.mkv", 0.5);
    const Result result = vfilter("1.mkv out.mkv --append 2.mkv --append 1.mkv");
    EXPECT_EQ(result.code, 5) << result;
    EXPECT_TRUE(says(result, "vfilter: 2.mkv is damaged: ")) << result;
    const Result strict = vfilter("1.mkv out.mkv -y --append 2.mkv --strict");
    EXPECT_EQ(strict.code, 5);
    EXPECT_TRUE(says(strict, "2.mkv")) << strict;
    ffmpeg("-i 1.mkv -map 0 -c:v copy -c:a flac sound.mkv");
    ffmpeg("-i sound.mkv -c copy -map 0 -bsf:a noise=amount=-1:drop=0 noisy.mkv");
    const Result noisy = vfilter("sound.mkv noisy-out.mkv --append noisy.mkv --audio flac");
    EXPECT_EQ(noisy.code, 5) << noisy;
    EXPECT_TRUE(says(noisy, "vfilter: noisy.mkv is damaged: ")) << noisy;
    std::filesystem::resize_file(path("2.mkv"), std::filesystem::file_size(path("2.mkv")) / 2);
    const nlohmann::json report = filter("1.mkv cut.mkv --append 2.mkv --append 1.mkv", Damage::expected);
    EXPECT_GT(report.at("damage").at("missing_seconds"), 0.5);
    const std::int64_t out = report.at("frames").at("out");
    EXPECT_GT(out, 100);
    EXPECT_LT(out, 150);
}

TEST_F(AppendedFiles, ChaptersComeLater) {
    write("chapters.txt",
          ";FFMETADATA1\n[CHAPTER]\nTIMEBASE=1/1000\nSTART=0\nEND=1000\ntitle=first\n[CHAPTER]\nTIMEBASE=1/1000\n"
          "START=1000\nEND=2000\ntitle=second\n");
    make_clip(1, "1.mkv", std::string("-i chapters.txt -map 0 -map 1 -map_metadata 2 ") + h264);
    filter("1.mkv out.mkv --append 1.mkv");
    const nlohmann::json chapters =
        nlohmann::json::parse(run("ffprobe -v error -show_chapters -of json out.mkv").out).at("chapters");
    ASSERT_EQ(chapters.size(), 4U);
    EXPECT_EQ(chapters.at(3).at("tags").at("title"), "second");
    EXPECT_NEAR(std::stod(chapters.at(2).at("start_time").get<std::string>()), length, 0.03);
    EXPECT_NEAR(std::stod(chapters.at(3).at("start_time").get<std::string>()), length + 1, 0.03);
}

TEST_F(AppendedFiles, MistakesAreToldInOneLineAndLeaveNoFile) {
    make_clip(1, "1.mp4");
    ffmpeg("-i 1.mp4 -c copy -an bare.h264");
    ffmpeg("-i 1.mp4 -vn sound.wav");
    ffmpeg("-i 1.mp4 -frames:v 3 p%d.png");
    ASSERT_EQ(run("mkfifo pipe").code, 0);
    struct Mistake {
        const char* arguments;
        int code;
        const char* line;
    };
    for (const Mistake& mistake : std::array{
             Mistake{"1.mp4 out.mkv --append missing.mp4", 3, "missing.mp4: No such file"},
             Mistake{"1.mp4 out.mkv --append pipe", 2, "has to be a file with a name"},
             Mistake{"1.mp4 out.mkv --append .", 2, "has to be a file with a name"},
             Mistake{"- out.mkv --append 1.mp4 < 1.mp4", 2, "has to be a file with a name"},
             Mistake{"1.mp4 out.mkv --append p%d.png", 2, "is a sequence of pictures"},
             Mistake{"p%d.png out.mkv --append 1.mp4", 2, "is a sequence of pictures"},
             Mistake{"1.mp4 out.mkv --append bare.h264", 3, "its pictures have no times"},
             Mistake{"bare.h264 out.mkv --append 1.mp4", 3, "its pictures have no times"},
             Mistake{"1.mp4 out.mkv --append sound.wav", 3, "has no video 0"},
             Mistake{"1.mp4 out.mkv --append rtsp://127.0.0.1/a", 2, "no devices or addresses"},
             Mistake{"1.mp4 out.mkv --append ''", 2, "--append"},
             Mistake{"1.mp4 out.mkv --append 1.mp4 --live", 2, "is live"},
             Mistake{"1.mp4 1.mp4 --output-dir done --append 1.mp4", 2, "--append is for one input"},
             Mistake{"1.mp4 bare.h264 -y --append bare.h264", 2, "the output would overwrite an appended file"}}) {
        const Result result = vfilter(mistake.arguments);
        EXPECT_EQ(result.code, mistake.code) << result;
        EXPECT_TRUE(says(result, mistake.line)) << result;
        EXPECT_EQ(names(), (Names{"1.mp4", "bare.h264", "p1.png", "p2.png", "p3.png", "pipe", "sound.wav"}));
    }
}

}  // namespace

}  // namespace vfilter::test
