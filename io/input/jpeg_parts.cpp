#include "io/input/jpeg_parts.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace vfilter {

namespace {

using namespace std::string_view_literals;

// Those in front of the first scan, as long as `use` says true.
template <typename Use>
void each_segment(Bytes jpeg, const Use& use) {
    constexpr std::uint8_t scan = 0xDA;
    for (std::size_t at = 2; part(jpeg, at).size() >= 4 && jpeg[at] == 0xFF && jpeg[at + 1] != scan;) {
        if (jpeg[at + 1] == 0xFF) {
            ++at;
            continue;
        }
        const std::size_t size = std::max<std::size_t>(2, static_cast<std::size_t>(big_endian(jpeg, at + 2, 2)));
        if (!use(jpeg[at + 1], part(jpeg, at + 4, size - 2))) {
            return;
        }
        at += 2 + size;
    }
}

// `index` is a directory as TIFF has it, of which one entry has 16 bytes for each picture.
int derived_by_index(Bytes index) {
    constexpr std::uint64_t pictures = 0xB002;
    constexpr std::size_t entry_size = 12;
    constexpr std::size_t picture_size = 16;
    constexpr std::uint64_t by_themselves = 2;
    const bool big = text(index).starts_with("MM\0*"sv);
    if (!big && !text(index).starts_with("II*\0"sv)) {
        return 0;
    }
    const auto number = [&](std::size_t at, std::size_t count) {
        return static_cast<std::size_t>(big ? big_endian(index, at, count) : little_endian(index, at, count));
    };
    const std::size_t begin = number(4, 4);
    const std::size_t entries = number(begin, 2);
    for (std::size_t i = 0; i < entries && part(index, begin + 2 + entry_size * i).size() >= entry_size; ++i) {
        const std::size_t at = begin + 2 + entry_size * i;
        if (number(at, 2) != pictures) {
            continue;
        }
        const std::size_t count = part(index, number(at + 8, 4), number(at + 4, 4)).size() / picture_size;
        for (std::size_t picture = 1; picture < count; ++picture) {
            if ((number(number(at + 8, 4) + picture_size * picture, 4) >> 16 & 0xFF) == by_themselves) {
                return 0;
            }
        }
        return static_cast<int>(std::max<std::size_t>(count, 1) - 1);
    }
    return 0;
}

}  // namespace

int derived_pictures(Bytes jpeg) {
    int derived = 0;
    each_segment(jpeg, [&](std::uint8_t marker, Bytes segment) {
        const bool index = marker == 0xE2 && text(segment).starts_with("MPF\0"sv);
        derived = index ? derived_by_index(part(segment, 4)) : derived;
        return !index;
    });
    return derived;
}

std::uint32_t size_of_jpeg(Bytes jpeg) {
    std::uint32_t size = 0;
    each_segment(jpeg, [&](std::uint8_t marker, Bytes segment) {
        const bool frame = marker >= 0xC0 && marker <= 0xCF && marker != 0xC4 && marker != 0xC8 && marker != 0xCC;
        size = frame ? static_cast<std::uint32_t>(big_endian(segment, 3, 2) << 16 | big_endian(segment, 1, 2)) : 0;
        return !frame;
    });
    return size;
}

// By the first box, which is small: nothing else of a JPEG has three zeroes and that.
bool has_movie(Bytes jpeg) {
    constexpr std::string_view type = "ftyp";
    constexpr std::size_t smallest = 16;
    constexpr std::size_t largest = 128;
    const std::string_view bytes = text(jpeg);
    for (std::size_t at = bytes.find(type); at != std::string_view::npos; at = bytes.find(type, at + 1)) {
        const std::uint64_t size = at < 4 ? 0 : big_endian(jpeg, at - 4, 4);
        if (size >= smallest && size <= largest && size % 4 == 0) {
            return true;
        }
    }
    return false;
}

}  // namespace vfilter
