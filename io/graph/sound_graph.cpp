#include "io/graph/sound_graph.h"

extern "C" {
#include <libavutil/opt.h>
}

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>

#include "config/lavfi/facts.h"
#include "io/graph/graph_ends.h"

namespace vfilter {

namespace {

using namespace std::string_view_literals;

// As libavfilter reads a layout.
std::string layout_argument(const AVChannelLayout& channels) {
    std::array<char, 256> text{};
    av_check(av_channel_layout_describe(&channels, text.data(), text.size()), "av_channel_layout_describe");
    return text.data();
}

// Of a filter's own; 0 where it has none of that name.
std::int64_t number_of(const AVFilterContext& filter, const char* option) {
    std::int64_t value = 0;
    return av_opt_get_int(filter.priv, option, 0, &value) >= 0 ? value : 0;
}

bool pads_for_ever(const AVFilterContext& filter) {
    constexpr std::array limits{"pad_len", "whole_len", "pad_dur", "whole_dur"};
    return filter.filter->name == "apad"sv &&
           std::ranges::none_of(limits, [&](const char* limit) { return number_of(filter, limit) > 0; });
}

bool plays_for_ever(const AVFilterContext& filter) {
    const std::string_view name = filter.filter->name;
    const std::int64_t length = number_of(filter, "duration");
    return (name == "aloop" && number_of(filter, "loop") < 0) ||
           (lavfi::has(name, lavfi::endless) && (length <= 0 || length == INT64_MAX));
}

bool cuts(const AVFilterContext& filter) {
    return filter.filter->name == "atrim"sv;
}

}  // namespace

SoundGraph::SoundGraph(const std::string& text, const SoundFormat& given, const std::optional<SoundFormat>& taken) {
    constexpr int threads = 1;
    ParsedGraph parsed = parse_graph(text, GraphKind::sound, threads);
    GraphEnds ends(*parsed.graph, GraphKind::sound, text);
    AVFilterContext* const source =
        ends.add("abuffer", "in",
                 fmt::format("time_base=1/{0}:sample_rate={0}:sample_fmt={1}:channel_layout={2}", given.rate,
                             av_get_sample_fmt_name(given.samples), layout_argument(given.channels)));
    ends.link(source, 0, parsed.input->filter_ctx, static_cast<unsigned>(parsed.input->pad_idx));
    AVFilterContext* last = parsed.output->filter_ctx;
    auto last_pad = static_cast<unsigned>(parsed.output->pad_idx);
    if (taken) {
        AVFilterContext* const format = ends.add(
            "aformat", "format",
            fmt::format("sample_fmts={}:sample_rates={}:channel_layouts={}", av_get_sample_fmt_name(taken->samples),
                        taken->rate, layout_argument(taken->channels)));
        ends.link(last, last_pad, format, 0);
        last = format;
        last_pad = 0;
    }
    AVFilterContext* const sink = ends.add("abuffersink", "out", "");
    ends.link(last, last_pad, sink, 0);
    ends.configure();
    const std::span filters(parsed.graph->filters, parsed.graph->nb_filters);
    const auto any = [&](bool (*does)(const AVFilterContext&)) {
        return std::ranges::any_of(filters, [does](const AVFilterContext* filter) { return does(*filter); });
    };
    runs_ahead_ = !any(cuts) && any(plays_for_ever);
    goes_on_ = !any(cuts) && (any(plays_for_ever) || any(pads_for_ever));
    flow_.emplace(std::move(parsed.graph), *source, *sink, GraphKind::sound, text);
    const FilterLibrary& library = filter_library();
    made_.samples = static_cast<AVSampleFormat>(library.sink_format(sink));
    made_.rate = library.sink_sample_rate(sink);
    av_check(library.sink_channels(sink, &made_.channels), "av_buffersink_get_ch_layout");
    time_base_ = library.sink_time_base(sink);
}

void SoundGraph::send(const FramePtr& sound) {
    end_ = sound ? sound->pts + sound->nb_samples : end_;
    flow_->send(sound, end_);
}

}  // namespace vfilter
