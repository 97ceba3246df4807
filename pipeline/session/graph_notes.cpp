#include "pipeline/session/graph_notes.h"

extern "C" {
#include <libavutil/pixdesc.h>
}

#include <spdlog/spdlog.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

#include "config/option_values.h"
#include "io/formats/full_range.h"

namespace vfilter {

namespace {

// What the last setparams of a graph says, if no filter behind it converts pictures; "" if it says nothing of it.
std::string_view named_range(std::string_view graph) {
    constexpr std::string_view key = "range=";
    constexpr std::array<std::string_view, 5> converting{"scale", "format", "color", "tonemap", "libplacebo"};
    const std::size_t filter = graph.rfind("setparams=");
    const std::size_t end = std::min(graph.find_first_of(",;[", filter), graph.size());
    const std::size_t found = graph.rfind(key, end);
    if (filter == std::string_view::npos || found == std::string_view::npos || found < filter) {
        return "";
    }
    const std::string_view behind = graph.substr(end);
    if (std::ranges::any_of(converting,
                            [&](std::string_view name) { return behind.find(name) != std::string_view::npos; })) {
        return "";
    }
    const std::string_view value = graph.substr(found + key.size(), end - found - key.size());
    return value.substr(0, value.find(':'));
}

}  // namespace

void tell_lost_range(const std::string& graph, const AVFrame& made) {
    constexpr std::string_view full = "pc full jpeg 2";
    constexpr std::string_view limited = "tv limited mpeg 1";
    const auto format = static_cast<AVPixelFormat>(made.format);
    const std::string_view named = named_range(graph);
    const bool is_full = made.color_range == AVCOL_RANGE_JPEG;
    const bool lost = (has_word(full, named) && !is_full) || (has_word(limited, named) && is_full);
    if (!named.empty() && lost && has_range(format)) {
        spdlog::warn(
            "--vf {}: names the range {}, which its pictures do not have: they become {} of the {} range behind it",
            graph, named, av_get_pix_fmt_name(format), is_full ? "full" : "limited");
    }
}

}  // namespace vfilter
