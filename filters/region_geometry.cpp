#include "filters/region_geometry.h"

#include <algorithm>
#include <cmath>

namespace vfilter {

namespace {

int pixels(const Extent& extent, int side) {
    return static_cast<int>(std::lround(extent.percent ? extent.value * side / 100 : extent.value));
}

PixelBox clipped(const PixelBox& box, int width, int height) {
    return {std::max(box.left, 0), std::max(box.top, 0), std::min(box.right, width), std::min(box.bottom, height)};
}

PixelBox fixed_box(const Rectangle& rectangle, int width, int height) {
    const int x = pixels(rectangle.x, width);
    const int y = pixels(rectangle.y, height);
    // The far side is rounded, not the size: neighbouring regions in percent then touch.
    const auto far_side = [](const Extent& from, const Extent& size, int near, int side) {
        return from.percent && size.percent ? pixels({from.value + size.value, true}, side) : near + pixels(size, side);
    };
    return {x, y, far_side(rectangle.x, rectangle.width, x, width), far_side(rectangle.y, rectangle.height, y, height)};
}

// A point of the grid between pixels, or on the edge of the picture.
struct Corner {
    int x;
    int y;
};

// Undoes the turn, then the mirroring. `width` and `height` are those of the picture as it is stored.
Corner stored_corner(Corner shown, Orientation orientation, int width, int height) {
    Corner stored = shown;
    switch (orientation.quarter_turns) {
        case 1:
            stored = {shown.y, height - shown.x};
            break;
        case 2:
            stored = {width - shown.x, height - shown.y};
            break;
        case 3:
            stored = {width - shown.y, shown.x};
            break;
        default:
            break;
    }
    return {orientation.mirrored ? width - stored.x : stored.x, stored.y};
}

}  // namespace

std::vector<PixelBox> fixed_boxes(const Region& region, int width, int height) {
    std::vector<PixelBox> boxes;
    for (const Rectangle& rectangle : region.rectangles) {
        const PixelBox box = fixed_box(rectangle, width, height);
        if (!box.empty() && (box.left >= width || box.top >= height)) {
            throw RegionError(to_string(std::vector{rectangle}), "lies outside of the picture, which has " +
                                                                     std::to_string(width) + "x" +
                                                                     std::to_string(height) + " pixels");
        }
        boxes.push_back(clipped(box, width, height));
    }
    return boxes;
}

PixelBox moving_box(const TrackBox& box, const Extent& pad, int width, int height) {
    const auto more = [&](double side) { return pad.percent ? pad.value * side / 100 : pad.value; };
    // Limits keep what is far outside within an int.
    const auto before = [](double place) { return static_cast<int>(std::clamp(std::floor(place), -1e8, 1e8)); };
    const auto after = [](double place) { return static_cast<int>(std::clamp(std::ceil(place), -1e8, 1e8)); };
    const double x = more(box.width);
    const double y = more(box.height);
    return clipped(
        {before(box.left - x), before(box.top - y), after(box.left + box.width + x), after(box.top + box.height + y)},
        width, height);
}

PixelBox to_stored(const PixelBox& shown, Orientation orientation, int stored_width, int stored_height) {
    if (orientation.as_stored() || shown.empty()) {
        return shown;
    }
    const Corner one = stored_corner({shown.left, shown.top}, orientation, stored_width, stored_height);
    const Corner other = stored_corner({shown.right, shown.bottom}, orientation, stored_width, stored_height);
    return {std::min(one.x, other.x), std::min(one.y, other.y), std::max(one.x, other.x), std::max(one.y, other.y)};
}

GrayImage to_stored(const GrayImage& shown, Orientation orientation) {
    const bool swap = orientation.swaps_sides();
    GrayImage stored{swap ? shown.height : shown.width, swap ? shown.width : shown.height, {}};
    stored.samples.resize(shown.samples.size());
    for (int y = 0; y < shown.height; ++y) {
        for (int x = 0; x < shown.width; ++x) {
            const Corner one = stored_corner({x, y}, orientation, stored.width, stored.height);
            const Corner other = stored_corner({x + 1, y + 1}, orientation, stored.width, stored.height);
            const std::ptrdiff_t to =
                std::ptrdiff_t{std::min(one.y, other.y)} * stored.width + std::min(one.x, other.x);
            stored.samples[static_cast<std::size_t>(to)] =
                shown.samples[static_cast<std::size_t>(std::ptrdiff_t{y} * shown.width + x)];
        }
    }
    return stored;
}

}  // namespace vfilter
