#pragma once
// How large pictures are, by their headers.

#include <cstdint>
#include <optional>

#include "io/bitstream/bytes.h"

namespace vfilter {

struct ImageSize {
    std::uint64_t width = 0;
    std::uint64_t height = 0;
};

/// Of PNG, JPEG, GIF, WebP and BMP; nothing of other kinds, and of a JPEG that does not say it. Zeroes where another
/// header is cut short.
std::optional<ImageSize> size_of_image(Bytes image);

}  // namespace vfilter
