#include "pipeline/live/region_drag.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace vfilter {

namespace {

Rectangle rectangle_of(const PixelBox& box) {
    const auto pixels = [](int value) { return Extent{static_cast<double>(value), false}; };
    return {pixels(box.left), pixels(box.top), pixels(box.width()), pixels(box.height())};
}

// Ends of a side of which one or both were moved: in order, within the picture, a pixel apart.
void put_in_order(int& low, int& high, int side) {
    if (low > high) {
        std::swap(low, high);
    }
    low = std::clamp(low, 0, side - 1);
    high = std::clamp(high, low + 1, side);
}

}  // namespace

RegionDrag::RegionDrag(const Region& region, int width, int height, Point at, Point grip, bool add)
    : width_(width),
      height_(height),
      from_{std::clamp(at.x, 0, width), std::clamp(at.y, 0, height)},
      grip_(grip),
      rectangles_(region.rectangles) {
    const std::vector<PixelBox> boxes = fixed_boxes(region, width, height);
    index_ = boxes.size();
    if (!add) {
        pick(boxes, grip);
    }
    if (index_ == boxes.size()) {
        box_ = {from_.x, from_.y, from_.x, from_.y};
        right_ = bottom_ = true;
        if (!add) {
            rectangles_.clear();
            index_ = 0;
        }
        rectangles_.emplace_back();
    }
}

// The topmost one is drawn last.
void RegionDrag::pick(const std::vector<PixelBox>& boxes, Point grip) {
    for (std::size_t i = boxes.size(); i-- > 0;) {
        const PixelBox& box = boxes[i];
        // A small one can be moved, too.
        const Point near{std::min(grip.x, std::max(1, box.width() / 4)),
                         std::min(grip.y, std::max(1, box.height() / 4))};
        const bool inside = from_.x >= box.left - near.x && from_.x <= box.right + near.x &&
                            from_.y >= box.top - near.y && from_.y <= box.bottom + near.y;
        if (box.empty() || !inside) {
            continue;
        }
        index_ = i;
        box_ = box;
        left_ = std::abs(from_.x - box.left) <= near.x;
        right_ = !left_ && std::abs(from_.x - box.right) <= near.x;
        top_ = std::abs(from_.y - box.top) <= near.y;
        bottom_ = !top_ && std::abs(from_.y - box.bottom) <= near.y;
        whole_ = !left_ && !right_ && !top_ && !bottom_;
        return;
    }
}

PixelBox RegionDrag::moved_by(int x, int y) const {
    x = std::clamp(x, -box_.left, width_ - box_.right);
    y = std::clamp(y, -box_.top, height_ - box_.bottom);
    return {box_.left + x, box_.top + y, box_.right + x, box_.bottom + y};
}

PixelBox RegionDrag::sized_by(int x, int y) const {
    PixelBox box{box_.left + (left_ ? x : 0), box_.top + (top_ ? y : 0), box_.right + (right_ ? x : 0),
                 box_.bottom + (bottom_ ? y : 0)};
    put_in_order(box.left, box.right, width_);
    put_in_order(box.top, box.bottom, height_);
    return box;
}

void RegionDrag::to(Point at) {
    const int x = std::clamp(at.x, 0, width_) - from_.x;
    const int y = std::clamp(at.y, 0, height_) - from_.y;
    meant_ = meant_ || std::abs(x) >= grip_.x || std::abs(y) >= grip_.y;
    rectangles_[index_] = rectangle_of(whole_ ? moved_by(x, y) : sized_by(x, y));
}

}  // namespace vfilter
