#include "io/bitstream/image_sizes.h"

#include <cstdlib>
#include <string_view>

namespace vfilter {

namespace {

using namespace std::string_view_literals;

// By its frame header (ITU-T T.81, annex B); nothing if there is none.
std::optional<ImageSize> size_in_jpeg(Bytes jpeg) {
    for (std::size_t at = 2; part(jpeg, at).size() >= 9 && jpeg[at] == 0xFF;) {
        const std::uint8_t marker = jpeg[at + 1];
        if (marker >= 0xC0 && marker <= 0xCF && marker != 0xC4 && marker != 0xC8 && marker != 0xCC) {
            return ImageSize{big_endian(jpeg, at + 7, 2), big_endian(jpeg, at + 5, 2)};
        }
        const bool alone = marker == 0xFF || marker == 0x01 || (marker >= 0xD0 && marker <= 0xD8);
        at += marker == 0xFF ? 1 : alone ? 2 : 2 + static_cast<std::size_t>(big_endian(jpeg, at + 2, 2));
    }
    return std::nullopt;
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

}  // namespace

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

}  // namespace vfilter
