#pragma once
// The first directory of TIFF 6.0 (section 2), which is also used by EXIF and MPF.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "io/bitstream/bytes.h"

namespace vfilter {

struct TiffNumbers {
    Bytes bytes;
    bool big = false;  // the most significant byte first

    [[nodiscard]] std::size_t at(std::size_t place, std::size_t count) const {
        return static_cast<std::size_t>(big ? big_endian(bytes, place, count) : little_endian(bytes, place, count));
    }
};

/// Calls `use` with the numbers, and with each entry's tag and the position of its value.
template <typename Use>
void each_tiff_entry(Bytes tiff, const Use& use) {
    using namespace std::string_view_literals;
    constexpr std::size_t entry_size = 12;
    const TiffNumbers numbers{tiff, text(tiff).starts_with("MM\0*"sv)};
    if (!numbers.big && !text(tiff).starts_with("II*\0"sv)) {
        return;
    }
    const std::size_t begin = numbers.at(4, 4);
    const std::size_t entries = numbers.at(begin, 2);
    for (std::size_t i = 0; i < entries && part(tiff, begin + 2 + entry_size * i).size() >= entry_size; ++i) {
        const std::size_t entry = begin + 2 + entry_size * i;
        use(numbers, numbers.at(entry, 2), entry + 8);
    }
}

}  // namespace vfilter
