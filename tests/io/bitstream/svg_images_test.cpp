// Images within drawings.

#include "io/bitstream/svg_images.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace vfilter {
namespace {

using namespace std::string_view_literals;

constexpr std::int64_t limit = 1'000'000;

std::string excess_in(std::string_view drawing) {
    return excess_of_svg({reinterpret_cast<const std::uint8_t*>(drawing.data()), drawing.size()}, limit);
}

// What is behind "data:", percent-encoded.
std::string drawing_with(std::string_view head, std::string_view image,
                         const std::string& attribute = "xlink:href=\"") {
    std::string drawing = "<svg xmlns='http://www.w3.org/2000/svg' width='64' height='64'><image " + attribute +
                          "data:" + std::string(head) + ",";
    for (const char letter : image) {
        constexpr std::string_view digits = "0123456789abcdef";
        const auto byte = static_cast<unsigned char>(letter);
        drawing += {'%', digits[byte >> 4], digits[byte & 15]};
    }
    return drawing + "\"/></svg>";
}

constexpr std::string_view large_png = "\x89PNG\r\n\x1A\n\0\0\0\x0DIHDR\0\0\x3E\x80\0\0\x3E\x80"sv;
constexpr std::string_view small_png = "\x89PNG\r\n\x1A\n\0\0\0\x0DIHDR\0\0\0\x10\0\0\0\x10"sv;

TEST(SvgImages, AreHeldAgainstTheLimit) {
    EXPECT_EQ(excess_in(drawing_with("image/png", large_png)),
              "an image in it, 16000x16000, is larger than 1 Mpixel, the limit, which --max-pixels raises");
    EXPECT_EQ(excess_in(drawing_with("image/png", small_png)), "");
    const std::string_view kinds[] = {
        "\xFF\xD8\xFF\xE0\0\x04JF\xFF\xC0\0\x0B\x08\x3E\x80\x3E\x80\1\1"sv,
        "GIF89a\x80\x3E\x80\x3E"sv,
        "RIFF1234WEBPVP8X\x0A\0\0\0\0\0\0\0\x7F\x3E\0\x7F\x3E\0"sv,
        "RIFF1234WEBPVP8L1234\x2F\x7F\xFE\x9F\x0F"sv,
        "RIFF1234WEBPVP8 1234567\x9D\x01\x2A\x80\x3E\x80\x3E"sv,
        "BM123412341234\x28\0\0\0\x80\x3E\0\0\x80\xC1\xFF\xFF"sv,
    };
    for (const std::string_view kind : kinds) {
        EXPECT_NE(excess_in(drawing_with("", kind)).find("16000x16000"), std::string::npos)
            << excess_in(drawing_with("", kind));
    }
}

TEST(SvgImages, AreFoundHoweverTheyAreWritten) {
    const std::string base64 = "iVBORw0KGgoAAAANSUhEUgAAPoAAAD6A";  // of large_png
    EXPECT_NE(excess_in("<image href='data:image/png;base64," + base64 + "'/>").find("16000"), std::string::npos);
    EXPECT_NE(excess_in("<image href = \" DATA:image/png; BASE64,iVBORw0K\nGgoAAAANSUhEUgAAPoAAAD6A\"/>").find("16000"),
              std::string::npos);
    EXPECT_NE(excess_in("<!ENTITY a 'data:image/png;base64," + base64 + "'>").find("16000"), std::string::npos);
    std::string wide = "\xFF\xFE";
    for (const char letter : "<image href='data:image/png;base64," + base64 + "'/>") {
        wide += {letter, '\0'};
    }
    EXPECT_NE(excess_in(wide).find("16000"), std::string::npos);
    // printf "<image href='data:image/png;base64,...'/>" | gzip -n
    const std::string_view packed = "\x1F\x8B"sv;
    EXPECT_EQ(excess_in(packed), "") << "cut short: librsvg reads nothing of it";
}

TEST(SvgImages, OfUnknownSizesAreRefused) {
    EXPECT_NE(excess_in("<image href='data:image/svg+xml,<svg/>'/>").find("nothing tells how large"),
              std::string::npos);
    EXPECT_NE(excess_in(drawing_with("image/x-tga", "\0\0\2"sv)).find("nothing tells how large"), std::string::npos);
}

TEST(SvgImages, OtherDataIsNone) {
    for (const char* const drawing :
         {"<svg/>", "", "<text>data: 1, 2</text>", "<style>src: url(data:font/woff;base64,d09GRg==)</style>",
          "<a href='data:text/plain,hello'/>", "<script href='data:application/javascript,1'/>", "<a b='data:'/>"}) {
        EXPECT_EQ(excess_in(drawing), "") << drawing;
    }
}

TEST(SvgImages, NamesEndAsTheirsDo) {
    for (const char* const name : {"a.svg", "A.SVG", "b/c.svgz", ".svg"}) {
        EXPECT_TRUE(is_name_of_svg(name)) << name;
    }
    for (const char* const name : {"a.png", "svg", "a.svg.png", ""}) {
        EXPECT_FALSE(is_name_of_svg(name)) << name;
    }
}

}  // namespace
}  // namespace vfilter
