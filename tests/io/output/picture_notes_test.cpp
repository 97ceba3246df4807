// Files of pictures without what else is in them.

#include "io/output/picture_notes.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace vfilter {
namespace {

using namespace std::string_literals;

// "" where nothing is known of the file.
std::string cleaned(const std::string& file) {
    const std::vector<std::uint8_t> bytes(file.begin(), file.end());
    const auto clean = without_picture_notes(bytes);
    return clean ? std::string(clean->begin(), clean->end()) : "";
}

std::string big_number(std::size_t value, int bytes) {
    std::string text;
    for (int i = bytes - 1; i >= 0; --i) {
        text += static_cast<char>(value >> (8 * i) & 0xFFU);
    }
    return text;
}

std::string little_four(std::size_t value) {
    const std::string text = big_number(value, 4);
    return {text.rbegin(), text.rend()};
}

std::string jpeg_segment(char marker, const std::string& data) {
    return "\xFF"s + marker + big_number(data.size() + 2, 2) + data;
}

std::string png_chunk(const std::string& type, const std::string& data) {
    return big_number(data.size(), 4) + type + data + "sum.";
}

std::string riff_chunk(const std::string& type, const std::string& data) {
    return type + little_four(data.size()) + data + (data.size() % 2 == 1 ? "\0"s : ""s);
}

TEST(PictureNotes, OfJpegGo) {
    const std::string start = "\xFF\xD8"s + jpeg_segment('\xE0', "JFIF\0\1\1"s);
    const std::string profile = jpeg_segment('\xE2', "ICC_PROFILE\0\1\1colours"s);
    // Two scans, with a restart and a byte FF that is the picture's, and a table between them.
    const std::string scans = jpeg_segment('\xDB', "table") + jpeg_segment('\xDA', "scan") + "ab\xFF\0c\xFF\xD0"s +
                              "d" + jpeg_segment('\xC4', "codes") + jpeg_segment('\xDA', "scan") + "e\xFF\0f"s;
    const std::string end = "\xFF\xD9"s;
    const std::string notes =
        jpeg_segment('\xE1', "Exif\0\0GPS"s) + jpeg_segment('\xE1', "http://ns.adobe.com/xap/1.0/\0GPS"s) +
        jpeg_segment('\xED', "Photoshop GPS") + jpeg_segment('\xFE', "GPS") + jpeg_segment('\xE2', "MPF\0GPS"s);
    EXPECT_EQ(cleaned(start + notes + profile + scans + end + "a second picture, with GPS"),
              start + profile + scans + end);
    EXPECT_EQ(cleaned(start + scans + end), start + scans + end);
    EXPECT_EQ(cleaned(start + notes + scans), "") << "without an end";
    EXPECT_EQ(cleaned(start + "\xFF\xE1\xFF\xFF"), "");
}

TEST(PictureNotes, OfPngGo) {
    const std::string start = "\x89PNG\r\n\x1A\n"s + png_chunk("IHDR", "head") + png_chunk("gAMA", "gamma");
    const std::string picture = png_chunk("IDAT", "samples") + png_chunk("IEND", "");
    EXPECT_EQ(cleaned(start + png_chunk("eXIf", "GPS") + png_chunk("tEXt", "GPS") + png_chunk("iTXt", "XMP GPS") +
                      png_chunk("caNv", "GPS") + picture + "GPS"),
              start + picture);
    EXPECT_EQ(cleaned(start + png_chunk("IDAT", "samples")), "") << "without an end";
    EXPECT_EQ(cleaned(start + "\x7F\xFF\xFF\xFFIDAT"s), "");
}

TEST(PictureNotes, OfWebpGoAndAreNotPromised) {
    const auto file = [](const std::string& chunks) {
        return "RIFF"s + little_four(chunks.size() + 4) + "WEBP" + chunks;
    };
    const std::string size = "\0\0\0\xF0\0\0\x87\0\0"s;
    const std::string profile = riff_chunk("ICCP", "odd");
    const std::string picture = riff_chunk("VP8 ", "samples");
    EXPECT_EQ(cleaned(file(riff_chunk("VP8X", "\x2C"s + size) + profile + picture + riff_chunk("EXIF", "GPS") +
                           riff_chunk("XMP ", "GPS"))),
              file(riff_chunk("VP8X", "\x20"s + size) + profile + picture));
    EXPECT_EQ(cleaned(file(picture)), file(picture));
    EXPECT_EQ(cleaned(file(picture).substr(0, 20)), "");
}

TEST(PictureNotes, OfOtherFilesAreNotKnown) {
    for (const std::string& file : {""s, "\xFF"s, "BM and so on"s, "RIFF"s, "GIF89a"s}) {
        EXPECT_EQ(cleaned(file), "");
    }
}

}  // namespace
}  // namespace vfilter
