#include "pipeline/live/preview_picture.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace vfilter {

Place place_in(const WindowSize& window, int width, int height, double sample_aspect) {
    const double wanted = width * sample_aspect;
    const double scale = std::min(window.width / wanted, window.height / static_cast<double>(height));
    Place place;
    place.width = std::clamp(static_cast<int>(std::lround(wanted * scale)), 1, window.width);
    place.height = std::clamp(static_cast<int>(std::lround(height * scale)), 1, window.height);
    place.x = (window.width - place.width) / 2;
    place.y = (window.height - place.height) / 2;
    return place;
}

void BgrCanvas::resize(const WindowSize& size) {
    if (size.width != size_.width || size.height != size_.height) {
        size_ = size;
        samples_.assign(std::size_t{3} * static_cast<std::size_t>(size.width) * static_cast<std::size_t>(size.height),
                        0);
    }
}

void BgrCanvas::clear() {
    std::ranges::fill(samples_, std::uint8_t{0});
}

void draw_split(const BgrView& filtered, const BgrView& original, double split, const BgrView& canvas, int x, int y) {
    constexpr int line_width = 2;
    constexpr std::size_t pixel = 3;
    const int width = filtered.width;
    const int at = std::clamp(static_cast<int>(std::lround(split * width)), 0, width);
    const auto left = pixel * static_cast<std::size_t>(at);
    const auto whole = pixel * static_cast<std::size_t>(width);
    const bool both = at > 0 && at < width;
    const int line = std::clamp(at - line_width / 2, 0, std::max(0, width - line_width));
    for (int row = 0; row < filtered.height; ++row) {
        std::uint8_t* const to = canvas.row(y + row) + static_cast<std::ptrdiff_t>(pixel) * x;
        if (left > 0) {
            std::memcpy(to, original.row(row), left);
        }
        if (left < whole) {
            std::memcpy(to + left, filtered.row(row) + left, whole - left);
        }
        if (both) {
            std::memset(to + static_cast<std::ptrdiff_t>(pixel) * line, 255,
                        pixel * static_cast<std::size_t>(std::min(line_width, width)));
        }
    }
}

BgrView WindowPainter::paint(const Frame& frame, double split, const WindowSize& size) {
    const AVFrame& after = *frame.picture;
    const AVFrame& before = frame.original ? *frame.original : after;
    const Place place = place_in(size, after.width, after.height, sample_aspect_of(after));
    canvas_.resize(size);
    if (place.width < size.width || place.height < size.height) {
        canvas_.clear();  // text may stand where there is no picture
    }
    const BgrView canvas = canvas_.view();
    const BgrView filtered = split < 1 ? filtered_.convert(after, place.width, place.height) : BgrView{};
    const BgrView original = split > 0 ? original_.convert(before, place.width, place.height) : filtered;
    draw_split(split < 1 ? filtered : original, original, split, canvas, place.x, place.y);
    return canvas;
}

}  // namespace vfilter
