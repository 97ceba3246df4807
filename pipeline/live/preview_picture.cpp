#include "pipeline/live/preview_picture.h"

#include <algorithm>
#include <cstring>
#include <opencv2/core.hpp>

namespace vfilter {

namespace {

constexpr std::size_t pixel_bytes = 3;
constexpr BgrColour white{255, 255, 255};

cv::Mat matrix_over(const BgrView& view) {
    return {view.height, view.width, CV_8UC3, view.data, static_cast<std::size_t>(view.stride)};
}

// Mirrored left to right, and then turned clockwise. `to` has the turned size.
void turn_picture(const BgrView& from, Orientation turn, const BgrView& to) {
    constexpr std::array clockwise{-1, static_cast<int>(cv::ROTATE_90_CLOCKWISE), static_cast<int>(cv::ROTATE_180),
                                   static_cast<int>(cv::ROTATE_90_COUNTERCLOCKWISE)};
    cv::Mat source = matrix_over(from);
    cv::Mat made = matrix_over(to);
    if (turn.mirrored) {
        cv::Mat mirrored;
        cv::flip(source, mirrored, 1);
        source = mirrored;
    }
    if (turn.quarter_turns == 0) {
        source.copyTo(made);
    } else {
        cv::rotate(source, made, clockwise.at(static_cast<std::size_t>(turn.quarter_turns)));
    }
}

}  // namespace

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

BgrView ScreenPicture::make(const AVFrame& picture, Orientation turn, int width, int height) {
    const int stored_width = turn.swaps_sides() ? height : width;
    const int stored_height = turn.swaps_sides() ? width : height;
    const AVFrame* const mapped = is_beyond_sdr(picture) ? mapper_.map(picture, stored_width, stored_height) : nullptr;
    mapped_ = mapped != nullptr;
    const BgrView view = converter_.convert(mapped != nullptr ? *mapped : picture, stored_width, stored_height);
    if (turn.as_stored()) {
        return view;
    }
    turned_.resize({width, height});
    turn_picture(view, turn, turned_.view());
    return turned_.view();
}

void fill_place(const BgrView& picture, const Place& place, BgrColour colour) {
    const int left = std::max(0, place.x);
    const int right = std::min(picture.width, place.x + place.width);
    const int bottom = std::min(picture.height, place.y + place.height);
    for (int y = std::max(0, place.y); y < bottom; ++y) {
        std::uint8_t* const row = picture.row(y);
        for (int x = left; x < right; ++x) {
            std::copy(colour.begin(), colour.end(), row + static_cast<std::ptrdiff_t>(pixel_bytes) * x);
        }
    }
}

void draw_frame(const BgrView& picture, const Place& place, int from_column, int to_column, int width,
                BgrColour colour) {
    const auto part = [&](int x, int y, int w, int h) {
        const int left = std::max(x, from_column);
        fill_place(picture, {left, y, std::min(x + w, to_column) - left, h}, colour);
    };
    const int across = std::min(width, place.width);
    const int down = std::min(width, place.height);
    part(place.x, place.y, place.width, down);
    part(place.x, place.y + place.height - down, place.width, down);
    part(place.x, place.y, across, place.height);
    part(place.x + place.width - across, place.y, across, place.height);
}

void copy_columns(const BgrView& picture, const Place& place, int from, int to, const BgrView& canvas) {
    const int left = std::max({from, place.x, 0});
    const int right = std::min({to, place.x + picture.width, canvas.width});
    const int rows = std::min(picture.height, canvas.height - place.y);
    for (int y = 0; y < rows && left < right; ++y) {
        std::memcpy(canvas.row(place.y + y) + static_cast<std::ptrdiff_t>(pixel_bytes) * left,
                    picture.row(y) + static_cast<std::ptrdiff_t>(pixel_bytes) * (left - place.x),
                    pixel_bytes * static_cast<std::size_t>(right - left));
    }
}

BgrView WindowPainter::paint(const Frame& frame, const ShownTurns& turns, const WindowLayout& layout,
                             const WindowSize& size) {
    canvas_.resize(size);
    canvas_.clear();  // text may stand where there is no picture
    const BgrView canvas = canvas_.view();
    mapped_ = false;
    for (const Pane& pane : layout.panes) {
        const AVFrame& picture = pane.original && frame.original ? *frame.original : *frame.picture;
        const Orientation turn = pane.original && frame.original ? turns.original : turns.filtered;
        ScreenPicture& maker = pane.original ? original_ : filtered_;
        const BgrView view = maker.make(picture, turn, pane.place.width, pane.place.height);
        mapped_ = mapped_ || maker.mapped();
        copy_columns(view, pane.place, pane.from, pane.to, canvas);
    }
    if (layout.line) {
        fill_place(canvas, *layout.line, white);
    }
    return canvas;
}

}  // namespace vfilter
