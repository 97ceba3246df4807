#include "pipeline/session/black_bars.h"

extern "C" {
#include <libavutil/pixdesc.h>
}

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "io/compat.h"
#include "pipeline/engine/planes.h"

namespace vfilter {

namespace {

/// The planes of one picture that tell of light.
class LitPlanes {
public:
    LitPlanes(const AVFrame& picture, const PictureFormat& format) {
        for (const PlaneLayout& layout : plane_layouts(format)) {
            if (layout.chroma || layout.alpha) {
                continue;
            }
            const std::int64_t whole = std::int64_t{1} << layout.depth;
            const std::int64_t span = layout.black == 0 ? whole - 1 : up_to_white * whole / 256;
            planes_.push_back({.wide = layout.depth > 8,
                               .bytes = plane_view<const std::uint8_t>(picture, layout, 0, 1),
                               .words = plane_view<const std::uint16_t>(picture, layout, 0, 1),
                               .darkest = layout.black * up_to_white + up_to_dark * span,
                               .bright = layout.black * up_to_white + up_to_bright * span});
        }
    }

    [[nodiscard]] bool is_row_black(int y, int width) const {
        return std::ranges::all_of(planes_, [&](const Plane& plane) {
            return plane.wide ? is_black(plane, plane.words.row(y), plane.words.step, width)
                              : is_black(plane, plane.bytes.row(y), plane.bytes.step, width);
        });
    }
    [[nodiscard]] bool is_column_black(int x, int top, int bottom) const {
        const int count = bottom - top;
        return std::ranges::all_of(planes_, [&](const Plane& plane) {
            constexpr auto of_words = static_cast<std::ptrdiff_t>(sizeof(std::uint16_t));
            return plane.wide ? is_black(plane, plane.words.row(top) + std::ptrdiff_t{x} * plane.words.step,
                                         plane.words.stride / of_words, count)
                              : is_black(plane, plane.bytes.row(top) + std::ptrdiff_t{x} * plane.bytes.step,
                                         plane.bytes.stride, count);
        });
    }

private:
    // Steps of 8 bits above black, of the 219 that there are up to white: 24 and 96.
    static constexpr std::int64_t up_to_dark = 8;
    static constexpr std::int64_t up_to_bright = 80;
    static constexpr std::int64_t up_to_white = 219;
    // One of so many pixels of a line may be bright, as dead ones of a camera are.
    static constexpr int few = 512;

    struct Plane {
        bool wide;
        PlaneView<const std::uint8_t> bytes;   // where samples are bytes
        PlaneView<const std::uint16_t> words;  // where they are wider
        // Times 219, so that nothing is rounded.
        std::int64_t darkest;
        std::int64_t bright;
    };

    template <class T>
    [[nodiscard]] static bool is_black(const Plane& plane, const T* line, std::ptrdiff_t step, int count) {
        const int lsb = plane.wide ? plane.words.lsb : plane.bytes.lsb;
        const auto from = static_cast<int>((plane.bright + up_to_white - 1) / up_to_white);
        std::int64_t sum = 0;
        int lit = 0;
        for (int i = 0; i < count; ++i) {
            const int sample = line[i * step] >> lsb;
            sum += sample;
            lit += sample >= from ? 1 : 0;
        }
        return sum * up_to_white <= plane.darkest * count && lit <= count / few;
    }

    std::vector<Plane> planes_;
};

int rounded_up(int value, int unit) {
    return (value + unit - 1) / unit * unit;
}

}  // namespace

std::string crop_graph(const PictureBox& box) {
    return fmt::format("crop={}:{}:{}:{}", box.width, box.height, box.x, box.y);
}

void BlackBars::add(const AVFrame& picture, const PictureFormat& format) {
    const AVPixFmtDescriptor* const d = av_pix_fmt_desc_get(format.format);
    if (width_ == 0) {
        width_ = left_ = format.width;
        height_ = top_ = format.height;
    }
    unit_x_ = std::max(unit_x_, 1 << d->log2_chroma_w);
    // A row of chroma belongs to one field, and an even number of them leaves each field where it is.
    unit_y_ = std::max(unit_y_, (1 << d->log2_chroma_h) * (is_interlaced(picture) ? 2 : 1));
    const LitPlanes planes(picture, format);
    // Rows first: in columns bars above and below would darken what is between them.
    int top = 0;
    while (top < height_ && planes.is_row_black(top, width_)) {
        ++top;
    }
    if (top == height_) {
        return;
    }
    int bottom = height_;
    while (planes.is_row_black(bottom - 1, width_)) {
        --bottom;
    }
    int left = 0;
    while (left < left_ && planes.is_column_black(left, top, bottom)) {
        ++left;
    }
    int right = width_;
    while (right > std::max(right_, left) && planes.is_column_black(right - 1, top, bottom)) {
        --right;
    }
    if (left == width_) {  // its rows are lit by so little of each that no column is
        left = 0;
        right = width_;
    }
    left_ = std::min(left_, left);
    right_ = std::max(right_, right);
    top_ = std::min(top_, top);
    bottom_ = std::max(bottom_, bottom);
    ++lit_;
}

std::optional<PictureBox> BlackBars::inside() const {
    if (lit_ == 0 || left_ >= right_) {
        return std::nullopt;
    }
    const auto from = [](int bar, int unit) { return bar < unit ? 0 : rounded_up(bar, unit); };
    const auto to = [](int size, int bar, int unit) { return bar < unit ? size : (size - bar) / unit * unit; };
    const int x = from(left_, unit_x_);
    const int y = from(top_, unit_y_);
    const PictureBox box{.x = x,
                         .y = y,
                         .width = to(width_, width_ - right_, unit_x_) - x,
                         .height = to(height_, height_ - bottom_, unit_y_) - y};
    return box.width > 0 && box.height > 0 ? std::optional(box) : std::nullopt;
}

}  // namespace vfilter
