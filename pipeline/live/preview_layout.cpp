#include "pipeline/live/preview_layout.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "io/formats/bgr_picture.h"

namespace vfilter {

namespace {

constexpr int split_line_width = 2;

Place fitted(const WindowSize& window, const ShownSize& picture) {
    return place_in(window, picture.width, picture.height, picture.sample_aspect);
}

Pane whole(bool original, const Place& place) {
    return {original, place, place.x, place.x + place.width};
}

std::vector<Pane> side_by_side(const WindowSize& window, const ShownSize& filtered, const ShownSize& original) {
    constexpr int gap = 2;
    const WindowSize half{std::max(1, (window.width - gap) / 2), window.height};
    const Place left = fitted(half, original);
    Place right = fitted(half, filtered);
    right.x += window.width - half.width;
    return {whole(true, left), whole(false, right)};
}

}  // namespace

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

ShownSize shown_size(const AVFrame& picture, Orientation turn) {
    ShownSize size{picture.width, picture.height, sample_aspect_of(picture)};
    if (turn.swaps_sides()) {
        std::swap(size.width, size.height);
        size.sample_aspect = 1 / size.sample_aspect;
    }
    return size;
}

bool have_same_shape(const ShownSize& a, const ShownSize& b) {
    constexpr double tolerance = 0.02;  // sizes are rounded to even numbers
    return std::abs(a.shape() / b.shape() - 1) < tolerance;
}

WindowLayout lay_out(const WindowSize& window, const ShownSize& filtered, const ShownSize& original,
                     const PreviewView& view) {
    if (view.beside || (view.has_line() && !have_same_shape(filtered, original))) {
        return {side_by_side(window, filtered, original), std::nullopt};
    }
    if (view.split >= 1) {
        return {{whole(true, fitted(window, original))}, std::nullopt};
    }
    const Place place = fitted(window, filtered);
    const int at = std::clamp(static_cast<int>(std::lround(view.split * place.width)), 0, place.width);
    if (at == 0 || at == place.width) {
        return {{whole(at != 0, place)}, std::nullopt};
    }
    const int line = std::clamp(at - split_line_width / 2, 0, std::max(0, place.width - split_line_width));
    return {{{true, place, place.x, place.x + at}, {false, place, place.x + at, place.x + place.width}},
            Place{place.x + line, place.y, std::min(split_line_width, place.width), place.height}};
}

Place bar_in(const WindowSize& window) {
    constexpr int margin = 10;
    constexpr int height = 8;
    return {std::min(margin, window.width / 4), std::max(0, window.height - margin - height),
            std::max(1, window.width - 2 * margin), std::min(height, window.height)};
}

}  // namespace vfilter
