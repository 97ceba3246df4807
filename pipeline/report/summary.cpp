#include "pipeline/report/summary.h"

#include <fmt/format.h>

#include "io/source.h"

namespace vfilter {

namespace {

std::string stages_text(const Stats& stats) {
    std::string text =
        fmt::format("{:<8}{:>9}{:>12}{:>14}{:>14}\n", "stage", "items", "working s", "for input s", "for output s");
    const auto row = [&](std::string_view name, const StageStats& stage, const std::string& more = "") {
        text += fmt::format("{:<8}{:>9}{:>12.3f}{:>14.3f}{:>14.3f}{}\n", name, stage.items(),
                            stage.seconds(Activity::working), stage.seconds(Activity::waiting_for_input),
                            stage.seconds(Activity::waiting_for_output), more);
    };
    for (std::size_t i = 0; i < stage_names.size(); ++i) {
        for (const StepStats& step : stats.steps) {
            if (static_cast<StageId>(i) == StageId::filter && step.video == 0) {
                row(step.name, step.stage,
                    step.graph.empty() ? "" : fmt::format("   {} pictures in: {}", step.taken.load(), step.graph));
            }
        }
        if (static_cast<StageId>(i) != StageId::sound || stats.stages[i].beats() > 0) {  // or there is none to encode
            row(stage_names[i], stats.stages[i]);
        }
    }
    return text;
}

std::string latency_text(const Stats& stats) {
    std::string text =
        fmt::format("{:<8}{:>9}{:>12}{:>14}{:>14}{:>14}\n", "latency", "items", "p50 ms", "p95 ms", "p99 ms", "max ms");
    for (const LegName& leg : leg_names) {
        const LatencyHistogram& times = stats.latency[leg.leg];
        if (times.count() > 0) {
            text += fmt::format("{:<8}{:>9}{:>12.3f}{:>14.3f}{:>14.3f}{:>14.3f}   {}\n", leg.name, times.count(),
                                times.percentile(0.5), times.percentile(0.95), times.percentile(0.99), times.max(),
                                leg.help);
        }
    }
    return text;
}

std::string memory_text(const MemoryUse& memory) {
    const EngineCounters& engine = memory.engine;
    std::string text = fmt::format("pictures allocated: {}\n", memory.pictures_allocated);
    if (engine.device_allocations > 0) {
        text +=
            fmt::format("on the device: {} allocations, {} bytes, {} kernels launched, {} pictures not page-locked\n",
                        engine.device_allocations, engine.device_bytes, engine.launches, engine.pageable_pictures);
    }
    for (const DeviceShare& share : engine.shares) {
        text += fmt::format("{}: {} pictures\n", share.name, share.pictures);
    }
    if (engine.uploads + engine.downloads + engine.resident > 0) {
        text += fmt::format("copies: {} pictures to the device, {} from it{}; {} were decoded in its memory\n",
                            engine.uploads, engine.downloads,
                            engine.crossings > 0 ? fmt::format(", {} between devices", engine.crossings) : "",
                            engine.resident);
    }
    return text;
}

std::string decoding_text(const DecodeUse& decode) {
    const DecodeFacts& decoded = decode.facts;
    std::string text = decode.gpu ? fmt::format("decoded on the GPU: {} pictures, {} session{}, {} range{}",
                                                decoded.hardware, decoded.sessions, decoded.sessions == 1 ? "" : "s",
                                                decoded.ranges, decoded.ranges == 1 ? "" : "s")
                                  : std::string("decoded on the CPU");
    text += decoded.beside > 0 ? fmt::format(", and {} pictures on the CPU beside it", decoded.beside) : "";
    text += decoded.on_cpu > 0 ? fmt::format("; {} on the CPU, as {}", decoded.on_cpu, decoded.why_on_cpu) : "";
    return text + (decode.why.empty() ? "\n" : fmt::format(" ({})\n", decode.why));
}

}  // namespace

std::string stats_text(const Outcome& outcome, const Stats& stats) {
    std::string text = stages_text(stats) + "\n" + latency_text(stats) + "\n";
    if (outcome.live.is_live) {
        text += fmt::format("clock: the pictures' is {:.3f} s behind this machine's since the first one\n",
                            outcome.live.clock_drift);
    }
    text += memory_text(outcome.memory) + decoding_text(outcome.decode);
    if (!outcome.setup.kernels.empty()) {
        text += fmt::format("filters run by: {}\n", fmt::join(outcome.setup.kernels, "; "));
    }
    return text;
}

std::string summary_line(const Options& options, const Outcome& outcome, const Stats& stats) {
    const RunCounts& counts = outcome.counts;
    const RunSetup& setup = outcome.setup;
    const LatencyHistogram& ready = stats.latency[Leg::ready];
    const std::string& name = options.batch.named.empty() ? options.output.path : options.batch.named;
    const bool to_file = !name.empty() && name != "-" && setup.container != "null";
    return fmt::format(
        "{}{} frames in, {} out, {:.2f} s, {:.1f} fps, {}, {}{}", to_file ? shown_name(name) + ": " : "",
        counts.frames_in, counts.frames_out, counts.seconds, counts.fps(), setup.device,
        outcome.live.is_live
            ? fmt::format("ready after {:.1f} ms (p99 {:.1f})", ready.percentile(0.5), ready.percentile(0.99))
            : fmt::format("bound by {}", stats.bound()),
        setup.dropped_streams.empty() ? ""
                                      : fmt::format(", {} stream{} left out", setup.dropped_streams.size(),
                                                    setup.dropped_streams.size() == 1 ? "" : "s"));
}

std::string drops_text(const Drops& drops) {
    std::string text;
    for (const DropName& row : drop_names) {
        if (drops[row.drop] > 0) {
            text += fmt::format("{}{} {}", text.empty() ? "" : ", ", drops[row.drop], row.help);
        }
    }
    return text;
}

std::string damage_text(const Damage& damage) {
    std::string text;
    const auto add = [&](std::int64_t count, std::string_view one, std::string_view many) {
        if (count > 0) {
            text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, count == 1 ? one : many);
        }
    };
    add(damage.missing_pictures(), "picture missing", "pictures missing");
    add(damage.packets - damage.left_out - damage.silences, "damaged packet", "damaged packets");
    add(damage.left_out, "packet left out", "packets left out");
    add(damage.silences, "stream that fell silent", "times that a stream fell silent");
    add(damage.frames, "damaged frame", "damaged frames");
    add(damage.faults, "contradiction in the container", "contradictions in the container");
    add(damage.complaints, "error while reading and decoding", "errors while reading and decoding");
    if (damage.missing_seconds > 0) {
        text += fmt::format("{}ended {:.1f} s before the header's duration", text.empty() ? "" : ", ",
                            damage.missing_seconds);
    }
    return text;
}

std::string damaged_files(const Damage& damage) {
    std::vector<std::string> names = damage.added;
    if (!damage.of_added) {
        names.insert(names.begin(), "the input");
    }
    const std::string last = names.back();
    names.pop_back();
    return names.empty() ? last + " is" : fmt::format("{} and {} are", fmt::join(names, ", "), last);
}

}  // namespace vfilter
