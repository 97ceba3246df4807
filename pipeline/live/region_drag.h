#pragma once
// A region's rectangles while the mouse draws, moves or resizes one of them.

#include <cstddef>
#include <vector>

#include "filters/region_geometry.h"

namespace vfilter {

/// In a picture as displayed. Not thread-safe.
class RegionDrag {
public:
    /// A corner between pixels: 0 to the picture's width, and height.
    struct Point {
        int x = 0;
        int y = 0;
    };

    /// The button was pressed at `at`: near an edge of a rectangle, which then follows; inside one, which is moved; or
    /// elsewhere, where a new one begins, replacing all others or, with `add`, in addition to them. `grip` is the
    /// distance that counts as near an edge, and the distance that the mouse must move to have an effect. Throws
    /// RegionError as fixed_boxes() does.
    RegionDrag(const Region& region, int width, int height, Point at, Point grip, bool add);

    /// The mouse is here now; places outside the picture count as its edge.
    void to(Point at);
    /// Whether it has moved far enough to have an effect.
    [[nodiscard]] bool meant() const { return meant_; }
    /// The current rectangles, all within the picture.
    [[nodiscard]] const std::vector<Rectangle>& rectangles() const { return rectangles_; }

private:
    void pick(const std::vector<PixelBox>& boxes, Point grip);
    [[nodiscard]] PixelBox moved_by(int x, int y) const;
    [[nodiscard]] PixelBox sized_by(int x, int y) const;

    int width_;
    int height_;
    Point from_;
    Point grip_;
    std::vector<Rectangle> rectangles_;
    std::size_t index_ = 0;  // of the one that changes
    PixelBox box_;           // before the change
    bool whole_ = false;     // it is moved as a whole, not one edge
    bool left_ = false;      // this edge follows the mouse, and so on
    bool top_ = false;
    bool right_ = false;
    bool bottom_ = false;
    bool meant_ = false;
};

}  // namespace vfilter
