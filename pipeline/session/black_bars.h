#pragma once
// The part of pictures inside their black bars.

#include <optional>
#include <string>

#include "io/handles.h"
#include "pipeline/engine/filter_engine.h"

namespace vfilter {

/// A rectangle of pixels.
struct PictureBox {
    int x = 0;
    int y = 0;
    int width = 0;
    int height = 0;
    bool operator==(const PictureBox&) const = default;
};

/// In the syntax of libavfilter's crop: "crop=1920:800:0:140".
std::string crop_graph(const PictureBox& box);

/// The part of pictures of one size that is not a black bar in any of them. As in cropdetect, a line is black if its
/// mean is at most 24 of 255, where black is 16. In addition, hardly any of its pixels may be bright, so that thin tips
/// of letters that extend into a bar are not cut off. The result is the same on every machine.
class BlackBars {
public:
    /// Examines one more picture, in a native format. An entirely black one has no effect.
    void add(const AVFrame& picture, const PictureFormat& format);
    /// Number of pictures that were not entirely black.
    [[nodiscard]] int lit() const { return lit_; }

    /// What is left without the bars, starting at even pixels, or as chroma and fields require, so that neither black
    /// nor a mixture with it stays at an edge. A bar that is too thin for that is kept. Empty if everything was black.
    [[nodiscard]] std::optional<PictureBox> inside() const;

private:
    int width_ = 0;
    int height_ = 0;
    int unit_x_ = 2;
    int unit_y_ = 2;
    int lit_ = 0;
    // For all pictures together: each edge as far out as in any of them. The ends are one past the last line.
    int left_ = 0;
    int right_ = 0;
    int top_ = 0;
    int bottom_ = 0;
};

}  // namespace vfilter
