// What files of pictures say in ways that FFmpeg does not read, and what their readers take the samples for.

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>

#include "tests/support/end_to_end.h"

namespace vfilter::test {

namespace {

class StillFormats : public EndToEnd {
protected:
    void expect_told(const std::string& name, const std::string& text, const std::string& out = "out.png") const {
        SCOPED_TRACE(name);
        const Result result = vfilter(fmt::format("{} {} -y --identity", name, out));
        EXPECT_EQ(result.code, 5) << result;
        EXPECT_NE(result.err.find(text), std::string::npos) << result;
    }
    // The largest difference of samples from those of another picture, by ffmpeg's eyes.
    [[nodiscard]] int difference(const std::string& a, const std::string& b, const std::string& format) const {
        const auto samples = [&](const std::string& name) {
            ffmpeg(fmt::format("-i {} -f rawvideo -pix_fmt {} {}.raw", name, format, name));
            return content(name + ".raw");
        };
        const std::string one = samples(a);
        const std::string other = samples(b);
        int most = one.size() == other.size() && !one.empty() ? 0 : 255;
        for (std::size_t i = 0; i < one.size() && i < other.size(); ++i) {
            most = std::max(most, std::abs(static_cast<unsigned char>(one[i]) - static_cast<unsigned char>(other[i])));
        }
        return most;
    }
};

// A gray picture of 16x16 in two strips. `changes` has other values of tags, or none where it is negative.
std::string tiff(const std::map<int, int>& changes) {
    constexpr int side = 16;
    constexpr int samples = side * side;
    std::map<int, int> tags{{256, side}, {257, side}, {258, 8},    {259, 1},      {262, 1},
                            {273, 8},    {277, 1},    {278, side}, {279, samples}};
    for (const auto& [tag, value] : changes) {
        tags[tag] = value;
    }
    std::erase_if(tags, [](const auto& tag) { return tag.second < 0; });
    const auto number = [](std::uint32_t value, int size) {
        std::string bytes;
        for (; size > 0; --size, value >>= 8U) {
            bytes += static_cast<char>(value & 0xFFU);
        }
        return bytes;
    };
    std::string file = "II" + number(42, 2) + number(8 + samples, 4) + std::string(samples, 'x');
    file += number(static_cast<std::uint32_t>(tags.size()), 2);
    for (const auto& [tag, value] : tags) {
        file += number(static_cast<std::uint32_t>(tag), 2) + number(4, 2) + number(1, 4) +
                number(static_cast<std::uint32_t>(value), 4);
    }
    return file + number(0, 4);
}

TEST_F(StillFormats, OfTiffThatAreNotDecodedAreTold) {
    write("plain.tif", tiff({}));
    EXPECT_EQ(vfilter("plain.tif out.png -y --identity").code, 0);
    write("rows.tif", tiff({{278, 0}}));
    EXPECT_EQ(vfilter("rows.tif out.png -y --identity").code, 0) << "0 rows are all";
    write("tiles.tif", tiff({{322, 16}, {323, 16}, {324, 8}, {325, 256}, {273, -1}, {278, -1}, {279, -1}}));
    write("signed.tif", tiff({{339, 2}}));
    write("short.tif", tiff({{279, 200}}));
    write("few.tif", tiff({{278, 8}, {279, 128}}));
    write("order.tif", tiff({{258, 4}, {266, 2}, {279, 128}}));
    expect_told("tiles.tif", "tiles, which are not decoded, at byte 264");
    expect_told("signed.tif", "samples below zero or floating, which are taken for whole numbers, at byte 264");
    expect_told("short.tif", "a strip that is too short, at byte 264");
    expect_told("order.tif", "bits in the other order, which are taken as they are, at byte 264");
    expect_told("few.tif", "fewer strips than the picture has, at byte 264");
}

TEST_F(StillFormats, OfJpegThatAreCutAreTold) {
    ffmpeg("-f lavfi -i testsrc2=s=64x48 -frames:v 1 whole.jpg");
    const std::string whole = content("whole.jpg");
    write("cut.jpg", whole.substr(0, whole.size() - 2));
    expect_told("cut.jpg", fmt::format("a picture that has no end at byte {}", whole.size() - 2));
    const std::size_t table = whole.find("\xFF\xDB");
    const auto size = static_cast<std::size_t>(static_cast<unsigned char>(whole[table + 2]) << 8U |
                                               static_cast<unsigned char>(whole[table + 3]));
    write("untold.jpg", whole.substr(0, table) + whole.substr(table + 2 + size));
    expect_told("untold.jpg", "a scan without its table for quantising");
    // Of several pictures, too.
    write("p1.jpg", whole);
    write("p2.jpg", whole.substr(0, whole.size() - 2));
    expect_told("p%d.jpg", "p2.jpg: a picture that has no end", "o%d.png");
}

// The name that a file has for its colours is the one that its readers know.
TEST_F(StillFormats, HaveTheColoursThatTheirReadersExpect) {
    ffmpeg("-f lavfi -i testsrc2=s=64x48 -frames:v 1 -pix_fmt rgb24 rgb.png");
    ffmpeg(
        "-i rgb.png -vf scale=out_color_matrix=bt709:out_range=tv -pix_fmt yuv444p -c:v ffv1 -colorspace bt709 "
        "hd.mkv");
    for (const std::string out : {"hd.tif", "hd.jp2"}) {
        ASSERT_EQ(vfilter("hd.mkv " + out + " --frames 1 --identity").code, 0);
        EXPECT_LE(difference("rgb.png", out, "rgb24"), 3) << out;
    }
    ffmpeg("-i rgb.png -pix_fmt rgb48be deep.png");
    ASSERT_EQ(vfilter("deep.png deep.jp2 --identity").code, 0);
    EXPECT_EQ(difference("deep.png", "deep.jp2", "rgb48le"), 0);
    ASSERT_EQ(vfilter("rgb.png rgb.avif --identity").code, 0);
    const std::string avif = content("rgb.avif");
    const std::size_t colours = avif.find("colrnclx");
    ASSERT_NE(colours, std::string::npos);
    EXPECT_EQ(avif.substr(colours + 12, 2), std::string(2, '\0')) << "the identity matrix";
}

// Gray is taken for full where nothing says that it is not.
TEST_F(StillFormats, OfLimitedGrayAreFilled) {
    ffmpeg("-f lavfi -i gradients=s=64x48:c0=black:c1=white:d=1 -frames:v 1 -pix_fmt gray full.png");
    ffmpeg(
        "-i full.png -vf \"lut=c0=round(val*219/255)+16,setparams=range=tv\" -pix_fmt gray -color_range tv -c:v ffv1 "
        "limited.mkv");
    for (const std::string out : {"out.png", "out.tif", "out.pgm", "out.jp2"}) {
        const Result result = vfilter("limited.mkv " + out + " -y --identity");
        EXPECT_EQ(result.code, 0) << result;
        EXPECT_NE(result.err.find("the gray has the limited range"), std::string::npos) << result;
        EXPECT_LE(difference("full.png", out, "gray"), 1) << out;
    }
    const Result kept = vfilter("limited.mkv out.mkv -y --codec ffv1 --identity");
    EXPECT_EQ(kept.err.find("limited range"), std::string::npos) << kept;
}

// FFmpeg's muxer of QuickTime turns it around, and its encoder of JPEG 2000 has wrong samples of more than 8 bits.
TEST_F(StillFormats, OfGrayAreTheSameInMovies) {
    ffmpeg("-f lavfi -i testsrc2=s=64x48 -frames:v 1 -pix_fmt gray gray.png");
    ASSERT_EQ(vfilter("gray.png gray.mov --codec rawvideo --identity").code, 0);
    EXPECT_EQ(difference("gray.png", "gray.mov", "gray"), 0);
    ffmpeg("-f lavfi -i testsrc2=s=64x48 -frames:v 1 -pix_fmt gray16be deep.png");
    ASSERT_EQ(vfilter("deep.png deep.mkv --codec jpeg2000 --identity").code, 0);
    EXPECT_EQ(difference("deep.png", "deep.mkv", "gray16le"), 0);
}

TEST_F(StillFormats, KeepAlphaOrTellThatItIsLost) {
    ffmpeg("-f lavfi -i color=red@0.5:s=64x48,format=rgba -frames:v 3 a%d.png");
    for (const std::string out : {"a.mp4 --codec vp9", "a.ivf", "a.mov --codec prores --encoder-option profile=hq"}) {
        const Result result = vfilter("a%d.png " + out + " -y --identity");
        EXPECT_EQ(result.code, 0) << result;
        EXPECT_NE(result.err.find("loss of"), std::string::npos) << result;
        EXPECT_NE(result.err.find("alpha"), std::string::npos) << result;
    }
    ASSERT_EQ(vfilter("a%d.png a.webm --codec vp8 --identity").code, 0);
    EXPECT_EQ(probe("a.webm").video().tag("alpha_mode"), "1");
    ASSERT_EQ(vfilter("a%d.png hap.mov --codec hap --identity").code, 0);
    EXPECT_EQ(probe("hap.mov").video().facts.at("codec_tag_string"), "Hap5");
}

// Of CMYK, which is decoded to RGB, and of gray on colours.
TEST_F(StillFormats, KeepNoProfileOfOtherColours) {
    ffmpeg("-f lavfi -i testsrc2=s=64x48 -frames:v 1 plain.jpg");
    const std::string plain = content("plain.jpg");
    for (const std::string space : {"RGB ", "CMYK", "GRAY"}) {
        SCOPED_TRACE(space);
        std::string profile(132, '\0');
        profile[3] = '\x84';
        profile.replace(16, 4, space);
        profile.replace(36, 4, "acsp");
        const std::string segment = std::string("ICC_PROFILE\0\1\1", 14) + profile;
        write("in.jpg", plain.substr(0, 2) + "\xFF\xE2" + std::string(1, '\0') + static_cast<char>(segment.size() + 2) +
                            segment + plain.substr(2));
        const Result result = vfilter("in.jpg out.png -y --box 3");
        EXPECT_EQ(result.code, 0) << result;
        const bool fits = space == "RGB ";
        EXPECT_EQ(content("out.png").find("iCCP") != std::string::npos, fits);
        EXPECT_EQ(result.err.find("the ICC profile is left out: it is of " + space) == std::string::npos, fits)
            << result;
    }
    const Result gray = vfilter("in.jpg gray.png -y --pix-fmt gray");
    EXPECT_EQ(gray.code, 0) << gray;
    EXPECT_NE(content("gray.png").find("iCCP"), std::string::npos) << "gray's own";
}

// Red, green and blue of 16 bits, in a file that anybody writes.
std::string deep_ppm() {
    std::string file = "P6\n256 256\n65535\n";
    for (unsigned i = 0; i < 65536; ++i) {
        for (const unsigned sample : {i, i * 7 & 0xFFFFU, 65535 - i}) {
            file += static_cast<char>(sample >> 8U);
            file += static_cast<char>(sample & 0xFFU);
        }
    }
    return file;
}

TEST_F(StillFormats, OfFewerBitsHaveTheNearestValues) {
    write("deep.ppm", deep_ppm());
    const std::string deep = ffmpeg_output("-i deep.ppm -f rawvideo -pix_fmt rgb48le -");
    for (const std::string out : {"out.bmp", "out.qoi", "out.png --pix-fmt rgb24"}) {
        SCOPED_TRACE(out);
        ASSERT_EQ(vfilter("deep.ppm " + out + " -y --identity").code, 0);
        const std::string flat = ffmpeg_output("-i " + out.substr(0, 7) + " -f rawvideo -pix_fmt rgb24 -");
        ASSERT_EQ(flat.size() * 2, deep.size());
        int wrong = 0;
        for (std::size_t i = 0; i < flat.size(); ++i) {
            const int sample =
                static_cast<unsigned char>(deep[2 * i]) + static_cast<unsigned char>(deep[2 * i + 1]) * 256;
            wrong += static_cast<unsigned char>(flat[i]) == (sample * 255 + 32767) / 65535 ? 0 : 1;
        }
        EXPECT_EQ(wrong, 0);
    }
    for (const std::string out : {"out.exr", "out.pfm"}) {
        SCOPED_TRACE(out);
        const Result result = vfilter("deep.ppm " + out + " -y --identity");
        EXPECT_NE(result.err.find("without loss"), std::string::npos) << result;
        const std::string floats = ffmpeg_output("-i " + out + " -f rawvideo -pix_fmt gbrpf32le -");
        ASSERT_EQ(floats.size(), 3U * 65536 * 4);
        constexpr std::size_t red = 2;  // the plane
        float most = 0;
        for (std::size_t i = 0; i < 65536; ++i) {
            float value = 0;
            std::memcpy(&value, floats.data() + (red * 65536 + i) * 4, 4);
            most = std::max(most, std::abs(value * 65535 - static_cast<float>(i)));
        }
        EXPECT_LT(most, 0.01F);
    }
}

// The matrix that is written is the one that was used, whatever the input calls its RGB.
TEST_F(StillFormats, OfRgbBecomeTheYuvThatIsSaid) {
    ffmpeg("-f lavfi -i testsrc2=s=64x48 -frames:v 1 -pix_fmt gbrp -c:v ffv1 -colorspace rgb named.mkv");
    ffmpeg("-i named.mkv -pix_fmt rgb24 plain.png");
    for (const std::string name : {"named.mkv", "plain.png"}) {
        ASSERT_EQ(vfilter(name + " out.jpg -y --identity --frames 1").code, 0);
        EXPECT_LE(difference("plain.png", "out.jpg", "rgb24"), 24) << name;
        ASSERT_EQ(vfilter(name + " out.mkv -y --identity --codec ffv1 --pix-fmt yuv444p16le").code, 0);
        EXPECT_LE(difference("plain.png", "out.mkv", "rgb24"), 1) << name;
    }
    ASSERT_EQ(vfilter("plain.png out.mkv -y --identity --codec ffv1 --pix-fmt gray").code, 0);
    EXPECT_EQ(probe("out.mkv").video().facts.at("color_range"), "pc");
    ffmpeg("-f lavfi -i testsrc2=s=1280x720 -frames:v 1 -pix_fmt rgb24 large.png");
    const Result large = vfilter("large.png out.y4m -y --identity");
    EXPECT_EQ(large.code, 0) << large;
    EXPECT_NE(large.err.find("BT.601, which yuv4mpegpipe cannot say"), std::string::npos) << large;
    const Result told = vfilter("large.png out.mkv -y --identity");
    EXPECT_EQ(told.err.find("BT.601"), std::string::npos) << told;
}

TEST_F(StillFormats, OfGrayWithAlphaKeepTheirBrightness) {
    std::vector<std::string> codecs{"prores_ks", "v408"};
    if (run("ffmpeg -v error -encoders | grep -qw ayuv").code == 0) {  // FFmpeg 7 has none
        codecs.emplace_back("ayuv");
    }
    for (const std::string format : {"ya8", "ya16be"}) {
        ffmpeg("-f lavfi -i color=0xFFFFFF@0.5:s=64x48,format=rgba -frames:v 1 -pix_fmt " + format + " in.png");
        for (const std::string& codec : codecs) {
            SCOPED_TRACE(format + " " + codec);
            const Result result = vfilter("in.png out.mov -y --identity --codec " + codec);
            EXPECT_EQ(result.code, 0) << result;
            EXPECT_NE(result.err.find("their values are converted to the limited range"), std::string::npos) << result;
            const std::string white = ffmpeg_output("-i out.mov -f rawvideo -pix_fmt yuva444p -");
            EXPECT_NEAR(static_cast<unsigned char>(white.at(100)), 235, 1);
            EXPECT_NEAR(static_cast<unsigned char>(white.at(64 * 48 + 100)), 128, 1);
            EXPECT_NEAR(static_cast<unsigned char>(white.at(3 * 64 * 48 + 100)), 127, 1);
        }
    }
}

// As a phone writes them.
TEST_F(StillFormats, ThatAskToBeTurnedAreUpright) {
    ffmpeg("-f lavfi -i testsrc2=s=64x48 -frames:v 1 plain.jpg");
    const std::string plain = content("plain.jpg");
    for (const int orientation : {3, 5, 6, 8}) {
        SCOPED_TRACE(orientation);
        std::string exif(
            "\xFF\xE1\0\x22"
            "Exif\0\0II*\0\x08\0\0\0\1\0\x12\1\3\0\1\0\0\0\0\0\0\0\0\0\0\0",
            36);
        exif[28] = static_cast<char>(orientation);
        write("in.jpg", plain.substr(0, 2) + exif + plain.substr(2));
        for (const std::string out : {"out.png", "out.bmp", "out.webp --encoder-option lossless=1", "o_%d.png"}) {
            const Result result = vfilter("in.jpg " + out + " -y --identity");
            EXPECT_EQ(result.code, 0) << result;
            EXPECT_NE(result.err.find("turned upright"), std::string::npos) << result;
            EXPECT_EQ(result.err.find("left out"), std::string::npos) << result;
        }
        const std::string wanted = ffmpeg_output("-i in.jpg -pix_fmt rgb24 -f md5 -");
        EXPECT_EQ(ffmpeg_output("-i out.png -pix_fmt rgb24 -f md5 -"), wanted);
        EXPECT_EQ(ffmpeg_output("-i out.bmp -pix_fmt rgb24 -f md5 -"), wanted);
        EXPECT_EQ(ffmpeg_output("-i o_1.png -pix_fmt rgb24 -f md5 -"), wanted);
        // Videos say it.
        const Result video = vfilter("in.jpg out.mp4 -y --identity");
        EXPECT_EQ(video.code, 0) << video;
        EXPECT_TRUE(probe("out.mp4").video().side_data("Display Matrix").is_object());
    }
}

TEST_F(StillFormats, OfRgbGoIntoY4m) {
    ffmpeg("-f lavfi -i testsrc2=s=64x48 -frames:v 1 -pix_fmt rgb24 rgb.png");
    const Result result = vfilter("rgb.png rgb.y4m --identity");
    EXPECT_EQ(result.code, 0) << result;
    EXPECT_EQ(probe("rgb.y4m").video().facts.at("pix_fmt"), "yuv444p");
    ffmpeg("-i rgb.png -pix_fmt gray16be gray.png");
    EXPECT_EQ(vfilter("gray.png gray.y4m --identity").code, 0);
    EXPECT_EQ(probe("gray.y4m").video().facts.at("pix_fmt"), "gray16le");
}

// FFmpeg's muxer of pictures writes whatever it gets.
TEST_F(StillFormats, HoldNoOtherCodec) {
    make_clip("in.mkv", 2);
    for (const auto& [arguments, code, told] :
         {std::tuple{"out_%d.png --codec ffv1", 4, "such a picture cannot hold ffv1"},
          {"out_%d.jpg --codec x264", 4, "such a picture cannot hold h264"},
          {"out.png --frames 1 --codec mjpeg", 4, "such a picture cannot hold mjpeg"},
          {"out_%d.webp --codec png", 4, "such a picture cannot hold png"},
          {"out.y4m --codec gif", 4, "yuv4mpegpipe cannot hold gif"},
          {"out.gif --codec ffv1", 4, "gif cannot hold ffv1"},
          {"out.apng --codec png", 4, "apng cannot hold png"},
          {"out_%d.png --muxer-option movflags=faststart", 2, "know no option 'movflags'"},
          {"out.mkv --codec copy", 8, "filtered video always has to be encoded"}}) {
        const Result result = vfilter(std::string("in.mkv --identity ") + arguments);
        EXPECT_EQ(result.code, code) << result;
        EXPECT_NE(result.err.find(told), std::string::npos) << result;
        EXPECT_EQ(std::ranges::count(result.err, '\n'), 1) << result;
        EXPECT_FALSE(exists("out_1.png") || exists("out_1.jpg") || exists("out.png")) << arguments;
    }
    for (const char* const arguments :
         {"out_%d.png --codec png", "out_%d.jpg --codec mjpeg", "one.y4m --codec rawvideo",
          "raw.y4m --codec wrapped_avframe", "one.gif --codec gif", "out_%d.webp --codec libwebp",
          "out_%d.jp2 --codec jpeg2000"}) {
        const Result result = vfilter(std::string("in.mkv --identity ") + arguments);
        EXPECT_EQ(result.code, 0) << result;
    }
}

// Decoders leave the rest of the picture as it was, and say nothing.
TEST_F(StillFormats, PicturesThatEndTooEarlyAreDamage) {
    for (const std::string name : {"jls", "pcx", "qoi", "sun"}) {
        ffmpeg("-f lavfi -i testsrc2=s=64x48 -vf noise=alls=30,format=rgb24 -frames:v 1 in." + name);
        const Result whole = vfilter("in." + name + " out.png -y --identity");
        EXPECT_EQ(whole.code, 0) << whole;
        const std::string bytes = content("in." + name);
        write("cut." + name, bytes.substr(0, bytes.size() - 1));
        expect_told("cut." + name, "a picture that has no end");
        write("cut." + name, bytes.substr(0, bytes.size() / 2));
        const Result half = vfilter("cut." + name + " out.png -y --identity");
        EXPECT_EQ(half.code, name == "pcx" ? 3 : 5) << half;
    }
    const std::string one = content("in.qoi");
    write("two.qoi", one + one);
    EXPECT_EQ(run("exec $VFILTER - out_%d.png -y --identity < two.qoi").code, 0);
    EXPECT_TRUE(exists("out_2.png"));
}

// FFmpeg's SGI leaves out what ends a packed row, and OpenJPEG halves pictures five times.
TEST_F(StillFormats, AreReadByOthersWhateverTheirSize) {
    ffmpeg("-f lavfi -i testsrc2=s=18x10 -pix_fmt rgb24 -frames:v 1 in.png");
    for (const std::string output : {"out.sgi", "out.jp2"}) {
        const Result result = vfilter("in.png --identity " + output);
        EXPECT_EQ(result.code, 0) << result;
        EXPECT_EQ(difference("in.png", output, "rgb24"), 0) << result;
    }
    EXPECT_EQ(content("out.sgi").size(), 512U + 3 * 18 * 10);
}

TEST_F(StillFormats, OfMoreThanColoursAreTold) {
    using namespace std::string_literals;
    write("gray.tga", "\0\0\3"s + std::string(9, '\0') + "\2\0\2\0\x10\x08"s + "\1\xFF\2\xFF\3\xFF\4\xFF"s);
    expect_told("gray.tga", "gray with alpha");
    ffmpeg("-f lavfi -i testsrc2=s=18x10 -pix_fmt rgba -frames:v 1 in.tiff");
    std::string tiff = content("in.tiff");
    const std::size_t more = tiff.find("\x52\1\3\0\1\0\0\0\2"s);
    ASSERT_NE(more, std::string::npos);
    tiff[more + 8] = '\1';
    write("in.tiff", tiff);
    const Result result = vfilter("in.tiff out.png -y --identity");
    EXPECT_EQ(result.code, 0) << result;
    EXPECT_NE(result.err.find("its colours are multiplied by alpha"), std::string::npos) << result;
}

// FFmpeg's decoder says that it has a picture where there is none.
TEST_F(StillFormats, WebPWithDamagedAlphaIsDamage) {
    ffmpeg(
        "-f lavfi -i \"testsrc2=s=64x48,format=yuva420p,geq=lum='p(X,Y)':cb='128':cr='128':a='X*4'\" -frames:v 1 "
        "in.webp");
    const std::string whole = content("in.webp");
    const std::size_t alpha = whole.find("ALPH");
    ASSERT_NE(alpha, std::string::npos);
    for (std::size_t i = 0; i < 24; ++i) {
        std::string bytes = whole;
        bytes[alpha + 9 + i % 12] = static_cast<char>(bytes[alpha + 9 + i % 12] ^ (i < 12 ? 2 : 64));
        write("damaged.webp", bytes);
        const Result result = vfilter("damaged.webp out.png -y --box 3");
        EXPECT_TRUE(result.code == 0 || result.code == 3 || result.code == 5) << result << i;
    }
}

}  // namespace

}  // namespace vfilter::test
