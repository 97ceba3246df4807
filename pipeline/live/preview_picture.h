#pragma once
// How pictures lie in a window: their place, and the line between filtered and original.

#include <cstdint>
#include <vector>

#include "io/formats/bgr_picture.h"
#include "io/preview/preview_window.h"
#include "pipeline/frame.h"

namespace vfilter {

/// Where a picture lies in a window, in pixels.
struct Place {
    int x = 0;
    int y = 0;
    int width = 0;
    int height = 0;

    bool operator==(const Place&) const = default;
};

/// The largest place of the right shape, in the middle. `sample_aspect` is a sample's width by its height.
Place place_in(const WindowSize& window, int width, int height, double sample_aspect);

/// An owned picture, black at first.
class BgrCanvas {
public:
    /// Black anew if the size is another one.
    void resize(const WindowSize& size);
    void clear();
    [[nodiscard]] BgrView view() {
        return {samples_.data(), size_.width, size_.height, std::ptrdiff_t{3} * size_.width};
    }

private:
    WindowSize size_;
    std::vector<std::uint8_t> samples_;
};

/// Draws the filtered picture at (x, y) of `canvas`, and of the original, which has the same size, what is left of
/// `split`, 0 to 1 of its width. Between the two stands a line, if both are to be seen.
void draw_split(const BgrView& filtered, const BgrView& original, double split, const BgrView& canvas, int x, int y);

/// Paints pictures as large as a window lets them be. Not thread-safe.
class WindowPainter {
public:
    /// The frame's picture, and of its original, if it has one, what is left of `split`. The view is valid until the
    /// next call. Throws Error(input) if FFmpeg cannot convert a picture.
    BgrView paint(const Frame& frame, double split, const WindowSize& size);

private:
    BgrConverter filtered_;
    BgrConverter original_;
    BgrCanvas canvas_;
};

}  // namespace vfilter
