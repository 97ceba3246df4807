#include "pipeline/session/run_watch.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <chrono>
#include <exception>

#include "config/command_text.h"
#include "config/error.h"
#include "io/input/source.h"
#include "pipeline/session/chains.h"
#include "pipeline/session/run_guard.h"

namespace vfilter {

namespace {

constexpr std::chrono::milliseconds watch_interval{125};

// A thread does not come back from a codec or a write. Where it is not the muxer's, the file is whole as far as it
// goes. Throws what is to be told of that.
void check_left_behind(const RunGuard& guard, const RunParts& parts) {
    if (!guard.stall().empty()) {
        throw Error(ExitCode::internal, guard.stall());
    }
    if (parts.muxer && !parts.pipeline->has_ended(StageId::write)) {
        throw Error(ExitCode::output, "stopped while the output could not be written");
    }
    if (const std::exception_ptr error = parts.pipeline->first_error()) {
        std::rethrow_exception(error);
    }
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

}  // namespace

void wait_for_end(const Options& options, const Stats& stats, const RunParts& parts, StopRequests& stop,
                  const std::function<void()>& tick, bool& hung) {
    const double stall_timeout =
        parts.demuxer->live() && options.input.timeout > 0 ? options.input.timeout : options.stall_timeout;
    RunGuard guard(stats, stop.signal, stall_timeout);
    while (!parts.pipeline->wait_for(watch_interval)) {
        tick();
        switch (guard.look()) {
            case RunGuard::Verdict::go_on:
                break;
            case RunGuard::Verdict::abandon:
                stop.given_up = true;
                parts.pipeline->abandon();
                break;
            case RunGuard::Verdict::leave:
                hung = true;
                check_left_behind(guard, parts);
                return;
        }
    }
    if (!guard.stall().empty()) {
        throw Error(ExitCode::internal, guard.stall());
    }
}

void watch_preview(const Options& options, Stats& stats, const RunParts& parts, StopRequests& stop,
                   const std::function<void()>& tick, RunSetup& setup) {
    const bool paced = !parts.demuxer->live() && !parts.muxer;
    if (paced && has_sound(parts.demuxer->format())) {
        spdlog::info("the sound is not played");
    }
    Pipeline& pipeline = *parts.pipeline;
    PreviewHooks hooks;
    hooks.tick = tick;
    hooks.change = [&](const std::vector<FilterSpec>& filters) { change_filters(options, parts, filters); };
    hooks.ending = [&] { return stop.any() || pipeline.cancelled(); };
    hooks.stop = [&] { stop.quit.store(true, std::memory_order_relaxed); };
    hooks.dropped = [&] { return pipeline.drops().total(); };
    hooks.shown = [&](const Frame& frame, Stamps::Clock::time_point at) {
        stats.latency[Leg::show].add(at - frame.stamps.captured);
    };
    parts.preview->run(pipeline.pictures(), stream_of(parts.videos.front(), *parts.demuxer).stream->time_base, paced,
                       hooks);
    setup.filters = parts.preview->filters();
    Options same = options;
    same.filters = setup.filters;
    same.input.path = shown_name(options.input.path);
    setup.same_again = command_line_of(same);
}

}  // namespace vfilter
