#pragma once
// Paints the contents of a preview's window: pictures, lines, frames.

#include <array>
#include <cstdint>
#include <vector>

#include "io/formats/bgr_picture.h"
#include "io/graph/tone_map.h"
#include "pipeline/frame.h"
#include "pipeline/live/preview_layout.h"

namespace vfilter {

/// A canvas that owns its pixels, initially black.
class BgrCanvas {
public:
    /// Black again if the size changes.
    void resize(const WindowSize& size);
    void clear();
    [[nodiscard]] BgrView view() {
        return {samples_.data(), size_.width, size_.height, std::ptrdiff_t{3} * size_.width};
    }

private:
    WindowSize size_;
    std::vector<std::uint8_t> samples_;
};

/// Converts pictures for display: rotated, tone-mapped, in 8 bits. Not thread-safe.
class ScreenPicture {
public:
    explicit ScreenPicture(BgrConverter::Chroma chroma = BgrConverter::Chroma::quick) : converter_(chroma) {}

    /// `width` and `height` are those of the rotated picture. The view is valid until the next call. Throws
    /// Error(input) if FFmpeg cannot convert the picture.
    BgrView make(const AVFrame& picture, Orientation turn, int width, int height);
    /// Whether the last one was tone-mapped.
    [[nodiscard]] bool mapped() const { return mapped_; }

private:
    bool mapped_ = false;
    ToneMapper mapper_;
    BgrConverter converter_;
    BgrCanvas turned_;
};

/// How the stored pictures of a preview are rotated.
struct ShownTurns {
    Orientation filtered{};
    Orientation original{};
};

using BgrColour = std::array<std::uint8_t, 3>;

/// Fills the part of the place that is within the picture.
void fill_place(const BgrView& picture, const Place& place, BgrColour colour);
/// Draws the edge of a place inside it, that many pixels wide, and only in `columns` of the picture.
void draw_frame(const BgrView& picture, const Place& place, int from_column, int to_column, int width,
                BgrColour colour);
/// Copies columns [from, to) of the canvas from a picture that is at `place` in it.
void copy_columns(const BgrView& picture, const Place& place, int from, int to, const BgrView& canvas);

/// Paints pictures as large as the window allows. Not thread-safe.
class WindowPainter {
public:
    /// Paints the panes of the layout with the frame's picture and its original, if it has one. The view is valid until
    /// the next call. Throws Error(input) if FFmpeg cannot convert a picture.
    BgrView paint(const Frame& frame, const ShownTurns& turns, const WindowLayout& layout, const WindowSize& size);
    /// Whether anything painted last was tone-mapped.
    [[nodiscard]] bool mapped() const { return mapped_; }

private:
    bool mapped_ = false;
    ScreenPicture filtered_;
    ScreenPicture original_;
    BgrCanvas canvas_;
};

}  // namespace vfilter
