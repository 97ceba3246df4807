#pragma once
// What the user of a preview has chosen to see.

#include <algorithm>

namespace vfilter {

struct PreviewView {
    bool paused = false;
    bool numbers = true;  ///< text over the picture, and the bar below it
    bool help = false;
    bool full_screen = false;
    bool outlines = true;  ///< of regions
    bool beside = false;   ///< original and filtered picture side by side
    bool loop = false;     ///< start the file again at its end
    double split = 0;      ///< the original is left of it: 0 shows only the filtered picture, 1 only the original

    /// Whether both pictures share one place, with a line between them.
    [[nodiscard]] bool has_line() const { return !beside && split > 0 && split < 1; }
    void toggle_original() {
        split = !beside && split > 0 ? 0 : 1;
        beside = false;
    }
    /// `at` may be outside the picture.
    void put_line(double at) { split = std::clamp(at, 0.0, 1.0); }
    /// If there is no line yet, it starts in the middle.
    void move_line(double by) {
        put_line(has_line() ? split + by : 0.5);
        beside = false;
    }
};

}  // namespace vfilter
