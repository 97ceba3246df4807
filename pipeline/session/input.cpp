#include "pipeline/session/input.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <filesystem>
#include <future>
#include <system_error>

#include "config/error.h"
#include "filters/names.h"
#include "filters/region_geometry.h"
#include "io/formats/gray_picture.h"
#include "io/graph/graph_text.h"
#include "io/input/camera.h"
#include "io/input/source.h"
#include "io/output/sink.h"
#include "pipeline/session/background_task.h"
#include "pipeline/session/named_files.h"
#include "pipeline/session/orientation.h"
#include "pipeline/session/pictures.h"

namespace vfilter {

namespace {

// What can be told of a region before anything but the input is opened.
void check_regions(const std::vector<FilterSpec>& filters, const AVStream& stream) {
    const AVCodecParameters& video = *stream.codecpar;
    for (const FilterSpec& filter : filters) {
        try {
            const bool swapped = orientation_of(stream).swaps_sides();
            if (video.width > 0 && video.height > 0) {
                fixed_boxes(filter.region, swapped ? video.height : video.width, swapped ? video.width : video.height);
            }
        } catch (const RegionError& error) {
            throw Error(ExitCode::usage, fmt::format("{}: {}", filter.def->name, error.what()));
        }
    }
}

// Names are told before libavfilter speaks, which knows no hints.
void check_foreign_step(const std::string& graph, const InputOptions& options) {
    for (const std::string& name : unknown_filters(graph)) {
        const std::vector<std::string> known = library_filters();
        const std::vector<std::string_view> names(known.begin(), known.end());
        throw Error(ExitCode::usage,
                    fmt::format("--vf {}: libavfilter has no filter '{}'{}", shortened(graph), shortened(name),
                                find_filter(name) != nullptr ? fmt::format("; vfilter has one of its own: --{}", name)
                                                             : suggestion(name, names)));
    }
    check_graph(graph, options);
}

}  // namespace

Options with_implied_options(Options options) {
    std::error_code error;
    if (options.input.path == "webcam" && !std::filesystem::exists("webcam", error)) {
        options.input.path = first_camera();
    }
    const bool streamed = sink_of(options.output.path) != nullptr && options.output.format != "null";
    options.input.streamed = options.output.streamed = streamed;
    return options;
}

void check_request(const Options& options) {
    check_source(options.input);
    if (options.output.streamed) {
        check_sink(options.output, options.input);
    }
    check_named_files(options);
    check_picture_names(options);
    for (const ForeignStep& step : options.foreign) {
        check_foreign_step(step.graph, options.input);
    }
    for (const FilterSpec& filter : options.filters) {
        if (!filter.region.mask.empty()) {
            check_picture(filter.region.mask);
        }
    }
}

std::vector<FilterSpec> with_live_windows(std::vector<FilterSpec> filters, double frame_rate) {
    for (FilterSpec& filter : filters) {
        const TimeReach asked = filter.time_reach();
        if (asked != TimeReach{} && !after_given(filter)) {
            filter = with_after(filter, 0);
            spdlog::info(
                "{}: of a live input only the {} pictures before are looked at (after=0); after={} waits for as "
                "many",
                filter.def->name, asked.neighbours(), asked.after);
        }
    }
    if (const int waits = time_reach(filters).after; waits > 0) {
        spdlog::info("pictures come {} later ({:.0f} ms), as filters look at what follows", waits,
                     1000.0 * waits / (frame_rate > 0 ? frame_rate : 25));
    }
    return filters;
}

void fit_filters(Options& options, RunParts& parts) {
    if (!parts.demuxer->live() || !look_in_time(options.filters)) {
        return;
    }
    options.filters = with_live_windows(options.filters, av_q2d(parts.demuxer->frame_rate()));
    if (parts.preview) {
        parts.preview->begin_with(options.filters);
    }
}

void open_input(const Options& options, std::function<bool()> interrupted, RunParts& parts) {
    // A GPU takes a fifth of a second to get up: meanwhile a file is opened. A camera may have nothing to give for
    // long.
    auto rising = begin_task(
        [&options] { return choose_device_for(options.filters, options.device, options.threads, options.streams); });
    if (is_live(options.input)) {
        parts.device = rising.get();
    }
    try {
        parts.demuxer = std::make_unique<Demuxer>(options.input, std::move(interrupted));
        for (const int stream : parts.demuxer->videos()) {
            // What comes after a graph has that one's size.
            check_regions(segments_of(options.filters, options.foreign).front().filters,
                          *parts.demuxer->format().streams[stream]);
        }
    } catch (const Error&) {
        if (rising.valid()) {
            rising.get();  // a device that is not there is told before any fault of the input
        }
        throw;
    }
    if (rising.valid()) {
        parts.device = rising.get();
    }
}

}  // namespace vfilter
