#pragma once
// Images within an SVG, which librsvg decodes without asking how large they are.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace vfilter {

/// Largest SVG that is looked into, packed or not, in bytes.
inline constexpr std::size_t max_drawing = std::size_t{256} << 20;

/// Whether a name ends as those of SVG do, packed ones too.
bool is_name_of_svg(std::string_view name);

/// A phrase on an image in it (`data:`) of more than `max_pixels`, or of which nothing tells how large it is; "" if
/// there is none. `drawing` may be gzipped (SVGZ).
std::string excess_of_svg(std::span<const std::uint8_t> drawing, std::int64_t max_pixels);

}  // namespace vfilter
