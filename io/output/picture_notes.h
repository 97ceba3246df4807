#pragma once
// What cameras and programs write into picture files besides the picture: EXIF with the place where it was taken, XMP,
// texts, and whatever follows the end.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace vfilter {

/// A JPEG, PNG or WebP file with only its picture, colour profile and animation. Empty for other formats, and for bytes
/// that do not conform to the format: their contents are unknown.
std::optional<std::vector<std::uint8_t>> without_picture_notes(std::span<const std::uint8_t> file);

}  // namespace vfilter
