#include "io/input/picture_sections.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <functional>
#include <string_view>
#include <utility>

#include "io/input/evidence/boxes.h"

namespace vfilter {

namespace {

using namespace std::string_view_literals;

// The header of a profile is 128 bytes, and begins with how long all of it is (ICC.1, section 7.2).
void take_profile(Bytes bytes, PictureSays& says) {
    constexpr std::size_t head = 128;
    const auto size = static_cast<std::size_t>(big_endian(bytes, 0, 4));
    if (size >= head && size <= bytes.size() && text(bytes, 36, 4) == "acsp") {
        says.profile = part(bytes, 0, size);
    } else {
        says.add("ICC profile");
    }
}

}  // namespace

void PictureSays::add(std::string name) {
    constexpr std::size_t most_texts = 64;
    if (name.empty() || std::ranges::find(texts, name) != texts.end()) {
        return;
    }
    if (texts.size() < most_texts) {
        texts.push_back(std::move(name));
    } else {
        further.insert(std::hash<std::string>{}(name));
    }
}

// Whether pixels of 16 bits are not all opaque, by a mask that FFmpeg's decoder does not look at. Such a mask where
// none has any of it is no transparency: many programs write it.
bool has_alpha_of_16_bits(Bytes file, Bytes header) {
    constexpr std::uint64_t bitfields = 3;
    constexpr std::uint64_t alpha_bitfields = 6;
    const std::uint64_t size = little_endian(header, 0, 4);
    const std::uint64_t packing = little_endian(header, 16, 4);
    const std::uint64_t mask = size >= 56 ? little_endian(header, 52, 4) & 0xFFFF : 0;
    if (little_endian(header, 14, 2) != 16 || (packing != bitfields && packing != alpha_bitfields) || mask == 0) {
        return false;
    }
    const auto width = static_cast<std::size_t>(little_endian(header, 4, 4));
    if (width == 0) {
        return false;
    }
    const auto height = static_cast<std::size_t>(std::abs(static_cast<std::int32_t>(little_endian(header, 8, 4))));
    const std::size_t row = (2 * width + 3) / 4 * 4;
    const Bytes pixels = part(file, static_cast<std::size_t>(little_endian(file, 10, 4)), row * height);
    bool some = false;
    bool all = true;
    for (std::size_t at = 0; at + 2 <= pixels.size(); at += 2) {
        if (at % row < 2 * width) {
            const std::uint64_t alpha = little_endian(pixels, at, 2) & mask;
            some = some || alpha != 0;
            all = all && alpha == mask;
        }
    }
    return some && !all;
}

// Profiles are in BITMAPV5HEADER alone.
void read_bmp(Bytes file, PictureSays& says) {
    constexpr std::size_t head = 14;
    const Bytes header = part(file, head);
    if (has_alpha_of_16_bits(file, header)) {
        says.add("transparency");
    }
    if (little_endian(header, 0, 4) >= 40) {
        says.density = {static_cast<double>(little_endian(header, 24, 4)),
                        static_cast<double>(little_endian(header, 28, 4))};
    }
    if (little_endian(header, 0, 4) < 124) {
        return;
    }
    const std::uint64_t colours = little_endian(header, 56, 4);
    if (colours == mark("MBED")) {
        take_profile(part(header, static_cast<std::size_t>(little_endian(header, 112, 4)),
                          static_cast<std::size_t>(little_endian(header, 116, 4))),
                     says);
    } else if (colours == mark("LINK")) {
        says.add("name of an ICC profile");
    }
}

// Adobe's file format: the header, the colours of palettes, and resources with a number each.
void read_psd(Bytes file, PictureSays& says) {
    constexpr std::size_t head = 26;
    const Bytes behind = part(file, head + 4 + static_cast<std::size_t>(big_endian(file, head, 4)));
    const Bytes resources = part(behind, 4, static_cast<std::size_t>(big_endian(behind, 0, 4)));
    constexpr std::array owners{"8BIM"sv, "MeSa"sv, "AgHg"sv, "PHUT"sv, "DCSR"sv};  // all but the first with their own
    for (std::size_t at = 0; std::ranges::find(owners, text(resources, at, 4)) != owners.end();) {
        const std::uint64_t number = text(resources, at, 4) == owners.front() ? big_endian(resources, at + 4, 2) : 0;
        const auto name = static_cast<std::size_t>(big_endian(resources, at + 6, 1)) + 1;
        const std::size_t place = at + 6 + name + name % 2;
        const auto size = static_cast<std::size_t>(big_endian(resources, place, 4));
        const Bytes data = part(resources, place + 4, size);
        switch (number) {
            case 1039:
                take_profile(data, says);
                break;
            case 1005: {
                constexpr double step = 0.0254 * 65536;  // of an inch
                says.density = {static_cast<double>(big_endian(data, 0, 4)) / step,
                                static_cast<double>(big_endian(data, 8, 4)) / step};
                break;
            }
            case 1028:
                says.add("IPTC");
                break;
            case 1058:
            case 1059:
                says.add("EXIF");
                break;
            case 1060:
                says.add("XMP");
                break;
            default:
                break;
        }
        at = place + 4 + size + size % 2;
    }
}

namespace {

// A box of a number in each direction, the one down first: a fraction and a power of ten.
void read_jpeg_2000_density(Bytes box, PictureSays& says) {
    const auto dots = [&](std::size_t at, std::size_t power_at) {
        const auto power = static_cast<std::int8_t>(big_endian(box, power_at, 1));
        return static_cast<double>(big_endian(box, at, 2)) / static_cast<double>(big_endian(box, at + 2, 2)) *
               std::pow(10, power);
    };
    says.density = {dots(4, 9), dots(0, 8)};
}

}  // namespace

void read_jpeg_2000(Bytes file, PictureSays& says) {
    constexpr std::string_view xmp = "\xBE\x7A\xCF\xCB\x97\xA9\x42\xE8\x9C\x71\x99\x94\x91\xE3\xAF\xAC"sv;
    constexpr std::string_view exif = "JpgTiffExif->JP2"sv;
    each_box(file, [&](std::uint32_t type, Bytes box, std::size_t) {
        if (type == mark("jp2h")) {
            each_box(box, [&](std::uint32_t of_header, Bytes colours, std::size_t) {
                const std::uint64_t method = big_endian(colours, 0, 1);
                if (of_header == mark("colr") && (method == 2 || method == 3)) {
                    take_profile(part(colours, 3), says);
                } else if (of_header == mark("res ")) {
                    each_box(colours,
                             [&](std::uint32_t, Bytes numbers, std::size_t) { read_jpeg_2000_density(numbers, says); });
                }
            });
        } else if (type == mark("xml ")) {
            says.add("XML");
        } else if (type == mark("uuid") && !box.empty()) {
            says.add(text(box).starts_with(xmp) ? "XMP" : text(box).starts_with(exif) ? "EXIF" : "UUID");
        }
    });
}

}  // namespace vfilter
