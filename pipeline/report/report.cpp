#include "pipeline/report/report.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "io/input/source.h"
#include "io/output/output_file.h"

namespace vfilter {

namespace {

constexpr int schema = 1;

struct DropName {
    std::int64_t Drops::*count;
    std::string_view name;
    std::string_view help;
};
constexpr DropName drop_names[] = {
    {&Drops::undecoded, "undecoded", "not decoded"},
    {&Drops::overtaken, "overtaken", "overtaken before the filter"},
    {&Drops::shed, "shed", "too late for --max-latency"},
    {&Drops::unrecorded, "unrecorded", "filtered but not recorded, as the encoder was too slow"},
    {&Drops::unseen, "unseen", "not shown"},
};

double rounded(double value) {
    return static_cast<double>(std::llround(value * 1e6)) / 1e6;
}

std::string_view bound_name(const Stats& stats) {
    return stage_names[static_cast<std::size_t>(stats.bound())];
}

}  // namespace

std::string report_json(const Options& options, const Outcome& outcome, const Stats& stats) {
    nlohmann::ordered_json report;
    report["schema"] = schema;
    report["exit_code"] = static_cast<int>(outcome.code);
    report["error"] = outcome.message.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(outcome.message);
    report["input"] = shown_name(options.input.path);
    report["output"] = options.output.path;
    report["container"] = outcome.container;
    report["encoder"] = outcome.encoder;
    report["device"] = outcome.device;
    report["filters"] = nlohmann::ordered_json::array();
    for (const FilterSpec& filter : outcome.filters) {
        report["filters"].push_back({{"name", filter.def->name}, {"arguments", to_string(filter)}});
    }
    report["frames"] = {
        {"in", outcome.frames_in}, {"out", outcome.frames_out}, {"dropped", outcome.frames_in - outcome.frames_out}};
    report["live"] = outcome.live;
    report["reconnects"] = outcome.reconnects;
    for (const DropName& drop : drop_names) {
        report["drops"][std::string(drop.name)] = outcome.drops.*drop.count;
    }
    report["clock_drift_seconds"] = rounded(outcome.clock_drift);
    for (const LegName& leg : leg_names) {
        const LatencyHistogram& times = stats.latency[leg.leg];
        report["latency_ms"][std::string(leg.name)] = {{"count", times.count()},
                                                       {"p50", rounded(times.percentile(0.5))},
                                                       {"p95", rounded(times.percentile(0.95))},
                                                       {"p99", rounded(times.percentile(0.99))},
                                                       {"max", rounded(times.largest())}};
    }
    report["seconds"] = rounded(outcome.seconds);
    report["fps"] = rounded(outcome.fps());
    report["bound"] = bound_name(stats);
    report["bytes_written"] = outcome.bytes_written;
    report["pictures_allocated"] = outcome.pictures_allocated;
    report["engine"] = {{"device_bytes", outcome.engine.device_bytes},
                        {"device_allocations", outcome.engine.device_allocations},
                        {"pageable_pictures", outcome.engine.pageable_pictures},
                        {"launches", outcome.engine.launches},
                        {"kernels", outcome.kernels}};
    report["streams_dropped"] = outcome.dropped_streams;
    report["damage"] = {{"packets", outcome.damage.packets},
                        {"frames", outcome.damage.frames},
                        {"pictures_missing", outcome.damage.missing_pictures()},
                        {"errors_logged", outcome.damage.complaints},
                        {"container_faults", outcome.damage.faults},
                        {"missing_seconds", rounded(outcome.damage.missing_seconds)},
                        {"lost", outcome.damage.lost},
                        {"notes", outcome.damage.notes}};
    report["abandoned"] = outcome.abandoned;
    if (outcome.verified) {
        report["verify"] = {{"frames", outcome.verified->frames},
                            {"samples", outcome.verified->samples},
                            {"off_by_one", outcome.verified->off_by_one}};
    }
    report["kept_part"] =
        outcome.kept_part.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(outcome.kept_part);
    for (std::size_t i = 0; i < stage_names.size(); ++i) {
        const StageStats& stage = stats.stages[i];
        report["stages"][std::string(stage_names[i])] = {
            {"items", stage.items()},
            {"working_seconds", rounded(stage.seconds(Activity::working))},
            {"waiting_for_input_seconds", rounded(stage.seconds(Activity::waiting_for_input))},
            {"waiting_for_output_seconds", rounded(stage.seconds(Activity::waiting_for_output))}};
    }
    return report.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

std::string stats_text(const Outcome& outcome, const Stats& stats) {
    std::string text =
        fmt::format("{:<8}{:>9}{:>12}{:>14}{:>14}\n", "stage", "items", "working s", "for input s", "for output s");
    for (std::size_t i = 0; i < stage_names.size(); ++i) {
        const StageStats& stage = stats.stages[i];
        text += fmt::format("{:<8}{:>9}{:>12.3f}{:>14.3f}{:>14.3f}\n", stage_names[i], stage.items(),
                            stage.seconds(Activity::working), stage.seconds(Activity::waiting_for_input),
                            stage.seconds(Activity::waiting_for_output));
    }
    text += fmt::format("\n{:<8}{:>9}{:>12}{:>14}{:>14}{:>14}\n", "latency", "items", "p50 ms", "p95 ms", "p99 ms",
                        "max ms");
    for (const LegName& leg : leg_names) {
        const LatencyHistogram& times = stats.latency[leg.leg];
        if (times.count() > 0) {
            text += fmt::format("{:<8}{:>9}{:>12.3f}{:>14.3f}{:>14.3f}{:>14.3f}   {}\n", leg.name, times.count(),
                                times.percentile(0.5), times.percentile(0.95), times.percentile(0.99), times.largest(),
                                leg.help);
        }
    }
    text += "\n";
    if (outcome.live) {
        text += fmt::format("clock: the pictures' is {:.3f} s behind this machine's since the first one\n",
                            outcome.clock_drift);
    }
    const EngineCounters& engine = outcome.engine;
    text += fmt::format("pictures allocated: {}\n", outcome.pictures_allocated);
    if (engine.device_allocations > 0) {
        text +=
            fmt::format("on the device: {} allocations, {} bytes, {} kernels launched, {} pictures not page-locked\n",
                        engine.device_allocations, engine.device_bytes, engine.launches, engine.pageable_pictures);
    }
    if (!outcome.kernels.empty()) {
        text += fmt::format("filters run by: {}\n", fmt::join(outcome.kernels, "; "));
    }
    return text;
}

std::string summary_line(const Options& options, const Outcome& outcome, const Stats& stats) {
    const bool to_file = !options.output.path.empty() && options.output.path != "-" && outcome.container != "null";
    return fmt::format(
        "{}{} frames in, {} out, {:.2f} s, {:.1f} fps, {}, {}{}", to_file ? options.output.path + ": " : "",
        outcome.frames_in, outcome.frames_out, outcome.seconds, outcome.fps(), outcome.device,
        outcome.live ? fmt::format("ready after {:.1f} ms (p99 {:.1f})", stats.latency[Leg::ready].percentile(0.5),
                                   stats.latency[Leg::ready].percentile(0.99))
                     : fmt::format("bound by {}", bound_name(stats)),
        outcome.dropped_streams.empty() ? "" : fmt::format(", {} streams left out", outcome.dropped_streams.size()));
}

std::string drops_text(const Outcome& outcome) {
    std::string text;
    for (const DropName& drop : drop_names) {
        if (const std::int64_t count = outcome.drops.*drop.count; count > 0) {
            text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, drop.help);
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
    add(damage.packets, "damaged packet", "damaged packets");
    add(damage.frames, "damaged frame", "damaged frames");
    add(damage.faults, "contradiction in the container", "contradictions in the container");
    add(damage.complaints, "error while reading and decoding", "errors while reading and decoding");
    if (damage.missing_seconds > 0) {
        text += fmt::format("{}ended {:.1f} s before the header's duration", text.empty() ? "" : ", ",
                            damage.missing_seconds);
    }
    return text;
}

void write_text_file(const std::string& path, const std::string& text, std::function<bool()> given_up) {
    OutputFile file(path, Overwrite::yes, std::move(given_up));
    avio_write(file.context(), reinterpret_cast<const unsigned char*>(text.data()), static_cast<int>(text.size()));
    file.commit();
}

}  // namespace vfilter
