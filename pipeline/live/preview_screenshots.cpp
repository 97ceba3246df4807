#include "pipeline/live/preview_screenshots.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <ctime>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "io/formats/bgr_picture.h"
#include "pipeline/live/preview_layout.h"

namespace vfilter {

namespace {

constexpr std::array<std::string_view, 3> endings{"-filtered.png", "-original.png", "-split.png"};

// The beginning of a name that none of the three files has yet.
std::string free_name() {
    const std::time_t now = std::time(nullptr);
    std::tm local{};
    localtime_r(&now, &local);
    const std::string stem = fmt::format("vfilter-{:%Y%m%d-%H%M%S}", local);
    for (int number = 1;; ++number) {
        std::string name = number == 1 ? stem : fmt::format("{}-{}", stem, number);
        if (std::ranges::none_of(endings, [&](std::string_view ending) {
                std::error_code error;
                return std::filesystem::exists(name + std::string(ending), error);
            })) {
            return name;
        }
    }
}

AVRational shown_aspect(const AVFrame& picture, Orientation turn) {
    const AVRational aspect = picture.sample_aspect_ratio;
    return turn.swaps_sides() && aspect.num > 0 ? av_inv_q(aspect) : aspect;
}

}  // namespace

std::string save_screenshots(const Frame& frame, const ShownTurns& turns, const PreviewView& view) {
    const AVFrame& after = *frame.picture;
    const AVFrame& before = frame.original ? *frame.original : after;
    const ShownSize size = shown_size(after, turns.filtered);
    const Orientation original_turn = frame.original ? turns.original : turns.filtered;
    const ShownSize original_size = shown_size(before, original_turn);
    ScreenPicture smooth_after(BgrConverter::Chroma::smooth);
    ScreenPicture smooth_before(BgrConverter::Chroma::smooth);
    std::string name = free_name();
    const auto save = [&](const BgrView& picture, AVRational aspect, std::size_t ending) {
        save_png(picture, aspect, name + std::string(endings[ending]));
    };
    const BgrView after_view = smooth_after.make(after, turns.filtered, size.width, size.height);
    save(after_view, shown_aspect(after, turns.filtered), 0);
    save(smooth_before.make(before, original_turn, original_size.width, original_size.height),
         shown_aspect(before, original_turn), 1);

    // Both in samples of the filtered one's shape.
    const bool same_shape = have_same_shape(size, original_size);
    const int width =
        same_shape
            ? size.width
            : std::max(1, static_cast<int>(std::lround(original_size.shape() * size.height / size.sample_aspect)));
    const int line = same_shape ? static_cast<int>(std::lround((view.has_line() ? view.split : 0.5) * width)) : width;
    const int x = same_shape ? 0 : width;
    BgrCanvas both;
    both.resize({x + size.width, size.height});
    const BgrView canvas = both.view();
    copy_columns(smooth_before.make(before, original_turn, width, size.height), {0, 0, width, size.height}, 0, line,
                 canvas);
    copy_columns(after_view, {x, 0, size.width, size.height}, line, canvas.width, canvas);
    constexpr int line_width = 2;
    fill_place(canvas, {line - line_width / 2, 0, line_width, size.height}, {255, 255, 255});
    save(canvas, shown_aspect(after, turns.filtered), 2);
    spdlog::info("saved {0}{1}, {0}{2} and {0}{3}", name, endings[0], endings[1], endings[2]);
    return name;
}

}  // namespace vfilter
