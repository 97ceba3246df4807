#include "pipeline/session/kept_times.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "config/ffmpeg_graph.h"
#include "io/input/lavfi_graph.h"

namespace vfilter {

namespace {

// A beginning that is moved to 0 moves all alike.
bool moves_moments(std::string_view graph) {
    constexpr std::string_view from_zero = "setpts=PTS-STARTPTS";
    std::string rest(graph);
    if (const std::size_t at = rest.find(from_zero); at != std::string::npos) {
        rest.replace(at, from_zero.size(), "null");
    }
    return effect_of_graph(rest) == GraphEffect::times;
}

bool moves_moments_of_sound(const std::string& graph) {
    constexpr std::string_view filters[] = {"aloop",  "areverse", "aselect", "asetpts",
                                            "atempo", "atrim",    "concat",  "rubberband"};
    return std::ranges::any_of(filters_of(graph), [&](const std::string& name) {
        return std::ranges::find(filters, name) != std::end(filters);
    });
}

}  // namespace

void tell_kept_times(const RunParts& parts, const Options& options) {
    const auto graph =
        std::ranges::find_if(options.foreign, [](const ForeignStep& step) { return moves_moments(step.graph); });
    const bool pictures = graph != options.foreign.end();
    const bool sound = !options.output.sound_graph.empty() && moves_moments_of_sound(options.output.sound_graph);
    if (!pictures && !sound) {
        return;
    }
    const Demuxer& input = *parts.demuxer;
    bool words = false;
    bool other_sound = false;
    for (int stream = 0; stream < static_cast<int>(input.format().nb_streams); ++stream) {
        const AVMediaType type = input.format().streams[stream]->codecpar->codec_type;
        words = words || (type == AVMEDIA_TYPE_SUBTITLE && parts.muxer->carries(stream));
        other_sound = other_sound || (type == AVMEDIA_TYPE_AUDIO && parts.muxer->carries(stream) && !sound);
    }
    std::vector<std::string_view> kept;
    if (input.format().nb_chapters > 0) {
        kept.emplace_back("chapters");
    }
    if (words) {
        kept.emplace_back("subtitles");
    }
    if (other_sound) {
        kept.emplace_back("sound");
    }
    if (!pictures) {
        kept.emplace_back("pictures");
    }
    if (!kept.empty()) {
        spdlog::warn(
            "{} {}: what is {} may come at other times than in the input; {} of the output keep those that they had",
            pictures ? "--vf" : "--af", pictures ? graph->graph : options.output.sound_graph,
            pictures ? "seen" : "heard", fmt::join(kept, ", "));
    }
}

}  // namespace vfilter
