#pragma once
// How pictures lie in a window: their places, the line between filtered and original, and the bar of a file's time.

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

/// The largest place of the right shape, in the middle. `sample_aspect` is a sample's width by its height.
Place place_in(const WindowSize& window, int width, int height, double sample_aspect);

/// A picture as it is shown: turned.
struct ShownSize {
    int width = 1;
    int height = 1;
    double sample_aspect = 1;

    [[nodiscard]] double shape() const { return width * sample_aspect / height; }
    bool operator==(const ShownSize&) const = default;
};
ShownSize shown_size(const AVFrame& picture, Orientation turn);

/// Whether one is the other in another size, so that the same place of both can be compared.
bool have_same_shape(const ShownSize& a, const ShownSize& b);

/// A picture in the window.
struct Pane {
    bool original = false;
    Place place;   ///< of the whole picture
    int from = 0;  ///< columns of the window in which it is seen
    int to = 0;

    [[nodiscard]] bool shows(int x, int y) const { return place.holds(x, y) && x >= from && x < to; }
    bool operator==(const Pane&) const = default;
};

struct WindowLayout {
    std::vector<Pane> panes;    ///< one, or the original and the filtered one
    std::optional<Place> line;  ///< between the two, where they have one place
};

/// A line is only for pictures of one shape: others stand side by side then.
WindowLayout lay_out(const WindowSize& window, const ShownSize& filtered, const ShownSize& original,
                     const PreviewView& view);

/// The bar along the window's lower edge.
Place bar_in(const WindowSize& window);

}  // namespace vfilter
