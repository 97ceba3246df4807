#pragma once
// What regions cover in a picture of a given size, in whole pixels.

#include <vector>

#include "filters/orientation.h"
#include "filters/region.h"
#include "kernels/blend.h"

namespace vfilter {

/// Pixels [left, right) of rows [top, bottom).
struct PixelBox {
    int left = 0;
    int top = 0;
    int right = 0;
    int bottom = 0;
    bool operator==(const PixelBox&) const = default;

    [[nodiscard]] bool empty() const { return left >= right || top >= bottom; }
    [[nodiscard]] int width() const { return right - left; }
    [[nodiscard]] int height() const { return bottom - top; }
};

/// What the region's rectangles cover of a picture that is shown with `width` x `height` pixels: what reaches over its
/// edge is cut. Throws RegionError, with the size, if one is wholly outside.
std::vector<PixelBox> fixed_boxes(const Region& region, int width, int height);
/// The same of a track's box: all pixels that it touches, and `pad` more on each side, in percent of the box's own
/// width and height. Empty where nothing of it is in the picture.
PixelBox moving_box(const TrackBox& box, const Extent& pad, int width, int height);

/// A box in the picture as it is shown -> the same pixels in the picture as it is stored.
PixelBox to_stored(const PixelBox& shown, Orientation orientation, int stored_width, int stored_height);
/// A mask for the picture as it is shown -> the same for the picture as it is stored.
GrayImage to_stored(const GrayImage& shown, Orientation orientation);

}  // namespace vfilter
