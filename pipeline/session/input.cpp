#include "pipeline/session/input.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <future>
#include <memory>
#include <system_error>
#include <utility>
#include <vector>

#include "config/error.h"
#include "filters/names.h"
#include "filters/region_geometry.h"
#include "io/containers.h"
#include "io/formats/gray_picture.h"
#include "io/graph/graph_text.h"
#include "io/input/camera.h"
#include "io/input/pictures_before.h"
#include "io/input/source_check.h"
#include "io/output/sink.h"
#include "io/packet_times.h"
#include "io/source.h"
#include "pipeline/background_task.h"
#include "pipeline/engine/cpu_engine.h"
#include "pipeline/engine/missing_gpu.h"
#include "pipeline/session/device_rule.h"
#include "pipeline/session/named_files.h"
#include "pipeline/session/noise.h"
#include "pipeline/session/orientation.h"
#include "pipeline/session/pictures.h"
#include "pipeline/session/quiet_log.h"

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
void check_foreign_graph(const std::string& graph, GraphKind kind, const InputOptions& options) {
    for (const std::string& name : unknown_filters(graph)) {
        const std::vector<std::string> known = library_filters();
        const std::vector<std::string_view> names(known.begin(), known.end());
        throw Error(
            ExitCode::usage,
            fmt::format("{} {}: libavfilter has no filter '{}'{}", option_of(kind), shortened(graph), shortened(name),
                        find_filter(name) != nullptr ? fmt::format("; vfilter has one of its own: --{}", name)
                                                     : suggestion(name, names)));
    }
    check_graph(graph, kind, options);
}

// Whether it is worth to ask, before a GPU is woken, how long the video is.
bool may_be_too_short(const Options& options) {
    constexpr std::uintmax_t most_bytes = std::uintmax_t{16} << 20U;  // larger files are longer, or slower to open
    std::error_code error;
    const std::uintmax_t bytes = std::filesystem::is_regular_file(options.input.path, error)
                                     ? std::filesystem::file_size(options.input.path, error)
                                     : most_bytes;
    // Where there is no GPU it is soon known, and told.
    return options.device == "auto" && options.decode != "gpu" && !options.preview && options.foreign.empty() &&
           !is_live(options.input) && !error && bytes < most_bytes && look_around("/").device_files;
}

DeviceFactors device_factors(const Options& options, const Demuxer& input) {
    DeviceFactors factors{.filters = options.filters};
    for (const int stream : input.videos()) {
        const AVCodecParameters& video = *input.format().streams[stream]->codecpar;
        const std::int64_t pictures = input.expected_frames(stream);
        if (pictures <= 0) {
            return {};
        }
        factors.pictures += pictures;
        factors.pixels = std::max(factors.pixels, static_cast<double>(video.width) * video.height);
        factors.depth = std::clamp(video.bits_per_raw_sample, factors.depth, 16);
    }
    return factors;
}

}  // namespace

Options with_implied_options(Options options) {
    std::error_code error;
    if (options.input.path == "webcam" && !std::filesystem::exists("webcam", error)) {
        options.input.path = first_camera();
    }
    return options;
}

InputRequest request_of(const Options& options) {
    InputRequest request(options.input);
    request.wanted = options.records() ? options.output.kinds : kind::video;
    request.streamed = is_streamed(options.output);
    request.sha256 = options.sums;
    return request;
}

