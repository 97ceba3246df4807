// How many dots a picture has in an inch of paper, which goes along from file to file.

#include <array>
#include <cstdint>
#include <string>

#include "tests/support/end_to_end.h"

namespace vfilter::test {

namespace {

using namespace std::string_literals;

class PictureDensity : public EndToEnd {
protected:
    static constexpr std::uint32_t dpi = 300;
    static constexpr std::uint32_t in_metre = 11811;

    static std::string little_number(std::uint32_t value, int bytes = 4) {
        std::string text;
        for (int i = 0; i < bytes; ++i) {
            text += static_cast<char>(value >> (8 * i) & 0xFFU);
        }
        return text;
    }
    static std::string big_number(std::uint32_t value, int bytes = 4) {
        const std::string text = little_number(value, bytes);
        return {text.rbegin(), text.rend()};
    }
    // EXIF's first directory, of 300 dots per inch.
    static std::string exif() {
        constexpr std::uint32_t behind = 8 + 2 + 3 * 12 + 4;
        const auto entry = [](std::uint32_t tag, std::uint32_t type, std::uint32_t value) {
            return little_number(tag, 2) + little_number(type, 2) + little_number(1) + little_number(value);
        };
        return "Exif\0\0II*\0"s + little_number(8) + little_number(3, 2) + entry(0x11A, 5, behind) +
               entry(0x11B, 5, behind) + entry(0x128, 3, 2) + little_number(0) + little_number(dpi * 10) +
               little_number(10);
    }
    void make(const std::string& options) { ffmpeg("-f lavfi -i testsrc2=s=64x48 -frames:v 1 -y " + options); }
    bool says_300(const std::string& png) {
        return content(png).find("pHYs" + big_number(in_metre) + big_number(in_metre) + "\1"s) != std::string::npos;
    }
};

TEST_F(PictureDensity, GoesFromFormatToFormat) {
    make("-pix_fmt rgb24 -dpm 11811 a.png");
    for (const std::string names : {"a.png b.jpg", "b.jpg c.tiff", "c.tiff d.bmp", "d.bmp e.png"}) {
        const Result result = vfilter(names + " --identity");
        EXPECT_EQ(result.code, 0) << result;
        EXPECT_EQ(result.err.find("print"), std::string::npos) << result;
    }
    EXPECT_EQ(content("b.jpg").substr(6, 12), "JFIF\0\1\2\1\1\x2C\1\x2C"s);
    EXPECT_TRUE(says_300("e.png"));
    const Result lost = vfilter("a.png out.webp --identity");
    EXPECT_EQ(lost.code, 0) << lost;
    EXPECT_NE(lost.err.find("for print (300 dots per inch) is left out"), std::string::npos) << lost;
    EXPECT_EQ(vfilter("a.png own.png --identity --encoder-option dpi=72").code, 0);
    EXPECT_FALSE(says_300("own.png"));
    // What stands for nothing is kept, and missed by nobody; pictures of a video have none.
    make("-dpi 72 usual.tiff");
    for (const std::string output : {"usual.webp", "usual.mp4", "usual.png"}) {
        const Result result = vfilter("usual.tiff " + output + " --identity");
        EXPECT_EQ(result.err.find("print"), std::string::npos) << result;
    }
    EXPECT_NE(content("usual.png").find("pHYs" + big_number(2835)), std::string::npos);
    const Result video = vfilter("a.png out.mp4 --identity");
    EXPECT_EQ(video.err.find("left out"), std::string::npos) << video;
}

TEST_F(PictureDensity, IsReadWhereverItStands) {
    make("-f mjpeg plain.jpg");
    const std::string jpeg = content("plain.jpg");
    const std::string app1 = "\xFF\xE1" + big_number(static_cast<std::uint32_t>(exif().size() + 2), 2) + exif();
    const std::size_t behind_jfif = jpeg.find("JFIF") == 6 ? 20 : 2;
    write("exif.jpg", jpeg.substr(0, behind_jfif) + app1 + jpeg.substr(behind_jfif));

    // As libwebp's own tool puts it there, and with the head that JPEG has.
    make("-pix_fmt bgra -lossless 1 plain.webp");
    for (const std::string& said : {exif(), exif().substr(6)}) {
        std::string webp =
            content("plain.webp") + "EXIF" + little_number(static_cast<std::uint32_t>(said.size())) + said;
        webp.replace(4, 4, little_number(static_cast<std::uint32_t>(webp.size() - 8)));
        write(said == exif() ? "head.webp" : "bare.webp", webp);
    }

    make("-pix_fmt rgb24 plain.jp2");
    std::string jp2 = content("plain.jp2");
    const std::size_t header = jp2.find("jp2h") - 4;
    const std::string dots = big_number(in_metre, 2) + big_number(1, 2);
    const std::string box = big_number(26) + "res " + big_number(18) + "resc" + dots + dots + "\0\0"s;
    const auto size = static_cast<unsigned char>(jp2[header + 3]);
    jp2.insert(header + size, box).replace(header, 4, big_number(static_cast<std::uint32_t>(size + box.size())));
    write("in.jp2", jp2);

    const std::string inches = big_number(dpi << 16) + big_number(0x00010001);
    const std::string resource = "8BIM" + big_number(1005, 2) + big_number(0, 2) + big_number(16) + inches + inches;
    write("in.psd", "8BPS"s + big_number(1, 2) + std::string(6, '\0') + big_number(3, 2) + big_number(2) +
                        big_number(2) + big_number(8, 2) + big_number(3, 2) + big_number(0) +
                        big_number(static_cast<std::uint32_t>(resource.size())) + resource + big_number(0) +
                        big_number(0, 2) + "\1\2\3\4\x10\x20\x30\x40\x50\x60\x70\x7F");

    for (const std::string input : {"exif.jpg", "head.webp", "bare.webp", "in.jp2", "in.psd"}) {
        const Result result = vfilter(input + " out.png -y --identity");
        EXPECT_EQ(result.code, 0) << result;
        EXPECT_TRUE(says_300("out.png")) << result;
        EXPECT_EQ(result.err.find("Resolution"), std::string::npos) << result;
    }
}

}  // namespace

}  // namespace vfilter::test
