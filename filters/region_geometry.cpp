#include "filters/region_geometry.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace vfilter {

namespace {

int pixels(const Extent& extent, int side) {
    return static_cast<int>(std::lround(extent.percent ? extent.value * side / 100 : extent.value));
}

// Pixels [left, right) of rows [top, bottom), in the picture as it is shown.
struct Place {
    int left;
    int top;
    int right;
    int bottom;
};

Place place(const Rectangle& rectangle, int width, int height) {
    const int x = pixels(rectangle.x, width);
    const int y = pixels(rectangle.y, height);
    // The far side is rounded, not the size: neighbouring regions in percent then touch.
    const auto far_side = [](const Extent& from, const Extent& size, int near, int side) {
        return from.percent && size.percent ? pixels({from.value + size.value, true}, side) : near + pixels(size, side);
    };
    const int right = far_side(rectangle.x, rectangle.width, x, width);
    const int bottom = far_side(rectangle.y, rectangle.height, y, height);
    if (right > width || bottom > height) {
        throw RegionError(to_string(std::vector{rectangle}), "reaches beyond the picture, which has " +
                                                                 std::to_string(width) + "x" + std::to_string(height) +
                                                                 " pixels");
    }
    return {x, y, right, bottom};
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

void fill(GrayImage& image, const Rectangle& rectangle) {
    const Place at = place(rectangle, image.width, image.height);
    for (int row = at.top; row < at.bottom; ++row) {
        std::fill_n(image.samples.begin() + std::ptrdiff_t{row} * image.width + at.left, at.right - at.left,
                    std::uint8_t{255});
    }
}

// Scales each weight by its Chebyshev distance to the nearest pixel of weight 0: 1 / (width + 1) next to it, 1 from
// width + 1 on. The edge of the picture is no edge of the region.
void feather(GrayImage& weights, int width) {
    std::vector<int> distance(weights.samples.size());
    const auto at = [&](int x, int y) -> int& {
        return distance[static_cast<std::size_t>(y) * static_cast<std::size_t>(weights.width) +
                        static_cast<std::size_t>(x)];
    };
    for (std::size_t i = 0; i < distance.size(); ++i) {
        distance[i] = weights.samples[i] == 0 ? 0 : width + 1;
    }
    const auto spread = [&](int x, int y, int from_x, int from_y) {
        if (from_x >= 0 && from_x < weights.width && from_y >= 0 && from_y < weights.height) {
            at(x, y) = std::min(at(x, y), at(from_x, from_y) + 1);
        }
    };
    for (int y = 0; y < weights.height; ++y) {
        for (int x = 0; x < weights.width; ++x) {
            spread(x, y, x - 1, y);
            for (int from = x - 1; from <= x + 1; ++from) {
                spread(x, y, from, y - 1);
            }
        }
    }
    for (int y = weights.height - 1; y >= 0; --y) {
        for (int x = weights.width - 1; x >= 0; --x) {
            spread(x, y, x + 1, y);
            for (int from = x - 1; from <= x + 1; ++from) {
                spread(x, y, from, y + 1);
            }
        }
    }
    for (std::size_t i = 0; i < distance.size(); ++i) {
        const int whole = width + 1;
        weights.samples[i] = static_cast<std::uint8_t>((weights.samples[i] * distance[i] + whole / 2) / whole);
    }
}

}  // namespace

void check_region(const Region& region, int width, int height) {
    for (const Rectangle& rectangle : region.rectangles) {
        place(rectangle, width, height);
    }
}

Region to_stored(const Region& shown, Orientation orientation, int stored_width, int stored_height) {
    if (orientation.as_stored()) {
        check_region(shown, stored_width, stored_height);
        return shown;
    }
    const int width = orientation.swaps_sides() ? stored_height : stored_width;
    const int height = orientation.swaps_sides() ? stored_width : stored_height;
    Region stored = shown;
    for (Rectangle& rectangle : stored.rectangles) {
        // In pixels from here on: percent would round from the other side.
        const Place at = place(rectangle, width, height);
        const Corner one = stored_corner({at.left, at.top}, orientation, stored_width, stored_height);
        const Corner other = stored_corner({at.right, at.bottom}, orientation, stored_width, stored_height);
        const auto extent = [](int pixels) { return Extent{static_cast<double>(pixels), false}; };
        rectangle = {extent(std::min(one.x, other.x)), extent(std::min(one.y, other.y)),
                     extent(std::abs(one.x - other.x)), extent(std::abs(one.y - other.y))};
    }
    return stored;
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

GrayImage region_weights(const Region& region, int width, int height, const GrayImage& mask) {
    GrayImage weights{width, height, {}};
    const std::size_t count = static_cast<std::size_t>(width) * static_cast<std::size_t>(height);
    weights.samples.assign(count, region.everywhere() || region.rectangles.empty() ? 255 : 0);
    for (const Rectangle& rectangle : region.rectangles) {
        fill(weights, rectangle);
    }
    if (!region.mask.empty()) {
        for (std::size_t i = 0; i < count; ++i) {
            weights.samples[i] = std::min(weights.samples[i], mask.samples.at(i));
        }
    }
    if (region.invert) {
        for (std::uint8_t& weight : weights.samples) {
            weight = static_cast<std::uint8_t>(255 - weight);
        }
    }
    if (region.feather > 0) {
        feather(weights, region.feather);
    }
    return weights;
}

GrayImage plane_weights(const GrayImage& weights, int pitch_x, int pitch_y) {
    GrayImage plane{(weights.width + pitch_x - 1) / pitch_x, (weights.height + pitch_y - 1) / pitch_y, {}};
    for (int y = 0; y < plane.height; ++y) {
        for (int x = 0; x < plane.width; ++x) {
            int sum = 0;
            int count = 0;
            for (int py = y * pitch_y; py < std::min((y + 1) * pitch_y, weights.height); ++py) {
                for (int px = x * pitch_x; px < std::min((x + 1) * pitch_x, weights.width); ++px, ++count) {
                    sum += weights.samples[static_cast<std::size_t>(py) * static_cast<std::size_t>(weights.width) +
                                           static_cast<std::size_t>(px)];
                }
            }
            plane.samples.push_back(static_cast<std::uint8_t>((sum + count / 2) / count));
        }
    }
    return plane;
}

}  // namespace vfilter
