#pragma once
// What the user of a preview has chosen to see.

#include <algorithm>

namespace vfilter {

struct PreviewView {
    bool paused = false;
    bool numbers = true;  ///< over the picture
    bool help = false;
    bool full_screen = false;
    double split = 0;  ///< the original is left of it: 0 is the filtered picture alone, 1 the original

    /// Whether both pictures are seen, with a line between them.
    [[nodiscard]] bool has_line() const { return split > 0 && split < 1; }
    void toggle_original() { split = split > 0 ? 0 : 1; }
    /// `at` may be outside of the picture.
    void put_line(double at) { split = std::clamp(at, 0.0, 1.0); }
    /// Where there is no line yet, it comes into the middle.
    void move_line(double by) { put_line(has_line() ? split + by : 0.5); }
};

}  // namespace vfilter
