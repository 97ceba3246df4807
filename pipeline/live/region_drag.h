#pragma once
// A region's rectangles while the mouse draws, moves or sizes one of them.

#include <cstddef>
#include <vector>

#include "filters/region_geometry.h"

namespace vfilter {

/// Of a picture as it is shown. Not thread-safe.
class RegionDrag {
public:
    /// A corner between pixels: 0 to the picture's width, and height.
    struct Point {
        int x = 0;
        int y = 0;
    };

    /// The button was pressed at `at`: near an edge of a rectangle, which follows then; in one, which is moved; or
    /// elsewhere, where a new one begins, in place of all others or, with `add`, besides them. `grip` is how near an
    /// edge is, and how far the mouse has to go until that means anything. Throws RegionError as fixed_boxes() does.
    RegionDrag(const Region& region, int width, int height, Point at, Point grip, bool add);

    /// The mouse is here now; places outside of the picture are its edge.
    void to(Point at);
    /// Whether it has gone far enough to mean it.
    [[nodiscard]] bool meant() const { return meant_; }
    /// As they are now, all within the picture.
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
    PixelBox box_;           // as it was
    bool whole_ = false;     // it is moved, and no edge alone
    bool left_ = false;      // this edge follows, and so on
    bool top_ = false;
    bool right_ = false;
    bool bottom_ = false;
    bool meant_ = false;
};

}  // namespace vfilter