void check_request(const Options& options) {
    check_source(request_of(options));
    if (options.records() && options.output.format != "null") {
        check_sink(options.output, options.input);
    }
    check_named_files(options);
    check_picture_names(options);
    for (const ForeignStep& step : options.foreign) {
        check_foreign_graph(step.graph, GraphKind::pictures, options.input);
    }
    if (!options.output.sound_graph.empty()) {
        check_foreign_graph(options.output.sound_graph, GraphKind::sound, options.input);
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

void number_pictures(const Options& options, const std::function<bool()>& interrupted, RunParts& parts) {
    const auto counts = [](const FilterSpec& filter) {
        return !filter.enable.empty() || filter.region.tracks || !filter.region.mask.empty();
    };
    Demuxer& input = *parts.demuxer;
    if (input.part().start && !input.live() && !options.preview && std::ranges::any_of(options.filters, counts)) {
        {
            const QuietLog said_before;
            input.know_pictures_before(count_pictures_before(request_of(options), *input.part().start, interrupted));
        }
        const auto by_number = [](const FilterSpec& filter) {
            return filter.region.tracks || !filter.region.mask.empty() ||
                   std::ranges::any_of(filter.enable, [](const Span& span) {
                       return span.from.frames || (span.to && span.to->frames);
                   });
        };
        if (!input.pictures_before(input.video_index()) && std::ranges::any_of(options.filters, by_number)) {
            spdlog::info(
                "the pictures before --start are not counted: frames of tracks, masks and spans are reckoned from "
                "their "
                "times, at {:.5g} a second",
                input.average_rate(input.video_index()));
        }
    }
}

void tell_late_clock(const AVOutputFormat& container, const Demuxer& input) {
    constexpr std::int64_t told_from = 10 * std::int64_t{AV_TIME_BASE};
    const bool any_clock = (input.format().iformat->flags & AVFMT_TS_DISCONT) != 0;
    const bool begins_at_0 = (container.flags & AVFMT_NOTIMESTAMPS) == 0 && !is_transport_stream(container);
    if (any_clock && begins_at_0 && !input.live() && !input.part().start && input.part().input_begin >= told_from) {
        spdlog::warn(
            "the input's timestamps begin at {:.3f} s and the output keeps them; with --start 0 it "
            "begins at 0",
            seconds_of(input.part().input_begin));
    }
}

void open_input(const Options& options, const std::function<bool()>& interrupted, Opening& opening, RunParts& parts) {
    const auto rise = [&options] {
        return begin_task([&options] {
            return choose_device_for(options.filters, options.device, options.threads, options.streams);
        });
    };
    // A GPU takes a fifth of a second to get up: meanwhile a file is opened, unless that may show that none is wanted.
    // A camera may have nothing to give for long.
    const bool may_be_short = may_be_too_short(options);
    std::future<std::unique_ptr<FilterDevice>> rising;
    if (!may_be_short) {
        rising = rise();
    }
    if (is_live(options.input)) {
        parts.device = rising.get();
    }
    const auto device_first = [&rising](const auto& task) {
        try {
            task();
        } catch (const Error&) {
            if (rising.valid()) {
                rising.get();  // a device that is not there is told before any fault of the input
            }
            throw;
        }
    };
    device_first([&] {
        const auto opened = std::make_shared<std::unique_ptr<Demuxer>>();
        opening.run("the input", [&options, interrupted, opened] {
            *opened = std::make_unique<Demuxer>(request_of(options), interrupted);
        });
        parts.demuxer = std::move(*opened);
        for (const int stream : parts.demuxer->videos()) {
            // What comes after a graph has that one's size.
            check_regions(segments_of(options.filters, options.foreign).front().filters,
                          *parts.demuxer->format().streams[stream]);
        }
    });
    const std::string why = may_be_short ? too_short_for_gpu(device_factors(options, *parts.demuxer)) : "";
    if (!why.empty()) {
        parts.device = std::make_unique<CpuDevice>(options.threads, fmt::format("filtering on the CPU: {}", why));
    } else if (may_be_short) {
        rising = rise();
    }
    if (!is_live(options.input)) {
        // Of a file a picture is soon there.
        device_first([&] {
            const auto found = std::make_shared<std::vector<FirstPictures>>();
            opening.run("the input", [input = parts.demuxer.get(), wanted = want_noise(options) ? noise_pictures : 0,
                                      found] { *found = probe_first_pictures(*input, wanted); });
            parts.first_pictures = std::move(*found);
        });
    }
    if (rising.valid()) {
        parts.device = rising.get();
    }
}

}  // namespace vfilter
