#include "pipeline/live/preview_screenshots.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "io/formats/bgr_picture.h"
#include "pipeline/live/preview_picture.h"

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

}  // namespace

std::string save_screenshots(const Frame& frame, const PreviewView& view) {
    const AVFrame& after = *frame.picture;
    const AVFrame& before = frame.original ? *frame.original : after;
    BgrConverter smooth_after(BgrConverter::Chroma::smooth);
    BgrConverter smooth_before(BgrConverter::Chroma::smooth);
    const BgrView after_view = smooth_after.convert(after, after.width, after.height);
    const BgrView before_view = smooth_before.convert(before, after.width, after.height);
    BgrCanvas split_picture;
    split_picture.resize({after.width, after.height});
    draw_split(after_view, before_view, view.has_line() ? view.split : 0.5, split_picture.view(), 0, 0);

    std::string name = free_name();
    const std::array pictures{after_view, before_view, split_picture.view()};
    for (std::size_t i = 0; i < endings.size(); ++i) {
        save_png(pictures[i], after.sample_aspect_ratio, name + std::string(endings[i]));
    }
    spdlog::info("saved {0}{1}, {0}{2} and {0}{3}", name, endings[0], endings[1], endings[2]);
    return name;
}

}  // namespace vfilter
