#pragma once
// Regions in the preview's window: their outlines, and changing one with the mouse.

#include <optional>
#include <string>

#include "pipeline/live/previewed_video.h"
#include "pipeline/live/region_drag.h"

namespace vfilter {

/// Whether a filter's region is where the pane shows it.
bool is_seen_in(const Pane& pane, const FilterPicture& pictures);

/// Draws outlines into the panes of a window's picture, each with its label; those of the chosen filter are wider.
void draw_outlines(const PreviewWindow& window, const BgrView& canvas, const WindowLayout& layout,
                   const PreviewedVideo& video, const std::vector<Outline>& outlines, std::size_t chosen);

/// The region of a filter while the mouse changes it. Not thread-safe.
class RegionEditor {
public:
    /// The button was pressed in the pane at (x, y) of the window. Returns a message that says why that filter has no
    /// region to change there, or "".
    std::string begin(const FilterSpec& filter, const FilterPicture& pictures, const Pane& pane, int x, int y,
                      bool add);
    void drag(int x, int y);
    /// The button was released. Returns the new region, or nothing if the mouse has hardly moved.
    std::optional<Region> end();
    /// The region while the button is down; null if it is not, or if the mouse has hardly moved.
    [[nodiscard]] const Region* region() const { return drag_ && drag_->meant() ? &region_ : nullptr; }

private:
    [[nodiscard]] RegionDrag::Point point(int x, int y) const;

    Region region_;
    FilterPicture pictures_;
    Place place_;
    std::optional<RegionDrag> drag_;
};

}  // namespace vfilter
