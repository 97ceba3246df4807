// Small inputs that would fill a disk or the memory, or have other files read.

#include <fmt/format.h>

#include <bit>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>

#include "tests/support/end_to_end.h"

namespace vfilter::test {

namespace {

class Hostile : public EndToEnd {
protected:
    [[nodiscard]] std::uintmax_t size_of(const std::string& name) const {
        return std::filesystem::file_size(path(name));
    }
};

// From the middle on the sound has times that are so many seconds later.
std::string clip_with_late_sound(const std::string& codec, int seconds, const std::string& more = "") {
    return fmt::format(
        "-f lavfi -i testsrc2=s=64x64:r=25:d=1 -f lavfi -i sine=r=48000:d=1 -c:v mpeg4 -c:a {} {} "
        "-af \"asetpts='PTS+if(gt(N,20),{}/TB,0)'\" in.mkv",
        codec, more, seconds);
}

TEST_F(Hostile, HoleOfSoundIsAStepOfTheTimes) {
    constexpr int seconds = 7200;
    ffmpeg(clip_with_late_sound("pcm_s16le", seconds));
    const double end = probe("in.mkv").of("audio").at(0).times().back();
    for (const char* const more : {"out.mkv --audio flac", "out.mkv --audio aac", "out.mp4 --audio aac", "out.webm"}) {
        SCOPED_TRACE(more);
        filter(fmt::format("in.mkv {} --gaussian 3", more));
        const std::string name = std::string(more).substr(0, std::string(more).find(' '));
        const Stream sound = probe(name).of("audio").at(0);
        EXPECT_LT(sound.packets.size(), 400U);
        EXPECT_NEAR(sound.times().back(), end, 0.1);
    }
}

TEST_F(Hostile, HoleOfSoundThatNothingBearsOutIsDamage) {
    ffmpeg(clip_with_late_sound("pcm_s16le", 7200));
    for (const char* const more : {"out.avi --audio pcm", "out.mov --audio pcm", "out.mxf"}) {
        SCOPED_TRACE(more);
        const Result result = vfilter(fmt::format("in.mkv {} --gaussian 3", more));
        EXPECT_EQ(result.code, 5) << result;
        EXPECT_TRUE(says(result, "a time that is 7200.0")) << result;
        EXPECT_LT(size_of(std::string(more).substr(0, 7)), 1'000'000U);
    }
}

// What the input may well have is silence, as ever.
TEST_F(Hostile, HoleOfSoundIsSilence) {
    ffmpeg(clip_with_late_sound("pcm_s16le", 50));
    filter("in.mkv out.avi --audio pcm --gaussian 3");
    filter("in.mkv out.mkv --audio flac --gaussian 3");
    const auto length = [&](const std::string& name) {
        return ffmpeg_output(fmt::format("-i {} -map 0:a:0 -ac 1 -ar 8000 -f u8 -", name)).size();
    };
    EXPECT_NEAR(static_cast<double>(length("out.avi")), 51 * 8000, 400);
    EXPECT_NEAR(static_cast<double>(length("out.mkv")), 51 * 8000, 400);
}

TEST_F(Hostile, DurationThatIsWrongMakesNoLargeFile) {
    ffmpeg(
        "-f lavfi -i testsrc2=s=64x64:r=25:d=0.2 -f lavfi -i sine=r=48000:d=0.2 -c:v libx264 -preset ultrafast "
        "-c:a pcm_s16le in.mkv");
    std::string file = content("in.mkv");
    const std::size_t duration = file.find("\x44\x89\x88");
    ASSERT_NE(duration, std::string::npos);
    const auto bits = std::bit_cast<std::uint64_t>(1e8);  // milliseconds, to which MXF would have silence
    for (std::size_t i = 0; i < sizeof(bits); ++i) {
        file[duration + 3 + i] = static_cast<char>(bits >> (56 - 8 * i));
    }
    write("in.mkv", file);
    for (const char* const out : {"out.mp4", "out.mxf"}) {
        const Result result = vfilter(fmt::format("in.mkv {} --gaussian 3", out));
        EXPECT_EQ(result.code, 5) << result;
        EXPECT_LT(size_of(out), 200'000U);
        EXPECT_EQ(count_pictures(out), 5);
    }
}

std::string png_word(std::uint32_t value) {
    std::string bytes;
    for (const int shift : {24, 16, 8, 0}) {
        bytes += static_cast<char>(value >> shift);
    }
    return bytes;
}

std::string png_chunk(const std::string& name, const std::string& bytes) {
    std::uint32_t sum = 0xFFFFFFFF;
    for (const char byte : name + bytes) {
        sum ^= static_cast<std::uint8_t>(byte);
        for (int i = 0; i < 8; ++i) {
            sum = sum >> 1 ^ ((sum & 1) != 0 ? 0xEDB88320 : 0);
        }
    }
    return png_word(static_cast<std::uint32_t>(bytes.size())) + name + bytes + png_word(~sum);
}

// A picture of one pixel with a chunk of some kilobytes that makes so many bytes of zeros.
std::string png_with(const std::string& type, const std::string& before, std::size_t inflated) {
    // By hand (RFC 1951, 3.2.6): a zero, and copies of 258 bytes from one byte before.
    std::string deflated = "\x78\x01";
    unsigned byte = 0;
    unsigned bits = 0;
    const auto put = [&](unsigned code, int length) {
        for (int i = length - 1; i >= 0; --i) {
            byte |= (code >> i & 1U) << bits;
            if (++bits == 8) {
                deflated += static_cast<char>(byte);
                byte = bits = 0;
            }
        }
    };
    put(0b110, 3);
    put(0b00110000, 8);
    std::uint32_t made = 1;
    for (; made < inflated; made += 258) {
        put(0b11000101, 8);
        put(0, 5);
    }
    put(0, 7);
    put(0, 7);
    deflated += png_word(made % 65521 << 16 | 1);
    const std::string header("\0\0\0\1\0\0\0\1\10\0\0\0\0", 13);
    const std::string picture("\x78\x9c\x63\x60\0\0\0\2\0\1", 10);
    return "\x89PNG\r\n\x1a\n" + png_chunk("IHDR", header) + png_chunk(type, before + deflated) +
           png_chunk("IDAT", picture) + png_chunk("IEND", "");
}

TEST_F(Hostile, TextsOfPngDoNotFillTheMemory) {
    using namespace std::string_literals;
    for (const auto& [type, before] :
         {std::pair("iCCP"s, "a\0\0"s), {"zTXt"s, "Comment\0\0"s}, {"iTXt"s, "Comment\0\1\0\0\0"s}}) {
        SCOPED_TRACE(type);
        write("in.png", png_with(type, before, std::size_t{80} << 20));
        write("small.png", png_with(type, before, std::size_t{1} << 20));
        const Result result = vfilter("in.png out.png -y --gaussian 3");
        EXPECT_EQ(result.code, 3) << result;
        EXPECT_TRUE(says(result, fmt::format("in.png: its {} chunk makes more than 64 MiB", type))) << result;
        EXPECT_EQ(vfilter("small.png out.png -y --gaussian 3").code, 0);
        const Result piped = run("cat in.png | $VFILTER - out.png -y --gaussian 3");
        EXPECT_EQ(piped.code, 3) << piped;
        const Result mask = vfilter("small.png out.png -y --gaussian 3:mask=in.png");
        EXPECT_EQ(mask.code, 2) << mask;
        EXPECT_TRUE(says(mask, "makes more than 64 MiB")) << mask;
    }
    // A cover is copied.
    ASSERT_EQ(run("ffmpeg -v error -y -f lavfi -i testsrc2=s=64x64:d=0.2 -c:v mpeg4 -attach in.png -metadata:s:t "
                  "mimetype=image/png -metadata:s:t filename=cover.png in.mkv")
                  .code,
              0);
    filter("in.mkv out.mkv --gaussian 3");
}

TEST_F(Hostile, ManySubtitlesAtOnceAreBounded) {
    std::string words;
    constexpr int count = 1500;
    for (int i = 1; i <= count; ++i) {
        words += fmt::format("{0}\n00:00:{1:02},{2:03} --> 00:10:{1:02},{2:03}\nline {0}\n\n", i, i / 1000, i % 1000);
    }
    write("in.srt", words);
    ffmpeg("-f lavfi -i testsrc2=s=64x64:d=1 -i in.srt -c:v mpeg4 -c:s srt in.mkv");
    const Result result = vfilter("in.mkv out.mp4 --gaussian 3");
    EXPECT_EQ(result.code, 5) << result;
    EXPECT_LT(size_of("out.mp4"), 2'500'000U);
    EXPECT_TRUE(says(result, fmt::format("{}", count - 100))) << result;
}

// Minutes within a library, which asks nobody whether it should go on.
TEST_F(Hostile, OpeningThatTakesLongIsEnded) {
    std::string drawing = "<svg xmlns='http://www.w3.org/2000/svg' width='4000' height='4000'><filter id='f'>";
    for (int i = 0; i < 40; ++i) {
        drawing += "<feTurbulence numOctaves='255' baseFrequency='0.5'/>";
    }
    write("in.svg", drawing + "</filter><rect width='4000' height='4000' filter='url(#f)'/></svg>");
    if (run("ffmpeg -v quiet -decoders | grep -q svg").code != 0) {
        GTEST_SKIP() << "this FFmpeg reads no SVG";
    }
    const Result stalled = vfilter("in.svg out.png --gaussian 3 --stall-timeout 0.3");
    EXPECT_EQ(stalled.code, 1) << stalled;
    EXPECT_TRUE(says(stalled, "the input is being opened: no progress for 0.3 s")) << stalled;
    // It has two seconds for its report, as a machine counts them that has much to do, or stands still.
    for (int attempt = 0; attempt < 5 && !exists("r.json"); ++attempt) {
        Command command("exec $VFILTER in.svg out.png --gaussian 3 --report r.json", folder());
        command.wait_until_it_hears();
        std::this_thread::sleep_for(std::chrono::milliseconds(500));
        ASSERT_TRUE(command.signal(SIGINT));
        const Result stopped = command.wait(std::chrono::seconds(60));
        EXPECT_EQ(stopped.code, 130) << stopped;
        EXPECT_EQ(parts().size(), 0U);
    }
    ASSERT_TRUE(exists("r.json"));
    EXPECT_EQ(json_of("r.json").at("exit_code"), 130);
}

// FFmpeg's reader of pictures by their names takes those for the planes of one.
TEST_F(Hostile, FilesThatWereNotNamedStayClosed) {
    write("in.Y", std::string(std::size_t{64} * 64, 'y'));
    write("in.U", std::string(std::size_t{32} * 32, 'u'));
    write("in.V", std::string(std::size_t{32} * 32, 'v'));
    const Result result =
        vfilter("in.Y out.png --gaussian 3 --input-option video_size=64x64 --input-option pixel_format=yuv420p");
    EXPECT_EQ(result.code, 3) << result;
    EXPECT_FALSE(exists("out.png"));
}

// By options of FFmpeg's, which would lift the locks.
TEST_F(Hostile, OptionsOpenOtherFilesOnlyWithLeave) {
    ffmpeg("-f lavfi -i testsrc2=s=64x64:d=0.2 -c:v mpeg4 in.mp4");
    write("g.txt", "movie=in.mp4[out0]");
    write("c.txt", "ffconcat version 1.0\nfile in.mp4\n");
    const std::string graph =
        "lavfi:testsrc2=d=0.1 out.mkv -y --identity --input-option graph_file=g.txt --input-option "
        "protocol_whitelist=file ";
    const std::string list =
        "c.txt out.mkv -y --identity --input-format concat --input-option format_whitelist=concat,mov ";
    for (const std::string& arguments :
         {graph, graph + "--allow-files", graph + "--allow-network", list,
          list + "--allow-files --input-option protocol_whitelist=file,http,tcp",
          std::string("in.mp4 out.mkv -y --identity --add c.txt --add-option format_whitelist=concat,mov"),
          std::string("x11grab:192.0.2.1:0 out.mkv -y --identity --frames 1")}) {
        const Result result = vfilter(arguments);
        EXPECT_EQ(result.code, 2) << arguments << result;
        EXPECT_TRUE(says(result, "that needs --allow-")) << result;
        EXPECT_FALSE(exists("out.mkv"));
    }
    filter(graph + "--allow-files --allow-network");
    filter(list + "--allow-files");
    write("run.toml",
          "input = 'c.txt'\noutput = 'out.mkv'\ninput-format = 'concat'\n"
          "input-option = ['format_whitelist=concat,mov']\n[[filter]]\nname = 'identity'\n");
    const Result configured = vfilter("--config run.toml -y");
    EXPECT_EQ(configured.code, 2) << configured;
}

TEST_F(Hostile, DrawingsAreDrawnAsTheirNamesSay) {
    if (run("ffmpeg -v quiet -decoders | grep -q svg").code != 0) {
        GTEST_SKIP() << "this FFmpeg reads no SVG";
    }
    const auto drawing = [](const std::string& image) {
        return "<?xml version='1.0'?>\n<svg xmlns='http://www.w3.org/2000/svg' "
               "xmlns:xlink='http://www.w3.org/1999/xlink' width='64' "
               "height='64'><rect width='64' height='64' fill='red'/>" +
               image + "</svg>";
    };
    // The header of a PNG of 16000x16000.
    write("in.svg", drawing("<image width='9' height='9' xlink:href='data:image/png;base64,"
                            "iVBORw0KGgoAAAANSUhEUgAAPoAAAD6A'/>"));
    ffmpeg("-f lavfi -i testsrc2=s=64x64 -frames:v 1 small.png");
    const Result large = vfilter("in.svg out.png -y --identity");
    EXPECT_EQ(large.code, 3) << large;
    EXPECT_TRUE(says(large, "an image in it, 16000x16000, is larger than 160 Mpixel")) << large;
    const Result mask = vfilter("small.png out.png -y --gaussian 3:mask=in.svg");
    EXPECT_EQ(mask.code, 2) << mask;
    EXPECT_TRUE(says(mask, "an image in it, 16000x16000")) << mask;
    EXPECT_EQ(vfilter("in.svg out.png -y --identity --max-pixels 300M").code, 0);
    write("plain.svg", drawing(""));
    filter("plain.svg out.png -y --identity");
    EXPECT_EQ(vfilter("small.png out.png -y --gaussian 3:mask=plain.svg").code, 0);
    EXPECT_EQ(run("gzip -c plain.svg > packed.svgz; gzip -c in.svg > large.svgz").code, 0);
    const Result packed = vfilter("large.svgz out.png -y --identity");
    EXPECT_EQ(packed.code, 3) << packed;
    EXPECT_EQ(run("cp plain.svg photo").code, 0);
    const Result hidden = vfilter("photo out.png -y --identity");
    EXPECT_EQ(hidden.code, 3) << hidden;
    EXPECT_TRUE(says(hidden, "is an SVG, which is drawn only if its name ends with .svg")) << hidden;
    filter("photo out.png -y --identity --input-format svg_pipe");
    const Result piped = run("cat in.svg | $VFILTER - out.png -y --identity --input-format svg_pipe");
    EXPECT_EQ(piped.code, 3) << piped;
    EXPECT_TRUE(says(piped, "an image in it, 16000x16000")) << piped;
}

TEST_F(Hostile, AllTextsOfAPictureAreCounted) {
    ffmpeg("-f lavfi -i testsrc2=s=64x64 -frames:v 1 in.png");
    std::ifstream file(path("in.png"), std::ios::binary);
    std::string picture(std::istreambuf_iterator<char>(file), {});
    std::string texts;
    for (int i = 0; i < 500; ++i) {
        texts += png_chunk("iTXt", fmt::format("k{:04}", i) + std::string(5, '\0') + "x");
    }
    constexpr std::size_t behind_header = 33;
    write("in.png", picture.insert(behind_header, texts));
    const Result result = vfilter("in.png out.png -y --identity");
    EXPECT_TRUE(says(result, "k0000, k0001, k0002, k0003 and 496 more")) << result;
}

TEST_F(Hostile, HourBetweenPicturesIsToldOfMpeg4) {
    ffmpeg(
        "-f lavfi -i testsrc2=s=64x64:r=25:d=1 -c:v libx264 -bf 0 -bsf:v "
        "\"setts=ts='if(gt(N\\,12)\\,TS+4000000\\,TS)'\" "
        "in.mkv");
    const Result result = vfilter("in.mkv out.mkv --codec mpeg4 --gaussian 3");
    EXPECT_EQ(result.code, 8) << result;
    EXPECT_TRUE(says(result, "an hour apart at most")) << result;
    EXPECT_FALSE(says(result, "not permitted")) << result;
}

}  // namespace

}  // namespace vfilter::test
