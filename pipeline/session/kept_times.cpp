#include "pipeline/session/kept_times.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <regex>
#include <string>
#include <string_view>
#include <vector>

#include "config/lavfi/facts.h"
#include "config/lavfi/graph_reader.h"
#include "io/containers.h"

namespace vfilter {

namespace {

// A beginning that is moved to 0 moves all alike, and what is moved and moved back stays where it was.
bool moves_moments(const std::string& graph) {
    static const std::regex move("PTS([-+])(STARTPTS|([0-9.]+)/TB)");
    double moved = 0;
    for (const lavfi::GraphFilter& filter : lavfi::read_graph(graph).filters) {
        const std::string expression = lavfi::first_value(filter, "expr").value_or("");
        std::smatch found;
        if (filter.name == "setpts" && std::regex_match(expression, found, move)) {
            const double by = found[3].matched ? std::strtod(found[3].str().c_str(), nullptr) : 0;
            moved += found[1] == "-" ? -by : by;
        } else if (lavfi::has(filter.name, lavfi::times)) {
            return true;
        }
    }
    return std::abs(moved) > 1e-6;
}

}  // namespace

void tell_kept_times(const RunParts& parts, const Options& options, const AVOutputFormat& container) {
    const auto graph =
        std::ranges::find_if(options.foreign, [](const ForeignStep& step) { return moves_moments(step.graph); });
    const bool pictures = graph != options.foreign.end();
    const bool sound = lavfi::some_have(options.output.sound_graph, lavfi::moves_sound);
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
    if (input.format().nb_chapters > 0 && holds_chapters(container)) {
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
