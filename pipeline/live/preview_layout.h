#pragma once
// The layout of a window: the places of pictures, the line between filtered and original, and the bar that shows a
// file's time.

#include <optional>
#include <vector>

#include "filters/orientation.h"
#include "io/handles.h"
#include "io/preview/preview_window.h"
#include "pipeline/live/preview_view.h"

namespace vfilter {

/// A rectangle of a window, in pixels.
struct Place {
    int x = 0;
    int y = 0;
    int width = 0;
    int height = 0;

    [[nodiscard]] bool holds(int at_x, int at_y) const {
        return at_x >= x && at_x < x + width && at_y >= y && at_y < y + height;
    }
    bool operator==(const Place&) const = default;
};

/// The largest centred place with the right aspect ratio. `sample_aspect` is a sample's width divided by its height.
Place place_in(const WindowSize& window, int width, int height, double sample_aspect);

/// The size of a picture as displayed: after rotation.
struct ShownSize {
    int width = 1;
    int height = 1;
    double sample_aspect = 1;

    [[nodiscard]] double shape() const { return width * sample_aspect / height; }
    bool operator==(const ShownSize&) const = default;
};
ShownSize shown_size(const AVFrame& picture, Orientation turn);

/// Whether one is a scaled version of the other, so that the same place in both can be compared.
bool have_same_shape(const ShownSize& a, const ShownSize& b);

/// A picture in the window.
struct Pane {
    bool original = false;
    Place place;   ///< of the whole picture
    int from = 0;  ///< columns of the window in which it is visible
    int to = 0;

    [[nodiscard]] bool shows(int x, int y) const { return place.holds(x, y) && x >= from && x < to; }
    bool operator==(const Pane&) const = default;
};

struct WindowLayout {
    std::vector<Pane> panes;    ///< one, or the original and the filtered one
    std::optional<Place> line;  ///< between the two, if they share one place
};

/// A line needs pictures of the same shape: others are shown side by side.
WindowLayout lay_out(const WindowSize& window, const ShownSize& filtered, const ShownSize& original,
                     const PreviewView& view);

/// The bar along the window's lower edge.
Place bar_in(const WindowSize& window);

}  // namespace vfilter
