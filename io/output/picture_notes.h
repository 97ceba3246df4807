#pragma once
// What cameras and programs write into files of pictures besides the picture: EXIF with the place where it was taken,
// XMP, texts, and whatever follows the end.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace vfilter {

/// A JPEG, PNG or WebP file with its picture, profile of colours and animation alone. Nothing for other formats, and
/// for bytes that are not as the format has them: what is in those is not known.
std::optional<std::vector<std::uint8_t>> without_picture_notes(std::span<const std::uint8_t> file);

}  // namespace vfilter
