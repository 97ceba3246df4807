#include "io/graph/graph_text.h"

extern "C" {
#include <libavutil/opt.h>
}

#include <fmt/format.h>

#include <algorithm>
#include <new>
#include <optional>
#include <string_view>

#include "config/lavfi/facts.h"
#include "config/lavfi/graph_reader.h"
#include "io/compat.h"
#include "io/graph/lavfi_graph.h"

namespace vfilter {

namespace {

[[noreturn]] void refuse_graph(const std::string& text, GraphKind kind, const std::string& why) {
    throw Error(ExitCode::usage, fmt::format("{} {}: {}", option_of(kind), text, why));
}

bool works_on_device(const AVFilter& filter) {
    return needs_device(filter) || lavfi::is_of_device(filter.name);
}

// "Parsed_crop_0" is libavfilter's name for a "crop" that the user gave none.
std::string filter_of(std::string_view instance) {
    constexpr std::string_view prefix = "Parsed_";
    if (!instance.starts_with(prefix)) {
        return "";
    }
    instance.remove_prefix(prefix.size());
    return std::string(instance.substr(0, instance.rfind('_')));
}

// Takes "[who @ 0x55...] " off a message and gives who; nothing if there is none.
std::optional<std::string> take_prefix(std::string& message) {
    const std::size_t at = message.find(" @ ");
    const std::size_t end = message.find("] ");
    if (!message.starts_with('[') || at == std::string::npos || end == std::string::npos || at > end) {
        return std::nullopt;
    }
    std::string who = message.substr(1, at - 1);
    message.erase(0, end + 2);
    return who;
}

void check_pads(const std::string& text, GraphKind kind, const AVFilterInOut* pads, bool input) {
    const bool pictures = kind == GraphKind::pictures;
    const std::string_view what = pictures ? "pictures" : "sound";
    if (pads == nullptr) {
        refuse_graph(text, kind,
                     fmt::format("it {} no {}: none of its filters has an open {}", input ? "takes" : "gives", what,
                                 input ? "input" : "output"));
    }
    if (pads->next != nullptr) {
        refuse_graph(text, kind,
                     fmt::format("it has several open {}s ('{}' and '{}'), and a {} has one",
                                 input ? "input" : "output", pads->filter_ctx->filter->name,
                                 pads->next->filter_ctx->filter->name, pictures ? "step" : "graph of sound"));
    }
    const AVFilterContext& filter = *pads->filter_ctx;
    const AVMediaType type =
        filter_library().pad_get_type(input ? filter.input_pads : filter.output_pads, pads->pad_idx);
    if (type != (pictures ? AVMEDIA_TYPE_VIDEO : AVMEDIA_TYPE_AUDIO)) {
        refuse_graph(text, kind, fmt::format("'{}' is no filter of {}", filter.filter->name, what));
    }
}

}  // namespace

std::string_view option_of(GraphKind kind) {
    return kind == GraphKind::pictures ? "--vf" : "--af";
}

std::string told_by(const ThreadComplaints& complaints, const std::string& otherwise) {
    std::string filter;
    std::string what;
    for (std::string message : complaints.all()) {
        while (const std::optional<std::string> who = take_prefix(message)) {
            filter = filter.empty() ? filter_of(*who) : filter;
        }
        what = what.empty() ? message : what;
    }
    if (what.empty()) {
        return otherwise;
    }
    return filter.empty() ? what : fmt::format("{}: {}", filter, what);
}

ParsedGraph parse_graph(const std::string& text, GraphKind kind, int threads) {
    const FilterLibrary& library = filter_library();
    ParsedGraph parsed{FilterGraphPtr(library.graph_alloc()), nullptr, nullptr};
    if (!parsed.graph) {
        throw std::bad_alloc();
    }
    av_opt_set_int(parsed.graph.get(), "threads", threads, 0);
    // As the ffmpeg program does, so that the samples are the same.
    av_opt_set(parsed.graph.get(), "scale_sws_opts", "flags=bicubic", 0);
    const ThreadComplaints complaints;
    AVFilterInOut* input = nullptr;
    AVFilterInOut* output = nullptr;
    const int result = library.graph_parse(parsed.graph.get(), text.c_str(), &input, &output);
    parsed.input.reset(input);
    parsed.output.reset(output);
    if (result == AVERROR(ENOMEM)) {
        throw std::bad_alloc();
    }
    if (result < 0) {
        refuse_graph(text, kind, told_by(complaints, av_message(result)));
    }
    for (unsigned i = 0; i < parsed.graph->nb_filters; ++i) {
        const AVFilter& filter = *parsed.graph->filters[i]->filter;
        if (works_on_device(filter)) {
            refuse_graph(
                text, kind,
                fmt::format(
                    "'{}' needs pictures in the memory of a device, but a --vf step gets them in main memory; use a "
                    "filter that works on the CPU",
                    filter.name));
        }
    }
    check_pads(text, kind, input, true);
    check_pads(text, kind, output, false);
    return parsed;
}

void check_graph(const std::string& text, GraphKind kind, const InputOptions& options) {
    if (const std::string wrong = overreach(text, options); !wrong.empty()) {
        refuse_graph(text, kind, wrong);
    }
    parse_graph(text, kind, 1);
}

std::vector<std::string> unknown_filters(const std::string& text) {
    std::vector<std::string> unknown;
    for (const std::string& name : lavfi::names_in(text)) {
        if (filter_library().get_by_name(name.c_str()) == nullptr &&
            std::ranges::find(unknown, name) == unknown.end()) {
            unknown.push_back(name);
        }
    }
    return unknown;
}

std::vector<std::string> library_filters() {
    std::vector<std::string> names;
    void* state = nullptr;
    while (const AVFilter* const filter = filter_library().iterate(&state)) {
        names.emplace_back(filter->name);
    }
    std::ranges::sort(names);
    return names;
}

}  // namespace vfilter
