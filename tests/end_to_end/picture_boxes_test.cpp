// What AVIF and icons say of their picture outside of its bytes, and JPEG of its colours.

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "tests/support/end_to_end.h"

namespace vfilter::test {

namespace {

using namespace std::string_literals;

class PictureBoxes : public EndToEnd {
protected:
    static std::string big_bytes(std::uint32_t value, int bytes = 4) {
        std::string text;
        for (int shift = 8 * (bytes - 1); shift >= 0; shift -= 8) {
            text += static_cast<char>(value >> shift & 0xFFU);
        }
        return text;
    }
    static std::uint32_t number_at(const std::string& bytes, std::size_t at) {
        std::uint32_t value = 0;
        for (std::size_t i = 0; i < 4; ++i) {
            value = value << 8 | static_cast<unsigned char>(bytes[at + i]);
        }
        return value;
    }
    // FFmpeg 7, which has no such encoder any more.
    [[nodiscard]] bool reads_every_item() const { return run("ffmpeg -v error -encoders | grep -qw ayuv").code != 0; }
    void make_avif() {
        ffmpeg(
            "-f lavfi -i testsrc2=s=64x48 -pix_fmt yuv420p -c:v libaom-av1 -cpu-used 8 -still-picture 1 -frames:v 1 "
            "in.avif");
    }
    // With the picture's property of a kind in place of the bits of its samples.
    static std::string with_property(std::string avif, const std::string& kind, char value) {
        const std::size_t at = avif.find("pixi");
        return avif.replace(at, 4, kind).replace(at + 4, 1, 1, value);
    }
    void shown_as(const std::string& input, const std::string& turn) {
        const Result result = vfilter(input + " out.png -y --identity");
        if (reads_every_item() && result.err.find("a rotation, which is not read") != std::string::npos) {
            return;
        }
        EXPECT_EQ(result.code, 0) << result;
        ASSERT_EQ(run("ffmpeg -v error -y -noautorotate -i in.avif -vf " + turn +
                      " -f rawvideo -pix_fmt rgb24 a.raw && "
                      "ffmpeg -v error -y -i out.png -f rawvideo -pix_fmt rgb24 b.raw")
                      .code,
                  0);
        const std::string wanted = content("a.raw");
        const std::string seen = content("b.raw");
        ASSERT_EQ(wanted.size(), seen.size());
        int most = 0;
        for (std::size_t i = 0; i < seen.size(); ++i) {
            most = std::max(most,
                            std::abs(int{static_cast<unsigned char>(wanted[i])} - static_cast<unsigned char>(seen[i])));
        }
        EXPECT_LT(most, 40) << result;
        EXPECT_EQ(probe("out.png").video().facts.at("height"), turn.starts_with("transpose") ? 64 : 48);
    }
};

TEST_F(PictureBoxes, OfAvifTurnThePicture) {
    make_avif();
    const std::string avif = content("in.avif");
    ASSERT_NE(avif.find("pixi"), std::string::npos);
    write("left.avif", with_property(avif, "irot", '\1'));
    write("half.avif", with_property(avif, "irot", '\2'));
    write("mirror.avif", with_property(avif, "imir", '\1'));
    write("flip.avif", with_property(avif, "imir", '\0'));
    shown_as("left.avif", "transpose=cclock");
    shown_as("half.avif", "hflip,vflip");
    shown_as("mirror.avif", "hflip");
    shown_as("flip.avif", "vflip");
    write("part.avif", with_property(avif, "clap", '\0'));
    const Result part = vfilter("part.avif part.png --identity");
    EXPECT_TRUE(reads_every_item() || part.err.find("a part that is to be shown") != std::string::npos) << part;
}

TEST_F(PictureBoxes, OfAvifKeepTheProfileOfColours) {
    make_avif();
    std::string avif = content("in.avif");
    std::string profile(132, '\0');
    profile[3] = '\x84';
    profile.replace(16, 4, "RGB ").replace(36, 4, "acsp");
    const std::size_t colours = avif.find("colrnclx");
    ASSERT_NE(colours, std::string::npos);
    const std::uint32_t old_size = number_at(avif, colours - 4);
    const auto added = static_cast<std::uint32_t>(8 + profile.size()) + 4 - old_size;
    for (const std::string box : {"meta", "iprp", "ipco", "colr"}) {
        const std::size_t at = avif.find(box) - 4;
        avif.replace(at, 4, big_bytes(number_at(avif, at) + added));
    }
    const std::size_t place = avif.find("iloc") + 18;
    if (avif.find("mdat") > avif.find("meta")) {
        avif.replace(place, 4, big_bytes(number_at(avif, place) + added));
    }
    write("profile.avif", avif.replace(colours + 4, old_size - 8, "prof" + profile));
    const Result result = vfilter("profile.avif out.png --identity");
    EXPECT_EQ(result.code, 0) << result;
    EXPECT_NE(content("out.png").find("iCCP"), std::string::npos) << result;
}

// FFmpeg takes the first picture, and for opaque what is masked.
TEST_F(PictureBoxes, OfIconsChooseTheLargestWithItsMask) {
    ffmpeg(
        "-f lavfi -i testsrc2=s=16x16:r=25:d=0.04 -f lavfi -i testsrc2=s=32x24:r=25:d=0.04 -map 0 -map 1 -pix_fmt rgba "
        "-c:v png sizes.ico");
    const Result sizes = vfilter("sizes.ico out.png --identity");
    EXPECT_EQ(sizes.code, 0) << sizes;
    EXPECT_EQ(probe("out.png").video().facts.at("width"), 32) << sizes;

    // 2x2, of each kind of samples, whose lower left is transparent.
    struct Row {
        int bits;
        std::string colours;
        std::string samples;
    };
    const std::string three = "\1\2\3\0\4\5\6\0"s;
    const Row rows[] = {{24, "", "\1\2\3\4\5\6\0\0\1\2\3\4\5\6\0\0"s},
                        {8, three, "\0\1\0\0\0\1\0\0"s},
                        {4, three, "\1\0\0\0\1\0\0\0"s},
                        {1, three, "\x40\0\0\0\x40\0\0\0"s}};
    const auto little = [](std::size_t value, int bytes) {
        const std::string text = big_bytes(static_cast<std::uint32_t>(value), bytes);
        return std::string(text.rbegin(), text.rend());
    };
    for (const Row& row : rows) {
        for (const std::string& mask : {"\x80\0\0\0\0\0\0\0"s, std::string(8, '\0')}) {
            const std::string picture = little(40, 4) + little(2, 4) + little(4, 4) + little(1, 2) +
                                        little(static_cast<std::size_t>(row.bits), 2) + std::string(16, '\0') +
                                        little(row.colours.size() / 4, 4) + little(0, 4) + row.colours + row.samples +
                                        mask;
            write("in.ico", little(0, 2) + little(1, 2) + little(1, 2) + "\2\2\0\0"s + little(1, 2) +
                                little(static_cast<std::size_t>(row.bits), 2) + little(picture.size(), 4) +
                                little(22, 4) + picture);
            const Result result = vfilter("in.ico out.png -y --identity");
            EXPECT_EQ(result.code, 0) << row.bits << result;
            ASSERT_EQ(run("ffmpeg -v error -y -i out.png -f rawvideo -pix_fmt rgba out.raw").code, 0);
            const std::string pair = "\3\2\1\xFF\6\5\4\xFF"s;
            std::string wanted = pair + pair;
            wanted[11] = static_cast<char>(mask[0] != 0 ? 0 : 0xFF);
            EXPECT_EQ(content("out.raw"), wanted) << row.bits << result;
        }
    }
}

// Which is taken for YCbCr.
TEST_F(PictureBoxes, OfJpegWithUnevenRgbAreDamage) {
    ffmpeg("-f lavfi -i testsrc2=s=64x48 -pix_fmt yuvj420p -frames:v 1 -f mjpeg in.jpg");
    std::string jpeg = content("in.jpg");
    ASSERT_EQ(jpeg.find("JFIF"), 6U);
    EXPECT_EQ(vfilter("in.jpg out.png --identity").code, 0);
    write("rgb.jpg", jpeg.replace(2, 18,
                                  "\xFF\xEE\0\x0E"
                                  "Adobe\0\x64\0\0\0\0\0"s));
    const Result result = vfilter("rgb.jpg out.png -y --identity");
    EXPECT_EQ(result.code, 5) << result;
    EXPECT_NE(result.err.find("RGB with fewer samples"), std::string::npos) << result;
}

}  // namespace

}  // namespace vfilter::test
