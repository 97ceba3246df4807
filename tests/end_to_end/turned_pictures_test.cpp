// Photographs that ask to be turned.

#include <fmt/format.h>

#include <cstdint>

#include "tests/support/end_to_end.h"

namespace vfilter::test {

namespace {

class TurnedPictures : public EndToEnd {
protected:
    static std::string bytes(std::uint32_t value, bool big) {
        std::string text;
        for (unsigned i = 0; i < 4; ++i) {
            text += static_cast<char>(value >> (big ? 24 - 8 * i : 8 * i) & 0xFFU);
        }
        return text;
    }
    // Of a PNG: its type and its data.
    static std::string chunk(const std::string& content) {
        std::uint32_t sum = 0xFFFFFFFF;
        for (const char letter : content) {
            sum ^= static_cast<unsigned char>(letter);
            for (int bit = 0; bit < 8; ++bit) {
                sum = sum >> 1U ^ ((sum & 1U) != 0 ? 0xEDB88320U : 0U);
            }
        }
        return bytes(static_cast<std::uint32_t>(content.size() - 4), true) + content + bytes(~sum, true);
    }
};

// As other programs write them, into formats whose decoders say nothing of it.
TEST_F(TurnedPictures, OfFormatsWhoseDecodersSayNothingOfItAreUpright) {
    using namespace std::string_literals;
    ffmpeg("-f lavfi -i testsrc2=s=64x48 -frames:v 1 plain.png");
    ffmpeg("-i plain.png -lossless 1 plain.webp");
    ffmpeg("-i plain.png -pix_fmt rgb24 -compression_algo raw plain.tif");
    for (const int orientation : {2, 3, 4, 5, 6, 7, 8}) {
        const std::string entry = "\x12\1\3\0\1\0\0\0"s + static_cast<char>(orientation) + "\0\0\0"s;
        const std::string exif = "II*\0\x08\0\0\0\1\0"s + entry + "\0\0\0\0"s;
        const std::string png = content("plain.png");
        const std::string xmp = "XML:com.adobe.xmp\0\0\0\0\0<x/>"s;
        write("in.png", png.substr(0, 33) + chunk("eXIf" + exif) + chunk("iTXt" + xmp) + png.substr(33));
        const std::string body = content("plain.webp").substr(12);
        const std::string webp = "WEBPVP8X\x0A\0\0\0\x08\0\0\0\x3F\0\0\x2F\0\0"s + body + "EXIF" +
                                 bytes(static_cast<std::uint32_t>(exif.size()), false) + exif;
        write("in.webp", "RIFF" + bytes(static_cast<std::uint32_t>(webp.size()), false) + webp);
        // Its directory has the tag already, or is followed by one that has it.
        std::string tif = content("plain.tif");
        const auto at = static_cast<std::size_t>(static_cast<unsigned char>(tif[4])) |
                        static_cast<std::size_t>(static_cast<unsigned char>(tif[5])) << 8U |
                        static_cast<std::size_t>(static_cast<unsigned char>(tif[6])) << 16U;
        const auto entries = static_cast<std::size_t>(static_cast<unsigned char>(tif[at]));
        std::string directory;
        for (std::size_t i = 0; i < entries; ++i) {
            const std::string old = tif.substr(at + 2 + 12 * i, 12);
            directory += old.starts_with("\x12\1"s) ? "" : old;
        }
        const std::size_t place = directory.find("\x15\1\3\0"s);
        directory.insert(place, entry);
        directory = static_cast<char>(directory.size() / 12) + "\0"s + directory + "\0\0\0\0"s;
        tif += tif.size() % 2 == 1 ? "\0"s : ""s;
        write("in.tif", "II*\0"s + bytes(static_cast<std::uint32_t>(tif.size()), false) + tif.substr(8) + directory);
        const char* const turns[] = {"hflip",       "hflip,vflip", "vflip",      "transpose=0",
                                     "transpose=1", "transpose=3", "transpose=2"};
        const std::string wanted =
            ffmpeg_output(fmt::format("-i plain.png -vf {} -pix_fmt rgb24 -f md5 -", turns[orientation - 2]));
        for (const std::string in : {"in.png", "in.webp", "in.tif"}) {
            SCOPED_TRACE(fmt::format("{} {}", in, orientation));
            const Result result = vfilter(in + " out.png -y --identity");
            EXPECT_EQ(result.code, 0) << result;
            EXPECT_NE(result.err.find("turned upright"), std::string::npos) << result;
            EXPECT_EQ(result.err.find("XMP") != std::string::npos, in == "in.png") << result;
            EXPECT_EQ(ffmpeg_output("-i out.png -pix_fmt rgb24 -f md5 -"), wanted);
        }
    }
    const Result video = vfilter("in.tif out.mp4 -y --identity");
    EXPECT_TRUE(probe("out.mp4").video().side_data("Display Matrix").is_object()) << video;
}

}  // namespace

}  // namespace vfilter::test
