// Sequences and single pictures, in and out.

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/end_to_end.h"

namespace vfilter::test {

namespace {

class Pictures : public EndToEnd {
protected:
    // Moving pictures with a number each from 1 on.
    void make_pictures(const std::string& names, int count = 5, const std::string& more = "") const {
        ffmpeg(fmt::format("-f lavfi -i testsrc2=s=64x48:r=25 -frames:v {} {} '{}'", count, more, names));
    }
    [[nodiscard]] std::string format_of(const std::string& name) const {
        return run(fmt::format("ffprobe -v error -show_entries stream=pix_fmt -of csv=p=0 'file:{}'", name)).out;
    }
    // Of one file, whatever its name looks like.
    [[nodiscard]] std::string hash(const std::string& name, const std::string& format) const {
        return ffmpeg_output(fmt::format("-f image2 -pattern_type none -i '{}' -pix_fmt {} -f md5 -", name, format));
    }
};

TEST_F(Pictures, OfSeveralKindsAreRefused) {
    make_pictures("a%d.png", 2);
    make_pictures("b%d.jpg", 2);
    const Result result = vfilter("'[ab]*' out.mkv");
    EXPECT_EQ(result.code, 3) << result;
    EXPECT_TRUE(says(result, "pictures of several kinds are no sequence: a1.png is PNG, b1.jpg is JPEG")) << result;
}

TEST_F(Pictures, OfAPatternAreAVideo) {
    make_pictures("f_%04d.png");
    const Result result = vfilter("f_%04d.png out.mkv --codec ffv1 --framerate 23.976 --box 1");
    EXPECT_EQ(result.code, 0) << result;
    EXPECT_TRUE(says(result, "f_%04d.png: 5 pictures, numbers 1 to 5, 23.976 per second")) << result;
    EXPECT_EQ(ffmpeg_output("-i out.mkv -pix_fmt rgb24 -f md5 -"),
              ffmpeg_output("-framerate 25 -i f_%04d.png -pix_fmt rgb24 -f md5 -"));
    EXPECT_EQ(probe("out.mkv").video().facts.at("avg_frame_rate"), "24000/1001");
}

TEST_F(Pictures, OfAGlobAreInNaturalOrder) {
    make_pictures("a%d.png", 12);
    const Result result = vfilter("'a*.png' out.mkv --codec ffv1 --box 1");
    EXPECT_EQ(result.code, 0) << result;
    EXPECT_EQ(ffmpeg_output("-i out.mkv -pix_fmt rgb24 -f md5 -"), ffmpeg_output("-i a%d.png -pix_fmt rgb24 -f md5 -"));
}

TEST_F(Pictures, ThatAreMissingOrBrokenAreDamage) {
    make_pictures("f%d.png", 9);
    std::filesystem::remove(path("f4.png"));
    std::filesystem::remove(path("f5.png"));
    const nlohmann::json report = filter("f%d.png out.mkv --codec ffv1 --box 1", Damage::expected);
    EXPECT_EQ(report.at("exit_code"), 5);
    EXPECT_EQ(report.at("damage").at("pictures_missing"), 2);
    EXPECT_EQ(report.at("damage").at("notes").at(0), "pictures 4 to 5 are missing");
    const std::vector<double> times = picture_times("out.mkv");
    ASSERT_EQ(times.size(), 7U);
    EXPECT_NEAR(times[3], 5 * 0.04, 0.001) << "a hole keeps its time";
    const Result strict = vfilter("f%d.png strict.mkv --codec ffv1 --strict");
    EXPECT_EQ(strict.code, 5) << strict;
    EXPECT_FALSE(exists("strict.mkv"));

    write("f4.png", "");
    write("f5.png", content("f6.png").substr(0, 400));
    const nlohmann::json broken = filter("f%d.png broken.mkv --codec ffv1 --box 1", Damage::expected);
    EXPECT_EQ(broken.at("exit_code"), 5);
    EXPECT_EQ(broken.at("damage").at("notes").at(0), "f4.png: empty");
}

TEST_F(Pictures, AreCountedByStartAndFrames) {
    make_pictures("f%d.png", 9);
    EXPECT_EQ(vfilter("f%d.png out.mkv --codec ffv1 --box 1 --start 3f --frames 4").code, 0);
    std::vector<std::string> hashes = picture_hashes("out.mkv", "-pix_fmt rgb24");
    std::vector<std::string> all = picture_hashes("f%d.png", "-pix_fmt rgb24");
    ASSERT_EQ(all.size(), 9U);
    EXPECT_EQ(hashes, std::vector<std::string>(all.begin() + 3, all.begin() + 7));
}

// Fault 32: names are ours, and each is looked at before the first is written.
TEST_F(Pictures, OfAVideoAreFiles) {
    make_clip("in.mkv", 10);
    std::filesystem::create_directory(path("a%d"));
    const Result result = vfilter("in.mkv 'a%d/o_%02d.png' --box 1 --start-number 7");
    EXPECT_EQ(result.code, 0) << result;
    std::vector<std::string> made;
    for (const auto& entry : std::filesystem::directory_iterator(path("a%d"))) {
        made.push_back(entry.path().filename().string());
    }
    std::ranges::sort(made);
    ASSERT_EQ(made.size(), 10U);
    EXPECT_EQ(made.front(), "o_07.png");
    EXPECT_EQ(made.back(), "o_16.png");
    EXPECT_EQ(names().size(), 2U) << "nothing else";

    // Back again they are the same samples.
    ASSERT_EQ(vfilter("'a%d/o_%02d.png' back.mkv --codec ffv1 --box 1").code, 0);
    EXPECT_EQ(picture_hashes("back.mkv", "-pix_fmt rgb24").size(), 10U);
    EXPECT_EQ(picture_hashes("back.mkv", "-pix_fmt rgb24").front() + "\n", hash("a%d/o_07.png", "rgb24").substr(4))
        << "md5";
}

TEST_F(Pictures, ReplaceNothingUnasked) {
    make_clip("in.mkv", 10);
    write("o_4.png", "precious");
    write("o_11.png", "older");
    for (const std::string flag : {"", "-n"}) {
        const Result refused = vfilter("in.mkv o_%d.png " + flag);
        EXPECT_EQ(refused.code, 4) << refused;
        EXPECT_TRUE(says(refused, "o_4.png")) << refused;
        EXPECT_FALSE(exists("o_1.png")) << refused;
        EXPECT_EQ(content("o_4.png"), "precious");
    }
    const Result replaced = vfilter("in.mkv o_%d.png -y");
    EXPECT_EQ(replaced.code, 0) << replaced;
    EXPECT_NE(content("o_4.png"), "precious");
    EXPECT_EQ(content("o_11.png"), "older");
    EXPECT_TRUE(says(replaced, "o_11.png of an earlier sequence is behind the last picture")) << replaced;
    // What is read is never written over, whatever -y says.
    for (const std::string line : {"o_%d.png o_%d.png -y", "'o_?.png' o_%d.png -y", "o_4.png o_%d.png -y --frames 1",
                                   "in.mkv o_%d.png -y --report o_3.png"}) {
        const Result same = vfilter(line);
        EXPECT_EQ(same.code, 2) << same;
    }
}

TEST_F(Pictures, AreOneWhereTheNameIs) {
    make_clip("in.mkv", 10);
    const Result many = vfilter("in.mkv one.png");
    EXPECT_EQ(many.code, 2) << many;
    EXPECT_TRUE(says(many, "one_%04d.png names each")) << many;
    EXPECT_FALSE(exists("one.png"));
    EXPECT_EQ(vfilter("in.mkv one.png --frames 1").code, 0);
    // Where nobody knows how many come.
    const Result unknown = run("ffmpeg -v error -i in.mkv -f yuv4mpegpipe - | $VFILTER - two.png --box 1");
    EXPECT_EQ(unknown.code, 4) << unknown;
    EXPECT_FALSE(exists("two.png"));
    ASSERT_EQ(run("$VFILTER in.mkv - --format png --frames 1 -q > three.png").code, 0);
    EXPECT_EQ(hash("three.png", "rgb24"), hash("one.png", "rgb24"));
}

// Samples survive where the format of the picture has them.
TEST_F(Pictures, KeepTheirSamples) {
    const struct {
        std::string made;
        std::string format;
        std::string to;
    } cases[] = {{"rgb48be", "png", "png"},  {"rgb48be", "png", "tiff"}, {"gray", "png", "png"},
                 {"gray16be", "png", "png"}, {"rgba", "png", "png"},     {"rgba64be", "png", "png"},
                 {"ya8", "png", "png"},      {"rgb24", "tiff", "bmp"},   {"rgb24", "ppm", "png"},
                 {"gray", "pgm", "tiff"},    {"rgb24", "bmp", "ppm"},    {"rgb48le", "tiff", "png"},
                 {"gray16be", "pgm", "pgm"}};
    for (const auto& [made, format, to] : cases) {
        SCOPED_TRACE(made + " " + format + " " + to);
        make_pictures("in." + format, 1, "-vf noise=alls=30:all_seed=1 -update 1 -pix_fmt " + made);
        const Result result = vfilter(fmt::format("in.{} out.{} -y --box 1", format, to));
        EXPECT_EQ(result.code, 0) << result;
        EXPECT_EQ(hash("in." + format, "rgba64le"), hash("out." + to, "rgba64le"));
        if (format == to) {
            EXPECT_EQ(format_of("in." + format), format_of("out." + to));
        }
    }
}

TEST_F(Pictures, OfJpegHaveTheFullRange) {
    make_pictures("full.jpg", 1, "-update 1 -q:v 2");
    ASSERT_EQ(vfilter("full.jpg same.jpg --box 1").code, 0);
    ffmpeg("-f lavfi -i color=white:s=64x48,format=yuv420p -frames:v 1 -c:v ffv1 white.mkv");
    const Result white = vfilter("white.mkv white.jpg --box 1");
    EXPECT_EQ(white.code, 0) << white;
    EXPECT_TRUE(says(white, "quality 2")) << white;
    for (const std::string name : {"same.jpg", "white.jpg"}) {
        const Media media = probe(name);
        EXPECT_EQ(media.video().facts.at("pix_fmt"), "yuvj420p") << name;
    }
    const std::string bytes = ffmpeg_output("-i white.jpg -pix_fmt gray -f rawvideo -");
    EXPECT_EQ(static_cast<unsigned char>(bytes.at(0)), 255U);
    EXPECT_EQ(vfilter("full.jpg worse.jpg --box 1 --crf 31").code, 0);
    EXPECT_LT(content("worse.jpg").size(), content("same.jpg").size());
    EXPECT_EQ(vfilter("full.jpg worse.jpg --box 1 --crf 32 -y").code, 2);
}

TEST_F(Pictures, OfOtherFormatsAreFilesToo) {
    make_clip("in.mkv", 4);
    for (const std::string ending : {"jpg", "tiff", "bmp", "ppm", "webp", "avif", "dpx", "sgi", "tga", "jp2", "qoi"}) {
        SCOPED_TRACE(ending);
        const Result result = vfilter(fmt::format("in.mkv o_%d.{} --box 1", ending));
        EXPECT_EQ(result.code, 0) << result;
        for (int i = 1; i <= 4; ++i) {
            EXPECT_EQ(count_pictures(fmt::format("o_{}.{}", i, ending)), 1);
        }
        EXPECT_FALSE(exists("o_5." + ending));
        const Result back = vfilter(fmt::format("o_%d.{} {}.mkv --codec ffv1 --box 1", ending, ending));
        EXPECT_EQ(back.code, 0) << back;
        EXPECT_EQ(count_pictures(ending + ".mkv"), 4);
    }
}

// Gray without a word is full, which not every encoder can say of YUV.
TEST_F(Pictures, OfGrayKeepTheirBrightness) {
    ffmpeg("-f lavfi -i color=0x404040:s=64x64 -frames:v 1 -vf format=rgb24,format=gray -pix_fmt gray in.png");
    ffmpeg("-loop 1 -i in.png -t 0.4 -vf setparams=colorspace=gbr -pix_fmt gray -c:v ffv1 -colorspace rgb in.mkv");
    ASSERT_EQ(probe("in.png").video().facts.at("pix_fmt"), "gray");
    for (const auto& [in, out] : {std::pair("in.png", "out.webp"),
                                  {"in.png", "out.jpg"},
                                  {"in.mkv", "out.avi"},
                                  {"in.mkv", "out.nut"},
                                  {"in.mkv", "out.webm"}}) {
        filter(fmt::format("{} {} --gaussian 3", in, out));
        const std::string rgb = ffmpeg_output(fmt::format("-i {} -frames:v 1 -f rawvideo -pix_fmt rgb24 -", out));
        ASSERT_EQ(rgb.size(), 64U * 64 * 3) << out;
        EXPECT_NEAR(static_cast<unsigned char>(rgb[3000]), 64, 1) << out;
    }
}

TEST_F(Pictures, SayWhatIsLost) {
    ffmpeg("-f lavfi -i testsrc2=s=1280x720,format=yuv420p -frames:v 1 -colorspace bt709 -c:v ffv1 in.mkv");
    const Result colours = vfilter("in.mkv out.jpg --box 1 --frames 1");
    EXPECT_EQ(colours.code, 0) << colours;
    EXPECT_TRUE(says(colours, "bt709, which readers of JPEG take for BT.601")) << colours;
    // An EXIF block of one tag, the camera's maker.
    make_pictures("plain.jpg", 1, "-update 1");
    const std::string exif(
        "\xFF\xE1\x00\x28"
        "Exif\0\0II*\0\x08\0\0\0\x01\0\x0F\x01\x02\0\x06\0\0\0\x1A\0\0\0\0\0\0\0Maker\0",
        42);
    const std::string plain = content("plain.jpg");
    write("exif.jpg", plain.substr(0, 2) + exif + plain.substr(2));
    const Result tags = vfilter("exif.jpg out.png --box 1");
    EXPECT_EQ(tags.code, 0) << tags;
    EXPECT_TRUE(says(tags, "left out: Make")) << tags;
    ffmpeg("-f lavfi -i testsrc2=s=64x48:r=25 -frames:v 2 -c:v ffv1 -metadata artist=Somebody named.mkv");
    for (const char* const out : {"one.bmp --frames 1", "each_%d.bmp"}) {
        const Result named = vfilter(fmt::format("named.mkv {} --box 1", out));
        EXPECT_EQ(named.code, 0) << named;
        EXPECT_TRUE(says(named, "a picture does not hold, and leaves out: ARTIST")) << named;
    }
    make_pictures("rgb.png", 1, "-pix_fmt rgb24 -update 1");
    const Result halved = vfilter("rgb.png out.webp --box 1");
    EXPECT_EQ(halved.code, 0) << halved;
    EXPECT_TRUE(says(halved, "makes 4:2:0")) << halved;
    for (const std::string options : {"lossless=false", "lossless=min", "lossless=1 --encoder-option lossless=0"}) {
        const Result lossy = vfilter("rgb.png out.webp -y --box 1 --encoder-option " + options);
        EXPECT_TRUE(says(lossy, "makes 4:2:0")) << lossy;
    }
    const Result whole = vfilter("rgb.png whole.webp --box 1 --encoder-option lossless=1");
    EXPECT_EQ(whole.code, 0) << whole;
    EXPECT_TRUE(says(whole, "without loss")) << whole;
}

// Two tiles of 64 by 64, which neither of the encoders that FFmpeg has would make.
TEST_F(Pictures, InTilesAreRefused) {
    const std::string digits =
        "00000020667479706176696600000000617669666d6966316d6961664d4131420000017f6d657461000000000000002868646c72000000"
        "0000000000706963740000000000000000000000006c696261766966000000000e7069746d0000000000010000003a696c6f6300000000"
        "44000003000100000001000001a700000008000200000001000001af0000001b000300000001000001af0000001b0000005c69696e6600"
        "00000000030000001a696e6665020000000001000067726964436f6c6f72000000001a696e6665020000010002000061763031436f6c6f"
        "72000000001a696e6665020000010003000061763031436f6c6f72000000001c69726566000000000000001064696d6700010002000200"
        "030000008b697072700000005f6970636f0000001469737065000000000000008000000040000000107069786900000000030808080000"
        "0013636f6c726e636c780001000d00068000000014697370650000000000000040000000400000000c6176314381000c00000000246970"
        "6d61000000000000000300010301020300020404028503000304040285030000002b6d646174000000010080004012000a0918157ffd82"
        "021a0d08320c1b401c71c70400b711e2bbc0";
    std::string bytes;
    for (std::size_t i = 0; i < digits.size(); i += 2) {
        bytes += static_cast<char>(std::stoi(digits.substr(i, 2), nullptr, 16));
    }
    write("tiles.avif", bytes);
    const Result result = vfilter("tiles.avif out.png --box 1");
    EXPECT_EQ(result.code, 3) << result;
    EXPECT_TRUE(says(result, "tiles, which are not put together") || says(result, "can be decoded")) << result;
    EXPECT_FALSE(std::filesystem::exists(path("out.png")));
}

TEST_F(Pictures, OfAvifAreWholeOrTold) {
    ffmpeg("-f lavfi -i testsrc2=s=64x48:r=25:d=0.04 in.png");
    ASSERT_EQ(vfilter("in.png own.avif").code, 0);
    ffmpeg("-i in.png -c:v libaom-av1 -cpu-used 8 -still-picture 1 theirs.avif");
    for (const std::string name : {"own", "theirs"}) {
        const Result whole = vfilter(name + ".avif " + name + ".png --gaussian 3");
        EXPECT_EQ(whole.code, 0) << whole;
        const std::string bytes = content(name + ".avif");
        write("cut.avif", bytes.substr(0, bytes.size() - 40));
        const Result cut = vfilter("cut.avif cut.png -y --gaussian 3");
        EXPECT_TRUE(cut.code == 5 || cut.code == 3) << cut;
    }
}

// A further page that has the first one's samples.
std::string with_second_page(std::string tiff) {
    const auto number = [&](std::size_t at, std::size_t size) {
        std::size_t value = 0;
        for (std::size_t i = size; i-- > 0;) {
            value = value << 8 | static_cast<unsigned char>(tiff[at + i]);
        }
        return value;
    };
    const std::size_t directory = number(4, 4);
    const std::size_t size = 2 + 12 * number(directory, 2);
    const std::string copy = tiff.substr(directory, size + 4);
    for (std::size_t i = 0; i < 4; ++i) {
        tiff[directory + size + i] = static_cast<char>(tiff.size() >> 8 * i & 0xFF);
    }
    return tiff + copy;
}

TEST_F(Pictures, OfWhichOneIsReadTellOfTheOthers) {
    ffmpeg("-f lavfi -i testsrc2=s=64x48:r=25:d=0.04 -compression_algo raw a1.tif");
    EXPECT_EQ(vfilter("a1.tif one.png --gaussian 3").code, 0);
    const std::string tiff = content("a1.tif");
    ASSERT_TRUE(tiff.starts_with("II"));
    write("a2.tif", with_second_page(tiff));
    const Result result = vfilter("a2.tif two.png --gaussian 3");
    EXPECT_EQ(result.code, 5) << result;
    EXPECT_NE(result.err.find("another picture begins, which is not read, at byte"), std::string::npos) << result;
    const Result sequence = vfilter("a%d.tif out.mkv --gaussian 3");
    EXPECT_EQ(sequence.code, 5) << sequence;
    EXPECT_NE(sequence.err.find("a2.tif: another picture begins"), std::string::npos) << sequence;
    EXPECT_EQ(count_pictures("out.mkv"), 2);
    EXPECT_EQ(vfilter("a%d.tif strict.mkv --gaussian 3 --strict").code, 5);
}

TEST_F(Pictures, OfInterlacedVideosAreWhole) {
    ffmpeg("-f lavfi -i testsrc2=s=64x48:r=25:d=0.2 -flags +ildct+ilme -c:v mpeg2video in.mpg");
    for (const char* const out : {"out.jpg --frames 1", "out.avi --codec mjpeg"}) {
        const Result result = vfilter(fmt::format("in.mpg {} --box 1", out));
        EXPECT_EQ(result.code, 0) << result;
        EXPECT_TRUE(says(result, "takes both fields of one as a whole")) << result;
    }
}

// Fault 20, of pictures.
TEST_F(Pictures, OfAKilledRunAreWhole) {
    ffmpeg("-f lavfi -i testsrc2=s=320x240:r=25:d=8 -c:v libx264 -preset ultrafast in.mkv");
    Command command("exec $VFILTER in.mkv o_%d.png --gaussian 31 --threads 1 -q", folder());
    while (command.running() && !exists("o_5.png")) {
        std::this_thread::sleep_for(std::chrono::milliseconds(3));
    }
    ASSERT_TRUE(command.signal(SIGKILL));
    command.wait(std::chrono::seconds(10));
    const auto there = names().size() - parts().size() - 1;
    EXPECT_GE(there, 5U);
    EXPECT_LT(there, 200U);
    EXPECT_LE(parts().size(), 1U);
    for (std::size_t i = 1; i <= there; ++i) {
        EXPECT_EQ(ffmpeg_complaints(fmt::format("o_{}.png", i)), "");
    }
    Command stopped("exec $VFILTER in.mkv s_%d.png --gaussian 31 --threads 1 -q", folder());
    while (stopped.running() && !exists("s_5.png")) {
        std::this_thread::sleep_for(std::chrono::milliseconds(3));
    }
    ASSERT_TRUE(stopped.signal(SIGINT));
    EXPECT_EQ(stopped.wait(std::chrono::seconds(10)).code, 130);
    EXPECT_LE(parts().size(), 1U);
}

TEST_F(Pictures, HaveARateOnlyWhereTheyNeedOne) {
    make_clip("in.mkv", 5);
    EXPECT_EQ(vfilter("in.mkv out.mkv --framerate 25").code, 2);
    for (const std::string rate : {"0", "-1", "x", "25/0", "1/", "1e9", "nan"}) {
        EXPECT_EQ(vfilter("in.mkv out.mkv --framerate=" + rate).code, 2) << rate;
    }
}

}  // namespace

}  // namespace vfilter::test
