#pragma once
// Where pictures are that have black bars around them.

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

/// As libavfilter's crop takes it: "crop=1920:800:0:140".
std::string crop_graph(const PictureBox& box);

/// What of pictures of one size is no black bar in any of them. A line is black as cropdetect has it: its mean is no
/// lighter than 24 of 255, where black is 16. Besides, hardly any of its pixels is bright, which keeps the thin tips of
/// letters whole that stand in a bar. The same on every machine.
class BlackBars {
public:
    /// Looks at one more picture, in a native format. One that is black all over tells nothing.
    void add(const AVFrame& picture, const PictureFormat& format);
    /// Pictures that were not black all over.
    [[nodiscard]] int lit() const { return lit_; }

    /// What is left without the bars: from even pixels on, or as chroma and fields want it, so that neither black nor
    /// a mixture with it stays at an edge. A bar that is too thin for that is left. Nothing where all was black.
    [[nodiscard]] std::optional<PictureBox> inside() const;

private:
    int width_ = 0;
    int height_ = 0;
    int unit_x_ = 2;
    int unit_y_ = 2;
    int lit_ = 0;
    // Of all pictures together, each edge as far out as in any of them; ends are behind the last one.
    int left_ = 0;
    int right_ = 0;
    int top_ = 0;
    int bottom_ = 0;
};

}  // namespace vfilter
