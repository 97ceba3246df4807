#include "io/output/picture_notes.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <string_view>

#include "io/bitstream/bytes.h"

namespace vfilter {

namespace {

using FileBytes = std::vector<std::uint8_t>;
using FileView = std::span<const std::uint8_t>;
using CleanFile = std::optional<FileBytes>;

bool begins_with(FileView bytes, std::string_view text) {
    return bytes.size() >= text.size() &&
           std::equal(text.begin(), text.end(), bytes.begin(),
                      [](char letter, std::uint8_t byte) { return static_cast<std::uint8_t>(letter) == byte; });
}

void append_bytes(FileBytes& to, FileView bytes) {
    to.insert(to.end(), bytes.begin(), bytes.end());
}

// ITU-T T.81, annex B. Application data stay where the picture is read by them: JFIF, profiles of colours, Adobe's
// colours.
bool is_kept_segment(std::uint8_t marker, FileView data) {
    constexpr std::uint8_t app0 = 0xE0;
    constexpr std::uint8_t app2 = 0xE2;
    constexpr std::uint8_t app14 = 0xEE;
    constexpr std::uint8_t app15 = 0xEF;
    constexpr std::uint8_t comment = 0xFE;
    using namespace std::string_view_literals;
    switch (marker) {
        case app0:
            return begins_with(data, "JFIF\0"sv);
        case app2:
            return begins_with(data, "ICC_PROFILE\0"sv);
        case app14:
            return begins_with(data, "Adobe"sv);
        default:
            return marker != comment && (marker < app0 || marker > app15);
    }
}

CleanFile clean_jpeg(FileView file) {
    constexpr std::uint8_t end_of_image = 0xD9;
    constexpr std::uint8_t start_of_scan = 0xDA;
    constexpr std::size_t length_size = 2;
    FileBytes clean(file.begin(), file.begin() + 2);
    FileView rest = file.subspan(2);
    while (rest.size() >= 2 && rest[0] == 0xFF) {
        const std::uint8_t marker = rest[1];
        if (marker == 0xFF) {
            rest = rest.subspan(1);  // fill bytes
            continue;
        }
        if (marker == end_of_image) {
            append_bytes(clean, rest.first(2));
            return clean;
        }
        if (rest.size() < 2 + length_size) {
            break;
        }
        const auto size = static_cast<std::size_t>(big_endian(rest, 2, length_size));
        if (size < length_size || rest.size() < 2 + size) {
            break;
        }
        if (is_kept_segment(marker, rest.subspan(2 + length_size, size - length_size))) {
            append_bytes(clean, rest.first(2 + size));
        }
        rest = rest.subspan(2 + size);
        if (marker == start_of_scan) {
            // Up to the next marker that is no restart; 0xFF00 is a sample's.
            std::size_t at = 0;
            while (at + 1 < rest.size() && (rest[at] != 0xFF || rest[at + 1] == 0 || rest[at + 1] == 0xFF ||
                                            (rest[at + 1] >= 0xD0 && rest[at + 1] <= 0xD7))) {
                ++at;
            }
            append_bytes(clean, rest.first(at));
            rest = rest.subspan(at);
        }
    }
    return std::nullopt;
}

// PNG's chunks: those that it needs, and of the others those that are about samples, colours and animation.
CleanFile clean_png(FileView file) {
    constexpr std::size_t signature = 8;
    constexpr std::size_t frame = 12;  // length, type, sum
    constexpr std::array<std::string_view, 17> kept{"tRNS", "gAMA", "cHRM", "sRGB", "iCCP", "sBIT",
                                                    "bKGD", "pHYs", "hIST", "sPLT", "acTL", "fcTL",
                                                    "fdAT", "cICP", "mDCV", "mDCv", "cLLI"};
    FileBytes clean(file.begin(), file.begin() + signature);
    FileView rest = file.subspan(signature);
    while (rest.size() >= frame) {
        const auto size = static_cast<std::size_t>(big_endian(rest, 0, 4));
        if (rest.size() - frame < size) {
            break;
        }
        const FileView type = rest.subspan(4, 4);
        const bool critical = std::isupper(type[0]) != 0;  // PNG 1.2, 3.3
        if (critical || std::ranges::any_of(kept, [&](std::string_view name) { return begins_with(type, name); })) {
            append_bytes(clean, rest.first(size + frame));
        }
        if (begins_with(type, "IEND")) {
            return clean;
        }
        rest = rest.subspan(size + frame);
    }
    return std::nullopt;
}

CleanFile clean_webp(FileView file) {
    constexpr std::size_t head = 12;  // RIFF, size, WEBP
    constexpr std::size_t chunk_head = 8;
    constexpr std::uint8_t flags_of_notes = 0x0C;  // EXIF and XMP
    constexpr std::array<std::string_view, 7> kept{"VP8 ", "VP8L", "VP8X", "ALPH", "ANIM", "ANMF", "ICCP"};
    const auto said = static_cast<std::size_t>(little_endian(file, 4, 4));
    if (said < 4 || said + chunk_head > file.size()) {
        return std::nullopt;
    }
    FileBytes clean(file.begin(), file.begin() + head);
    FileView rest = file.subspan(head, said - 4);
    while (!rest.empty()) {
        if (rest.size() < chunk_head) {
            return std::nullopt;
        }
        const auto size = static_cast<std::size_t>(little_endian(rest, 4, 4));
        const std::size_t padded = size + size % 2;
        if (rest.size() - chunk_head < size) {
            return std::nullopt;
        }
        const FileView chunk = rest.first(std::min(chunk_head + padded, rest.size()));
        if (std::ranges::any_of(kept, [&](std::string_view name) { return begins_with(chunk, name); })) {
            append_bytes(clean, chunk);
            if (begins_with(chunk, "VP8X") && size > 0) {
                clean[clean.size() - chunk.size() + chunk_head] &= static_cast<std::uint8_t>(~flags_of_notes);
            }
        }
        rest = rest.subspan(chunk.size());
    }
    const std::size_t left = clean.size() - chunk_head;
    for (std::size_t i = 0; i < 4; ++i) {
        clean[4 + i] = static_cast<std::uint8_t>(left >> (8 * i) & 0xFFU);
    }
    return clean;
}

}  // namespace

std::optional<std::vector<std::uint8_t>> without_picture_notes(std::span<const std::uint8_t> file) {
    using namespace std::string_view_literals;
    if (begins_with(file, "\xFF\xD8"sv)) {
        return clean_jpeg(file);
    }
    if (begins_with(file, "\x89PNG\r\n\x1A\n"sv)) {
        return clean_png(file);
    }
    if (begins_with(file, "RIFF"sv) && file.size() >= 12 && begins_with(file.subspan(8), "WEBP"sv)) {
        return clean_webp(file);
    }
    return std::nullopt;
}

}  // namespace vfilter
