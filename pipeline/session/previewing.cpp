#include "pipeline/session/previewing.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include "config/command_text.h"
#include "config/error.h"
#include "config/lavfi/facts.h"
#include "config/lavfi/graph_reader.h"
#include "io/packet_times.h"
#include "io/source.h"
#include "pipeline/session/chains.h"

namespace vfilter {

namespace {

bool keeps_places(const std::string& graph) {
    return std::ranges::all_of(lavfi::names_in(graph),
                               [](std::string_view name) { return lavfi::has(name, lavfi::keeps_places); });
}

bool has_sound(const AVFormatContext& input) {
    return std::any_of(input.streams, input.streams + input.nb_streams,
                       [](const AVStream* stream) { return stream->codecpar->codec_type == AVMEDIA_TYPE_AUDIO; });
}

void change_filters(const Options& options, const RunParts& parts, const std::vector<FilterSpec>& filters) {
    if (options.verify) {
        throw Error(ExitCode::usage, "--verify keeps the filters as they are");
    }
    change_chain(options, parts.preview->filters(), filters, parts);
}

std::string same_again(const Options& options, const std::vector<FilterSpec>& filters) {
    Options same = options;
    same.filters = filters;
    same.input.path = shown_name(options.input.path);
    return command_line_of(same);
}

// Empty where there is nothing against it.
std::string why_no_seeking(const Options& options, const RunParts& parts) {
    if (parts.demuxer->live()) {
        return "the input is live";
    }
    if (parts.muxer) {
        return "the output is being written";
    }
    if (options.verify) {
        return "--verify takes the run as it is";
    }
    if (!is_file_input(options.input.path) || parts.demuxer->waits()) {
        return "the input is no file";
    }
    const AVInputFormat* const format = parts.demuxer->format().iformat;
    return format != nullptr && (format->flags & AVFMT_NOTIMESTAMPS) != 0 ? "the file holds no times" : "";
}

std::optional<double> end_of(const Demuxer& input) {
    std::optional<double> told;
    if (const AVStream& video = input.video(); video.duration != AV_NOPTS_VALUE && video.duration > 0) {
        told = seconds_of(input.part().first_picture - input.part().input_begin) +
               static_cast<double>(video.duration) * av_q2d(video.time_base);
    } else if (input.format().duration != AV_NOPTS_VALUE && input.format().duration > 0) {
        told = seconds_of(input.format().duration);
    }
    if (input.part().exact_end) {
        const double wanted = seconds_of(*input.part().exact_end - input.part().input_begin);
        return told ? std::min(*told, wanted) : wanted;
    }
    return told;
}

// From there on, up to the end that the run has had.
InputOptions input_from(const InputOptions& input, const PreviewedVideo& video, double at) {
    InputOptions from = input;
    if (at <= video.begin) {
        return from;
    }
    from.start = Position{.value = at};
    if (input.end || input.duration || input.frames) {
        from.end = video.end ? std::optional(Position{.value = *video.end}) : input.end;
        from.duration.reset();
        from.frames.reset();
    }
    return from;
}

// Where a file does not give what its index promises, it begins again.
void go_there(Options there, const InputOptions& whole, const PreviewCalls& calls) {
    try {
        calls.begin_anew(there);
    } catch (const Error& error) {
        if (error.code() != ExitCode::input || !there.input.start) {
            throw;
        }
        spdlog::warn("{:.2f} s cannot be shown ({}): the file begins again", there.input.start->value, error.what());
        there.input = whole;
        calls.begin_anew(there);
    }
}

// The filters of each segment, as one list.
std::vector<FilterPicture> filter_pictures(const Options& options, const VideoRun& video) {
    const std::vector<ChainSegment> asked = segments_of(options.filters, options.foreign);
    std::vector<FilterPicture> pictures;
    for (std::size_t i = 0; i < asked.size(); ++i) {
        const PictureFormat& format = video.segments[i].pictures;
        FilterPicture one{.width = format.width,
                          .height = format.height,
                          .rate = format.clock.rate,
                          .first = format.clock.first_picture - format.clock.first,
                          .last_of_chain = i + 1 == asked.size()};
        if (format.orientation.swaps_sides()) {
            std::swap(one.width, one.height);
        }
        for (std::size_t graph = 1; graph < asked.size(); ++graph) {
            bool& seen = graph <= i ? one.seen_original : one.seen_filtered;
            seen = seen && keeps_places(asked[graph].graph);
        }
        pictures.insert(pictures.end(), asked[i].filters.size(), one);
    }
    return pictures;
}

}  // namespace

PreviewedVideo previewed_video(const Options& options, const RunParts& parts) {
    const Demuxer& input = *parts.demuxer;
    const VideoRun& video = parts.videos.front();
    PictureClock clock = video.segments.back().pictures.clock;
    clock.time_base = stream_of(video, input).stream->time_base;
    const double begin =
        input.part().start && !input.live() ? seconds_of(input.part().shift - input.part().input_begin) : 0;
    return {.clock = clock,
            .live = input.live(),
            .paced = !input.live() && !parts.muxer,
            .turns = {.filtered = video.segments.back().pictures.orientation,
                      .original = video.segments.front().pictures.orientation},
            .filters = filter_pictures(options, video),
            .begin = begin,
            .end = end_of(input),
            .no_seeking = why_no_seeking(options, parts)};
}

void watch_preview(const Options& options, Stats& stats, const RunParts& parts, StopRequests& stop,
                   const PreviewCalls& calls, RunSetup& setup) {
    PreviewedVideo video = previewed_video(options, parts);
    if (video.paced && has_sound(parts.demuxer->format())) {
        spdlog::info("the sound is not played");
    }
    PreviewHooks hooks;
    hooks.tick = calls.tick;
    hooks.change = [&](const std::vector<FilterSpec>& filters) { change_filters(options, parts, filters); };
    hooks.print = [&](const std::vector<FilterSpec>& filters) {
        spdlog::info("so far: {}", same_again(options, filters));
    };
    hooks.ending = [&] { return stop.any() || parts.pipeline->cancelled(); };
    hooks.stop = [&] { stop.quit.store(true, std::memory_order_relaxed); };
    hooks.lost = [&] {
        spdlog::warn("the display has gone away: {}",
                     parts.muxer ? "the recording goes on without a preview" : "the preview ends");
        return parts.muxer != nullptr;
    };
    hooks.dropped = [&] { return parts.pipeline->drops().total(); };
    hooks.shown = [&](const Frame& frame, Stamps::Clock::time_point at) {
        stats.latency[Leg::show].add(at - frame.stamps.captured);
    };
    while (const std::optional<double> at = parts.preview->run(parts.pipeline->pictures(), video, hooks)) {
        Options there = options;
        there.input = input_from(options.input, video, *at);
        there.filters = parts.preview->filters();
        go_there(there, options.input, calls);
        PreviewedVideo next = previewed_video(there, parts);
        next.begin = video.begin;
        next.end = video.end;
        video = std::move(next);
    }
    setup.filters = parts.preview->filters();
    setup.same_again = same_again(options, setup.filters);
}

}  // namespace vfilter
