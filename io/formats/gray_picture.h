#pragma once
// Pictures that are masks.

#include <cstdint>
#include <string>
#include <vector>

namespace vfilter {

/// The limit of pixels of a mask before it is scaled: no memory is taken for a larger one.
inline constexpr std::int64_t max_mask_pixels = 64'000'000;

/// The picture in a file (PNG, JPEG...) in shades of grey, 0 black to 255 white, scaled to a size: width * height
/// samples, row by row. Transparent parts are black. Throws Error(usage) if it is no regular file, or holds no picture,
/// one that is too large, or several. The name is a file's, whatever letters it has.
std::vector<std::uint8_t> read_gray_picture(const std::string& path, int width, int height);

/// Throws Error(usage) where read_gray_picture() would.
void check_picture(const std::string& path);

}  // namespace vfilter
