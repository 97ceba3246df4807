#include "io/bitstream/svg_images.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <new>
#include <optional>
#include <string_view>
#include <vector>

#include "io/bitstream/bytes.h"

namespace vfilter {

namespace {

using namespace std::string_view_literals;

constexpr std::string_view data_scheme = "data:";

char lower_letter(char letter) {
    return static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
}

bool is_blank(char letter) {
    return std::isspace(static_cast<unsigned char>(letter)) != 0;
}

// Nothing where it is damaged or too long: librsvg reads none of what is damaged.
std::optional<std::vector<std::uint8_t>> unpacked(Bytes packed) {
    constexpr int of_gzip = 16 + MAX_WBITS;
    constexpr std::size_t step = std::size_t{1} << 20;
    z_stream stream{};
    if (inflateInit2(&stream, of_gzip) != Z_OK) {
        throw std::bad_alloc();
    }
    stream.next_in = const_cast<Bytef*>(packed.data());  // zlib reads it
    stream.avail_in = static_cast<uInt>(packed.size());
    std::vector<std::uint8_t> bytes;
    int state = Z_OK;
    while (state == Z_OK && bytes.size() <= max_drawing) {
        const std::size_t before = bytes.size();
        bytes.resize(before + step);
        stream.next_out = bytes.data() + before;
        stream.avail_out = static_cast<uInt>(step);
        state = inflate(&stream, Z_NO_FLUSH);
        bytes.resize(before + step - stream.avail_out);
    }
    inflateEnd(&stream);
    return bytes.size() <= max_drawing ? std::optional(std::move(bytes)) : std::nullopt;
}

// Of UTF-16 every letter that ASCII has.
std::string letters_of(Bytes file) {
    const bool wide = big_endian(file, 0, 2) == 0xFEFF || big_endian(file, 0, 2) == 0xFFFE ||
                      big_endian(file, 0, 2) == 0x003C || big_endian(file, 0, 2) == 0x3C00;
    std::string letters(text(file));
    if (wide) {
        std::erase(letters, '\0');
    }
    return letters;
}

std::vector<std::uint8_t> from_base64(std::string_view letters) {
    std::vector<std::uint8_t> bytes;
    std::uint32_t bits = 0;
    int count = 0;
    for (const char letter : letters) {
        const bool plus = letter == '+' || letter == '-';
        const bool slash = letter == '/' || letter == '_';
        if (std::isalnum(static_cast<unsigned char>(letter)) == 0 && !plus && !slash) {
            continue;
        }
        const int value = letter >= 'A' && letter <= 'Z'   ? letter - 'A'
                          : letter >= 'a' && letter <= 'z' ? letter - 'a' + 26
                          : plus                           ? 62
                          : slash                          ? 63
                                                           : letter - '0' + 52;
        bits = bits << 6 | static_cast<std::uint32_t>(value);
        if (++count == 4) {
            for (const int shift : {16, 8, 0}) {
                bytes.push_back(static_cast<std::uint8_t>(bits >> shift & 0xFF));
            }
            count = 0;
        }
    }
    return bytes;
}

std::vector<std::uint8_t> from_percents(std::string_view letters) {
    const auto digit = [](char letter) {
        return std::isdigit(static_cast<unsigned char>(letter)) != 0 ? letter - '0' : lower_letter(letter) - 'a' + 10;
    };
    std::vector<std::uint8_t> bytes;
    for (std::size_t i = 0; i < letters.size(); ++i) {
        const bool escaped = letters[i] == '%' && i + 2 < letters.size() &&
                             std::isxdigit(static_cast<unsigned char>(letters[i + 1])) != 0 &&
                             std::isxdigit(static_cast<unsigned char>(letters[i + 2])) != 0;
        bytes.push_back(
            static_cast<std::uint8_t>(escaped ? 16 * digit(letters[i + 1]) + digit(letters[i + 2]) : letters[i]));
        i += escaped ? 2 : 0;
    }
    return bytes;
}

struct ImageSize {
    std::uint64_t width = 0;
    std::uint64_t height = 0;
};

// By its frame header (ITU-T T.81, annex B).
ImageSize size_in_jpeg(Bytes jpeg) {
    for (std::size_t at = 2; part(jpeg, at).size() >= 9 && jpeg[at] == 0xFF;) {
        const std::uint8_t marker = jpeg[at + 1];
        if (marker >= 0xC0 && marker <= 0xCF && marker != 0xC4 && marker != 0xC8 && marker != 0xCC) {
            return {big_endian(jpeg, at + 7, 2), big_endian(jpeg, at + 5, 2)};
        }
        const bool alone = marker == 0xFF || marker == 0x01 || (marker >= 0xD0 && marker <= 0xD8);
        at += marker == 0xFF ? 1 : alone ? 2 : 2 + static_cast<std::size_t>(big_endian(jpeg, at + 2, 2));
    }
    return {};
}

ImageSize size_in_webp(Bytes webp) {
    const std::string_view kind = text(webp, 12, 4);
    if (kind == "VP8X") {
        return {little_endian(webp, 24, 3) + 1, little_endian(webp, 27, 3) + 1};
    }
    if (kind == "VP8L") {
        const std::uint64_t bits = little_endian(webp, 21, 4);
        return {(bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1};
    }
    return {little_endian(webp, 26, 2) & 0x3FFF, little_endian(webp, 28, 2) & 0x3FFF};
}

// Nothing of other kinds. Zeroes where the header is cut short.
std::optional<ImageSize> size_of_image(Bytes image) {
    const std::string_view begin = text(image);
    if (begin.starts_with("\x89PNG\r\n\x1A\n"sv)) {
        return ImageSize{big_endian(image, 16, 4), big_endian(image, 20, 4)};
    }
    if (begin.starts_with("\xFF\xD8"sv)) {
        return size_in_jpeg(image);
    }
    if (begin.starts_with("GIF8"sv)) {
        return ImageSize{little_endian(image, 6, 2), little_endian(image, 8, 2)};
    }
    if (begin.starts_with("RIFF"sv) && text(image, 8, 4) == "WEBP") {
        return size_in_webp(image);
    }
    if (begin.starts_with("BM"sv)) {
        const auto height = static_cast<std::int32_t>(little_endian(image, 22, 4));
        return ImageSize{little_endian(image, 18, 4), static_cast<std::uint64_t>(std::abs(std::int64_t{height}))};
    }
    return std::nullopt;
}

// Where it stands as an attribute, or as an entity that may be one: fonts and the like in CSS are not read.
bool is_value(std::string_view drawing, std::size_t at) {
    while (at > 0 && is_blank(drawing[at - 1])) {
        --at;
    }
    return at > 0 && "\"'"sv.find(drawing[at - 1]) != std::string_view::npos;
}

// Of one value, which begins behind "data:".
std::string excess_of_image(std::string_view value, std::int64_t max_pixels) {
    const std::size_t comma = value.find(',');
    if (comma == std::string_view::npos) {
        return "";
    }
    std::string head(value.substr(0, comma));
    std::ranges::transform(head, head.begin(), lower_letter);
    const std::string_view content = value.substr(comma + 1);
    const std::vector<std::uint8_t> image =
        head.find("base64") != std::string::npos ? from_base64(content) : from_percents(content);
    const std::optional<ImageSize> size = size_of_image(image);
    if (!size) {
        const bool other = head.starts_with("text/") || head.starts_with("font/") || head.starts_with("application/");
        return other && !text(image).starts_with("/* XPM")
                   ? ""
                   : "an image in it is neither PNG, JPEG, GIF, WebP nor BMP, so that nothing tells how large it is";
    }
    constexpr std::uint64_t longest = UINT32_MAX;
    const auto pixels =
        static_cast<double>(std::min(size->width, longest)) * static_cast<double>(std::min(size->height, longest));
    return pixels <= static_cast<double>(max_pixels)
               ? ""
               : fmt::format(
                     "an image in it, {}x{}, is larger than {:.4g} Mpixel, the limit, which --max-pixels raises",
                     size->width, size->height, 1e-6 * static_cast<double>(max_pixels));
}

}  // namespace

bool is_name_of_svg(std::string_view name) {
    constexpr std::array<std::string_view, 2> endings{".svg", ".svgz"};
    return std::ranges::any_of(endings, [&](std::string_view ending) {
        return name.size() >= ending.size() &&
               std::ranges::equal(name.substr(name.size() - ending.size()), ending,
                                  [](char one, char other) { return lower_letter(one) == other; });
    });
}

std::string excess_of_svg(std::span<const std::uint8_t> drawing, std::int64_t max_pixels) {
    std::string too_long = fmt::format("an SVG of more than {} MiB, which is the limit", max_drawing >> 20);
    if (drawing.size() > max_drawing) {
        return too_long;
    }
    if (big_endian(drawing, 0, 2) == 0x1F8B) {
        const std::optional<std::vector<std::uint8_t>> plain = unpacked(drawing);
        const bool again = plain && big_endian(*plain, 0, 2) == 0x1F8B;
        return !plain || again ? too_long : excess_of_svg(*plain, max_pixels);
    }
    const std::string letters = letters_of(drawing);
    std::string plain = letters;
    std::ranges::transform(plain, plain.begin(), lower_letter);
    for (std::size_t at = plain.find(data_scheme); at != std::string::npos; at = plain.find(data_scheme, at + 1)) {
        if (!is_value(letters, at)) {
            continue;
        }
        std::string_view value = std::string_view(letters).substr(at + data_scheme.size());
        value = value.substr(0, value.find_first_of("\"'<"));
        if (std::string excess = excess_of_image(value, max_pixels); !excess.empty()) {
            return excess;
        }
    }
    return "";
}

}  // namespace vfilter
