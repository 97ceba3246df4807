#include "pipeline/live/region_editor.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace vfilter {

namespace {

constexpr int reach = 8;  // pixels of the window around an edge that is taken hold of
constexpr BgrColour bright{255, 255, 255};
constexpr BgrColour dark{0, 0, 0};
constexpr BgrColour yellow{0, 220, 255};

int scaled(int at, int from_side, int to_side) {
    return static_cast<int>(std::lround(static_cast<double>(at) * to_side / from_side));
}

Place in_window(const PixelBox& box, const FilterPicture& pictures, const Place& place) {
    const int left = scaled(box.left, pictures.width, place.width);
    const int top = scaled(box.top, pictures.height, place.height);
    return {place.x + left, place.y + top, std::max(1, scaled(box.right, pictures.width, place.width) - left),
            std::max(1, scaled(box.bottom, pictures.height, place.height) - top)};
}

}  // namespace

bool is_seen_in(const Pane& pane, const FilterPicture& pictures) {
    return pane.original ? pictures.seen_original : pictures.seen_filtered;
}

// Seen on any picture: a bright line with dark ones at its sides.
void draw_outlines(const PreviewWindow& window, const BgrView& canvas, const WindowLayout& layout,
                   const PreviewedVideo& video, const std::vector<Outline>& outlines, std::size_t chosen) {
    for (const Pane& pane : layout.panes) {
        for (const Outline& outline : outlines) {
            const FilterPicture& pictures = video.filters[outline.filter];
            if (!is_seen_in(pane, pictures)) {
                continue;
            }
            const bool wide = outline.filter == chosen;
            const int width = wide ? 2 : 1;
            const Place inner = in_window(outline.box, pictures, pane.place);
            const Place outer{inner.x - 1, inner.y - 1, inner.width + 2, inner.height + 2};
            draw_frame(canvas, outer, pane.from, pane.to, width + 2, dark);
            draw_frame(canvas, inner, pane.from, pane.to, width, wide ? yellow : bright);
            if (pane.shows(std::clamp(inner.x, pane.place.x, pane.place.x + pane.place.width - 1),
                           std::clamp(inner.y, pane.place.y, pane.place.y + pane.place.height - 1))) {
                window.write_label(canvas, inner.x + width + 2, inner.y + width + 2, outline.label);
            }
        }
    }
}

RegionDrag::Point RegionEditor::point(int x, int y) const {
    return {scaled(x - place_.x, place_.width, pictures_.width), scaled(y - place_.y, place_.height, pictures_.height)};
}

std::string RegionEditor::begin(const FilterSpec& filter, const FilterPicture& pictures, const Pane& pane, int x, int y,
                                bool add) {
    if (filter.region.tracks) {
        return fmt::format("the region of {} moves with its file; x takes it away", filter.def->name);
    }
    if (!is_seen_in(pane, pictures)) {
        return fmt::format("--vf moves what {} filters: its region is changed in the {} picture", filter.def->name,
                           pane.original ? "filtered" : "original");
    }
    region_ = filter.region;
    pictures_ = pictures;
    place_ = pane.place;
    const RegionDrag::Point grip{std::max(1, scaled(reach, place_.width, pictures_.width)),
                                 std::max(1, scaled(reach, place_.height, pictures_.height))};
    drag_.emplace(region_, pictures_.width, pictures_.height, point(x, y), grip, add);
    return "";
}

void RegionEditor::drag(int x, int y) {
    if (drag_) {
        drag_->to(point(x, y));
        region_.rectangles = drag_->rectangles();
    }
}

std::optional<Region> RegionEditor::end() {
    const bool meant = region() != nullptr;
    drag_.reset();
    return meant ? std::optional(std::move(region_)) : std::nullopt;
}

}  // namespace vfilter
