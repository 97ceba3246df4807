#pragma once
// Pictures that are masks.

#include <cstdint>
#include <string>
#include <vector>

namespace vfilter {

/// The first picture of a file (PNG, JPEG, a video...) in shades of grey, 0 black to 255 white, scaled to a size: width
/// * height samples, row by row. Transparent parts are black. Throws Error(usage) if the file holds no picture.
std::vector<std::uint8_t> read_gray_picture(const std::string& path, int width, int height);

/// Throws Error(usage) if a file holds no picture.
void check_picture(const std::string& path);

}  // namespace vfilter
