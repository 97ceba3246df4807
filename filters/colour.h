#pragma once
// Colours as text, and as the samples of a picture.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace vfilter {

/// 8 bits each.
struct Colour {
    int red = 0;
    int green = 0;
    int blue = 0;
    int alpha = 255;  ///< 255 is opaque
    bool operator==(const Colour&) const = default;

    /// All of it in 32 bits, and back.
    [[nodiscard]] std::uint32_t packed() const {
        return static_cast<std::uint32_t>(alpha) << 24 | static_cast<std::uint32_t>(red << 16 | green << 8 | blue);
    }
    static Colour unpacked(std::uint32_t bits) {
        const auto byte = [bits](int at) { return static_cast<int>(bits >> at & 0xffU); };
        return {byte(16), byte(8), byte(0), byte(24)};
    }
};

/// "black" or "#rrggbb" or "#rrggbbaa", in any case; nothing if it is none.
std::optional<Colour> parse_colour(std::string_view text);
/// What parse_colour reads back.
std::string to_string(const Colour& colour);

/// What of a colour a plane's samples are.
enum class Component { luma, cb, cr, red, green, blue, alpha };

/// Which luma and chroma are made of red, green and blue: ITU-T H.273's matrix coefficients.
enum class ColourMatrix { bt601, bt709, bt2020, smpte240m, fcc };

/// The sample of a colour at `depth` bits, rounded half up from the exact number. Red, green, blue and alpha have all
/// of the range; luma and chroma what ITU-R BT.601 and later say, all of it if `full_range`.
int sample_of(const Colour& colour, Component component, ColourMatrix matrix, bool full_range, int depth);

}  // namespace vfilter
