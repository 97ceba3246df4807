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
    const std::string entity = "<!DOCTYPE svg [<!ENTITY a 'data:image/png;base64," + base64 + "'>]>";
    EXPECT_NE(excess_in(entity + "<svg><image href='&a;'/></svg>").find("16000"), std::string::npos);
    EXPECT_NE(excess_in("<!DOCTYPE svg [<!ENTITY % b \"<!ENTITY a 'data:image/png;base64," + base64 +
                        "'>\"> %b;]><image href='&a;'/>")
                  .find("16000"),
              std::string::npos);
    EXPECT_NE(excess_in("<image href='&#x64;ata&#58;image/png;base64&#44;" + base64 + "'/>").find("16000"),
              std::string::npos);
    EXPECT_NE(excess_in("<image href='&#9; da&#10;t&#13;a:image/png;ba&#9;se64," + base64 + "'/>").find("16000"),
              std::string::npos);
    EXPECT_NE(excess_in("<image href='data:image/png;base64,&#10;" + base64 + "'/>").find("16000"), std::string::npos);
    EXPECT_NE(excess_in("<image href='data:image/png;base64,%69VBORw0KGgoAAAANSUhEUgAAPoAAAD6A'/>").find("16000"),
              std::string::npos);
    EXPECT_NE(
        excess_in("<?xml version='1.0' encoding='windows-1252'?><image href='data:image/png;base64," + base64 + "'/>")
            .find("16000"),
        std::string::npos);
    std::string wide = "\xFF\xFE";
    for (const char letter : "<image href='data:image/png;base64," + base64 + "'/>") {
        wide += {letter, '\0'};
    }
    EXPECT_NE(excess_in(wide).find("16000"), std::string::npos);
    // printf "<image href='data:image/png;base64,...'/>" | gzip -n
    const std::string_view packed = "\x1F\x8B"sv;
    EXPECT_NE(excess_in(packed).find("damaged"), std::string::npos) << "cut short";
}

// An image within a drawing within the drawing, and one within a style's.
TEST(SvgImages, AreFoundInDrawingsInDrawings) {
    const std::string image = "%3Cimage href=%22data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAPoAAAD6A%22/%3E";
    for (const std::string& drawing :
         {"<svg><image href='data:image/svg+xml," + image + "'/></svg>",
          "<svg><use href='data:image/svg+xml," + image + "#a'/></svg>",
          "<svg><rect fill='url(data:image/svg+xml," + image + "#a)'/></svg>",
          "<svg><rect style='fill: u\\72l(\"data:image/svg+xml," + image + "#a\")'/></svg>",
          "<svg><style>rect { fill: url( data:image/svg+xml," + image + "#a ) }</style></svg>",
          "<svg><style><![CDATA[@import url('data:text/css,rect{fill:url(data:image/svg+xml," + image +
              "%23a)}')]]></style></svg>"}) {
        EXPECT_NE(excess_in(drawing).find("16000"), std::string::npos) << drawing;
    }
    std::string deep = "<svg/>";
    for (int i = 0; i < 10; ++i) {
        std::string encoded;
        for (const char letter : deep) {
            encoded += letter == '<' ? "%3C" : letter == '%' ? "%25" : letter == '\'' ? "%27" : std::string(1, letter);
        }
        deep = "<svg><image href='data:," + encoded + "'/></svg>";
    }
    EXPECT_NE(excess_in(deep).find("deeper"), std::string::npos);
}

TEST(SvgImages, OfUnknownSizesAreRefused) {
    EXPECT_NE(excess_in(drawing_with("image/jpeg", "\xFF\xD8\xFF\xE0\0\x04JF\xFF\xDA\0\x0B"sv)).find("nothing tells"),
              std::string::npos);
    EXPECT_NE(excess_in(drawing_with("text/plain", "II*\0\x08\0\0\0"sv)).find("nothing tells"), std::string::npos);
    EXPECT_NE(excess_in(drawing_with("image/x-tga", "\0\0\2"sv)).find("nothing tells how large"), std::string::npos);
}

TEST(SvgImages, OtherDataIsNone) {
    for (const char* const drawing :
         {"<svg/>", "<text>data: 1, 2</text>", "<style>src: url(data:font/woff;base64,d09GRg==)</style>",
          "<a href='data:text/plain,hello'/>", "<script href='data:application/javascript,1'/>", "<a b='data:'/>",
          "<image aria-label='Data: sales, 2025 (in euros)'/>",
          "<image href='data:image/svg+xml,&lt;svg xmlns=\"http://www.w3.org/2000/svg\"/>'/>"}) {
        EXPECT_EQ(excess_in(drawing), "") << drawing;
    }
}

// What is read here in another way than librsvg does could hide an image.
TEST(SvgImages, OfWhatIsNoXmlNothingIsKnown) {
    EXPECT_EQ(excess_in("<svg>\n<g></svg>"), "an SVG that is damaged: mismatched tag");
    EXPECT_EQ(excess_in(""), "an SVG that is damaged: no element found");
    EXPECT_NE(excess_in("<?xml version='1.0' encoding='IBM037'?><svg/>").find("unknown encoding"), std::string::npos);
    EXPECT_EQ(excess_in("<?xml version='1.0' encoding='KOI8-R'?><svg>\xC1</svg>"), "");
    // Each entity is ten of the one before.
    std::string laughs = "<!DOCTYPE svg [<!ENTITY a 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa'>";
    for (char name = 'b'; name < 'l'; ++name) {
        laughs += std::string("<!ENTITY ") + name + " '";
        for (int i = 0; i < 10; ++i) {
            laughs += std::string("&") + static_cast<char>(name - 1) + ";";
        }
        laughs += "'>";
    }
    EXPECT_NE(excess_in(laughs + "]><svg>&k;</svg>").find("damaged"), std::string::npos);
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
