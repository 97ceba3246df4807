#pragma once
// The part of the picture to which a filter is confined: the value, and as text. What it covers in a frame of a given
// size is in region_geometry.h.

#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "filters/tracks.h"

namespace vfilter {

constexpr int max_feather = 1000;                ///< pixels
constexpr std::size_t max_rectangles = 1000;     ///< in one region
constexpr double max_region_coordinate = 65536;  ///< pixels

/// A length in pixels, or in percent of the picture's side.
struct Extent {
    double value = 0;  ///< whole pixels up to max_region_coordinate, or 0 to 100 percent
    bool percent = false;
    bool operator==(const Extent&) const = default;
};

/// In the picture as it is shown. Width and height are above 0.
struct Rectangle {
    Extent x, y, width, height;
    bool operator==(const Rectangle&) const = default;
};

/// Where a filter works. Without rectangles, tracks and mask: everywhere.
struct Region {
    std::vector<Rectangle> rectangles{};     ///< their union
    std::shared_ptr<const Tracks> tracks{};  ///< boxes that move, in place of rectangles
    Extent pad{};                            ///< around the boxes of tracks; percent of each box
    std::string mask{};  ///< file of a picture, scaled to the frame: white is filtered, black is not
    bool invert = false;
    int feather = 0;       ///< pixels over which the filter sets in, inside the region
    bool outside = false;  ///< or outside of it

    [[nodiscard]] bool everywhere() const { return rectangles.empty() && !tracks && mask.empty(); }
    bool operator==(const Region& other) const;
};

/// What is wrong with a region, as a sentence for the user.
class RegionError : public std::invalid_argument {
public:
    /// "region='TEXT': WHAT", the text shortened to a line.
    RegionError(std::string_view text, const std::string& what);
};

/// "x,y,w,h" in pixels or percent, several joined by '+'. Throws RegionError.
std::vector<Rectangle> parse_rectangles(std::string_view text);
/// What parse_rectangles reads back to the same value.
std::string to_string(const std::vector<Rectangle>& rectangles);

/// Sets rectangles, or tracks of "@FILE", which is read. Throws RegionError.
void parse_place(std::string_view text, Region& region);
/// What parse_place reads back; "" where there is neither.
std::string place_text(const Region& region);
/// "8" or "10%". Throws std::invalid_argument with a sentence.
Extent parse_pad(std::string_view text);
std::string to_string(const Extent& extent);

}  // namespace vfilter
