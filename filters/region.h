#pragma once
// A part of the picture to which a filter is confined, as a weight for every sample.

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/blend.h"

namespace vfilter {

/// A length in pixels, or in percent of the picture's side.
struct Extent {
    double value = 0;
    bool percent = false;
    bool operator==(const Extent&) const = default;
};

struct Rectangle {
    Extent x, y, width, height;
    bool operator==(const Rectangle&) const = default;
};

/// Where a filter works. Without rectangles and mask: everywhere.
struct Region {
    std::vector<Rectangle> rectangles{};  ///< their union
    std::string mask{};  ///< file of a picture that is scaled to the frame: white is filtered, black is not
    bool invert = false;
    int feather = 0;  ///< pixels over which the filter sets in, inside of the region

    [[nodiscard]] bool everywhere() const { return rectangles.empty() && mask.empty(); }
    bool operator==(const Region&) const = default;
};

/// What is wrong with a region, as a sentence for the user.
class RegionError : public std::invalid_argument {
public:
    using std::invalid_argument::invalid_argument;
};

constexpr int max_feather = 1000;
constexpr std::size_t max_rectangles = 1000;

/// "x,y,w,h" in pixels or percent, several joined by '+'. Throws RegionError.
std::vector<Rectangle> parse_rectangles(std::string_view text);
std::string to_string(const std::vector<Rectangle>& rectangles);

/// How a picture is shown: mirrored left to right, if it is, and then turned clockwise.
struct Orientation {
    int quarter_turns = 0;  ///< 0 to 3
    bool mirrored = false;

    [[nodiscard]] bool as_stored() const { return quarter_turns == 0 && !mirrored; }
    /// Whether what is stored as width is shown as height.
    [[nodiscard]] bool swaps_sides() const { return quarter_turns % 2 != 0; }
    bool operator==(const Orientation&) const = default;
};

/// The same region of the picture as it is stored, in whole pixels, of one that is meant for the picture as it is
/// shown. Throws RegionError as check_region() does, with the size that is shown.
Region to_stored(const Region& shown, Orientation orientation, int stored_width, int stored_height);

/// Throws RegionError if a rectangle is not within a frame of that size, with the range.
void check_region(const Region& region, int width, int height);

/// A mask for the picture as it is stored, of one for the picture as it is shown.
GrayImage to_stored(const GrayImage& shown, Orientation orientation);

/// The weight of every pixel of a frame, 0 for untouched to 255 for filtered. `mask` has the frame's size; it is looked
/// at if the region has one. Throws as check_region().
GrayImage region_weights(const Region& region, int width, int height, const GrayImage& mask);
/// The weights of a plane whose samples are that many pixels apart: the mean of the pixels that a sample stands for.
GrayImage plane_weights(const GrayImage& weights, int pitch_x, int pitch_y);

}  // namespace vfilter
