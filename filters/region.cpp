#include "filters/region.h"

#include <cmath>

#include "filters/names.h"
#include "filters/numbers.h"

namespace vfilter {

namespace {

Extent parse_extent(std::string_view whole, std::string_view text) {
    const bool percent = text.ends_with('%');
    const std::optional<double> value = read_number(text.substr(0, text.size() - (percent ? 1 : 0)));
    if (!value) {
        throw RegionError(whole,
                          "'" + shortened(text) + "' is not a number of pixels or percent; x,y,w,h are four of them");
    }
    const double maximum = percent ? 100 : max_region_coordinate;
    if (*value < 0 || *value > maximum || (!percent && *value != std::floor(*value))) {
        throw RegionError(
            whole, shortened(text) + " is out of range; pixels are whole numbers from 0 to 65536, percent 0 to 100");
    }
    return {*value, percent};
}

}  // namespace

std::string to_string(const Extent& extent) {
    return number_text(extent.value) + (extent.percent ? "%" : "");
}

RegionError::RegionError(std::string_view text, const std::string& what)
    : std::invalid_argument("region='" + shortened(text) + "': " + what) {}

std::vector<Rectangle> parse_rectangles(std::string_view text) {
    std::vector<Rectangle> rectangles;
    std::string_view rest = text;
    for (;;) {
        if (rectangles.size() == max_rectangles) {
            throw RegionError(text, "more than " + std::to_string(max_rectangles) +
                                        " rectangles; a mask can have any shape (mask=FILE)");
        }
        const std::size_t plus = rest.find('+');
        std::string_view one = rest.substr(0, plus);
        Extent extents[4];
        for (int i = 0; i < 4; ++i) {
            const std::size_t comma = one.find(',');
            if ((comma == std::string_view::npos) != (i == 3)) {
                throw RegionError(text,
                                  "a rectangle is x,y,w,h, in pixels or percent (10,20,64,48 or 25%,0%,50%,100%)");
            }
            extents[i] = parse_extent(text, one.substr(0, comma));
            one.remove_prefix(comma == std::string_view::npos ? one.size() : comma + 1);
        }
        rectangles.push_back({extents[0], extents[1], extents[2], extents[3]});
        const Rectangle& made = rectangles.back();
        if (made.width.value == 0 || made.height.value == 0) {
            throw RegionError(text, "width and height are more than 0");
        }
        if (plus == std::string_view::npos) {
            return rectangles;
        }
        rest.remove_prefix(plus + 1);
    }
}

bool Region::operator==(const Region& other) const {
    const bool same_tracks = tracks && other.tracks ? *tracks == *other.tracks : !tracks && !other.tracks;
    return same_tracks && rectangles == other.rectangles && pad == other.pad && mask == other.mask &&
           invert == other.invert && feather == other.feather && outside == other.outside;
}

void parse_place(std::string_view text, Region& region) {
    if (!text.starts_with('@')) {
        region.tracks = nullptr;
        region.rectangles = parse_rectangles(text);
        return;
    }
    try {
        region.tracks = std::make_shared<const Tracks>(read_tracks(std::string(text.substr(1))));
    } catch (const std::invalid_argument& error) {
        throw RegionError(text, error.what());
    }
    region.rectangles.clear();
}

std::string place_text(const Region& region) {
    return region.tracks ? "@" + region.tracks->file : to_string(region.rectangles);
}

Extent parse_pad(std::string_view text) {
    constexpr double max_pad_percent = 1000;
    const bool percent = text.ends_with('%');
    const std::optional<double> value = read_number(text.substr(0, text.size() - (percent ? 1 : 0)));
    if (!value || *value < 0 || *value > (percent ? max_pad_percent : max_region_coordinate)) {
        throw std::invalid_argument("pad='" + shortened(text) +
                                    "' is out of range; pad is 0 to 65536 pixels, or 0% to 1000% of each box");
    }
    return {*value, percent};
}

std::string to_string(const std::vector<Rectangle>& rectangles) {
    std::string text;
    for (const Rectangle& one : rectangles) {
        text += (text.empty() ? "" : "+") + to_string(one.x) + "," + to_string(one.y) + "," + to_string(one.width) +
                "," + to_string(one.height);
    }
    return text;
}

}  // namespace vfilter
