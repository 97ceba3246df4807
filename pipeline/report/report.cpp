#include "pipeline/report/report.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string_view>
#include <system_error>
#include <utility>

#include "config/error.h"
#include "config/printable.h"
#include "io/output/file_rights.h"
#include "io/output/output_file.h"
#include "io/source.h"
#include "pipeline/batch/journal.h"

namespace vfilter {

namespace {

using Json = nlohmann::ordered_json;

constexpr int schema = 1;

double rounded(double value) {
    return static_cast<double>(std::llround(value * 1e6)) / 1e6;
}

Json text_or_null(const std::string& text) {
    return text.empty() ? Json() : Json(text);
}

Json regions_json(const std::vector<RegionCount>& regions) {
    Json list = Json::array();
    for (const RegionCount& region : regions) {
        list.push_back({{"region", region.region}, {"pictures", region.pictures}});
    }
    return list;
}

Json filters_json(const RunSetup& setup) {
    Json list = Json::array();
    std::size_t number = 0;  // among the filters that are ours
    for_each_step(
        setup.filters, setup.foreign,
        [&](const std::string& graph) {
            list.push_back({{"name", "vf"}, {"arguments", graph}});
        },
        [&](const FilterSpec& spec) {
            Json& filter = list.emplace_back();
            filter = {{"name", spec.def->name}, {"arguments", to_string(spec)}};
            if (setup.steps.size() == setup.filters.size()) {
                const StepCount& count = setup.steps[number];
                filter["pictures"] = count.pictures;
                if (!count.regions.empty()) {
                    filter["regions"] = regions_json(count.regions);
                }
            }
            ++number;
        });
    return list;
}

Json noise_json(const std::vector<MeasuredNoise>& measured) {
    Json list = Json::array();
    for (const MeasuredNoise& noise : measured) {
        list.push_back({{"filter", noise.filter},
                        {"luma", noise.levels.luma},
                        {"chroma", noise.levels.chroma ? Json(*noise.levels.chroma) : Json()},
                        {"pictures", noise.pictures}});
    }
    return list;
}

Json crop_json(const std::optional<FoundCrop>& crop) {
    return crop ? Json{{"width", crop->width},
                       {"height", crop->height},
                       {"x", crop->x},
                       {"y", crop->y},
                       {"pictures", crop->pictures}}
                : Json();
}

// How a thread has spent its time, behind what is told of it.
Json with_times(Json thread, const StageStats& stage) {
    thread["working_seconds"] = rounded(stage.seconds(Activity::working));
    thread["waiting_for_input_seconds"] = rounded(stage.seconds(Activity::waiting_for_input));
    thread["waiting_for_output_seconds"] = rounded(stage.seconds(Activity::waiting_for_output));
    return thread;
}

// The threads of the chain besides the filter stage.
Json steps_json(const Stats& stats) {
    Json list = Json::array();
    for (const StepStats& step : stats.steps) {
        const std::int64_t out = step.stage.items();
        Json thread{{"name", step.name},
                    {"video", step.video},
                    {"graph", text_or_null(step.graph)},
                    {"in", step.graph.empty() ? out : step.taken.load(std::memory_order_relaxed)},
                    {"out", out}};
        list.push_back(with_times(std::move(thread), step.stage));
    }
    return list;
}

Json drops_json(const Drops& drops) {
    Json counts;
    for (const DropName& row : drop_names) {
        counts[std::string(row.name)] = drops[row.drop];
    }
    return counts;
}

Json latency_json(const Latency& latency) {
    Json legs;
    for (const LegName& row : leg_names) {
        const LatencyHistogram& times = latency[row.leg];
        legs[std::string(row.name)] = {{"count", times.count()},
                                       {"p50", rounded(times.percentile(0.5))},
                                       {"p95", rounded(times.percentile(0.95))},
                                       {"p99", rounded(times.percentile(0.99))},
                                       {"max", rounded(times.max())}};
    }
    return legs;
}

Json engine_json(const EngineCounters& engine, const std::vector<std::string>& kernels) {
    Json shares = Json::array();
    for (const DeviceShare& share : engine.shares) {
        shares.push_back({{"name", share.name}, {"pictures", share.pictures}});
    }
    return {{"device_bytes", engine.device_bytes},
            {"device_allocations", engine.device_allocations},
            {"pageable_pictures", engine.pageable_pictures},
            {"launches", engine.launches},
            {"uploads", engine.uploads},
            {"downloads", engine.downloads},
            {"resident_pictures", engine.resident},
            {"crossing_pictures", engine.crossings},
            {"kernels", kernels},
            {"devices", shares}};
}

Json decode_json(const DecodeUse& decode) {
    return {{"on", decode.gpu ? "gpu" : "cpu"},         {"why", text_or_null(decode.why)},
            {"sessions", decode.facts.sessions},        {"ranges", decode.facts.ranges},
            {"ranges_on_cpu", decode.facts.on_cpu},     {"why_on_cpu", text_or_null(decode.facts.why_on_cpu)},
            {"pictures_by_gpu", decode.facts.hardware}, {"pictures_beside", decode.facts.beside}};
}

Json damage_json(const Damage& damage) {
    return {{"packets", damage.packets},
            {"packets_left_out", damage.left_out},
            {"silences", damage.silences},
            {"frames", damage.frames},
            {"pictures_missing", damage.missing_pictures()},
            {"errors_logged", damage.complaints},
            {"container_faults", damage.faults},
            {"missing_seconds", rounded(damage.missing_seconds)},
            {"lost", damage.lost},
            {"notes", damage.notes}};
}

Json stages_json(const Stats& stats) {
    Json stages;
    for (std::size_t i = 0; i < stage_names.size(); ++i) {
        const StageStats& stage = stats.stages[i];
        if (static_cast<StageId>(i) == StageId::sound && stage.beats() == 0) {
            continue;  // there is none to encode
        }
        stages[std::string(stage_names[i])] = with_times(Json::object({{"items", stage.items()}}), stage);
    }
    return stages;
}

}  // namespace

std::string report_json(const Options& options, const Outcome& outcome, const Stats& stats) {
    const RunCounts& counts = outcome.counts;
    Json report;
    report["schema"] = schema;
    report["exit_code"] = static_cast<int>(outcome.end.code);
    report["error"] = text_or_null(outcome.end.message);
    report["warnings"] = outcome.warnings.lines;
    report["warnings_more"] = outcome.warnings.more;
    report["vfilter"] = VFILTER_VERSION;
    report["command_line"] = outcome.audit.command_line;
    report["host"] = outcome.audit.host;
    report["started"] = text_or_null(outcome.audit.started);
    report["ended"] = text_or_null(outcome.audit.ended);
    report["input"] = shown_name(options.input.path);
    report["added"] = nlohmann::json::array();
    for (std::size_t i = 0; i < options.input.added.size(); ++i) {
        const AddedFile& file = options.input.added[i];
        const std::vector<std::string>& sums = outcome.audit.added_sha256;
        report["added"].push_back({{"file", file.path},
                                   {"later_seconds", file.later},
                                   {"sha256", text_or_null(i < sums.size() ? sums[i] : "")}});
    }
    report["appended"] = nlohmann::json::array();
    for (std::size_t i = 0; i < options.input.appended.size(); ++i) {
        const std::vector<std::string>& sums = outcome.audit.appended_sha256;
        report["appended"].push_back(
            {{"file", options.input.appended[i]}, {"sha256", text_or_null(i < sums.size() ? sums[i] : "")}});
    }
    report["output"] = shown_name(options.batch.named.empty() ? options.output.path : options.batch.named);
    report["sha256"] = {{"input", text_or_null(outcome.audit.input_sha256)},
                        {"output", text_or_null(outcome.audit.output_sha256)}};
    report["container"] = outcome.setup.container;
    report["encoder"] = outcome.setup.encoder;
    report["device"] = outcome.setup.device;
    report["filters"] = filters_json(outcome.setup);
    report["noise"] = noise_json(outcome.setup.noise);
    report["crop"] = crop_json(outcome.setup.crop);
    report["frames"] = {{"in", counts.frames_in},
                        {"out", counts.frames_out},
                        {"dropped", counts.frames_in + counts.frames_added - counts.frames_out}};
    report["regions"] = regions_json(outcome.audit.regions);
    report["live"] = outcome.live.is_live;
    report["reconnects"] = outcome.live.reconnects;
    report["drops"] = drops_json(outcome.live.drops);
    report["clock_drift_seconds"] = rounded(outcome.live.clock_drift);
    report["latency_ms"] = latency_json(stats.latency);
    report["seconds"] = rounded(counts.seconds);
    report["fps"] = rounded(counts.fps());
    report["bound"] = stats.bound();
    report["bytes_written"] = counts.bytes_written;
    report["pictures_displaced"] = counts.displaced;
    report["packets_lost"] = counts.packets_lost;
    report["pictures_allocated"] = outcome.memory.pictures_allocated;
    report["decode"] = decode_json(outcome.decode);
    report["engine"] = engine_json(outcome.memory.engine, outcome.setup.kernels);
    report["streams_dropped"] = outcome.setup.dropped_streams;
    report["streams_encoded"] = outcome.setup.encoded_streams;
    report["tags_dropped"] = outcome.setup.dropped_tags;
    report["labels_unread"] = outcome.setup.unread_labels;
    report["damage"] = damage_json(outcome.damage);
    report["abandoned"] = outcome.end.abandoned;
    if (outcome.verified) {
        report["verify"] = {{"frames", outcome.verified->frames},
                            {"samples", outcome.verified->samples},
                            {"off_by_one", outcome.verified->off_by_one}};
    }
    report["kept_part"] = text_or_null(outcome.end.kept_part);
    report["stages"] = stages_json(stats);
    report["steps"] = steps_json(stats);
    return with_escapes(report.dump(2, ' ', false, Json::error_handler_t::replace)) + "\n";
}

bool is_report_or_trace(const std::string& path) {
    std::error_code error;
    if (!std::filesystem::is_regular_file(path, error) || std::filesystem::file_size(path, error) == 0) {
        return true;
    }
    constexpr std::array<std::string_view, 2> beginnings{"{\n  \"schema\"", "[\n{\"name\":\"process_name\""};
    std::string text(std::max(beginnings[0].size(), beginnings[1].size()), '\0');
    std::ifstream(path, std::ios::binary).read(text.data(), static_cast<std::streamsize>(text.size()));
    return std::ranges::any_of(beginnings, [&](std::string_view begin) { return text.starts_with(begin); });
}

void check_text_file(const std::string& path, Overwrite overwrite) {
    const std::filesystem::path target = followed(path);
    if (target.filename() == Journal::file_name) {
        throw Error(ExitCode::usage,
                    fmt::format("{}: is the name of a batch's journal, which knows what is finished", path));
    }
    std::error_code error;
    const std::filesystem::file_status there = std::filesystem::status(path, error);
    if (std::filesystem::exists(there) && !std::filesystem::is_regular_file(there)) {
        return;  // a pipe or a device, which is written as it is
    }
    const bool named_so = target.extension() == ".json";
    if (overwrite != Overwrite::yes && !named_so && !is_report_or_trace(path)) {
        throw Error(ExitCode::output,
                    fmt::format("{}: exists, and is no earlier report or trace; -y replaces it", path));
    }
    check_folder_of(path);
    struct stat own {};
    if (lstat(target.c_str(), &own) != 0 && errno != ENOENT) {  // a name that is too long
        throw Error(ExitCode::output, fmt::format("{}: {}", path, std::strerror(errno)));
    }
}

void write_text_file(const std::string& path, const std::string& text, std::function<bool()> given_up) {
    OutputFile file(path, Overwrite::yes, std::move(given_up));
    file.discard();
    avio_write(file.context(), reinterpret_cast<const unsigned char*>(text.data()), static_cast<int>(text.size()));
    file.flush();
    file.verify([] { return false; });
    file.commit();
}

void print_text(const std::string& text) {
    if (std::fputs(text.c_str(), stdout) < 0 || std::fflush(stdout) != 0) {
        throw Error(ExitCode::output, "standard output cannot be written");
    }
}

}  // namespace vfilter
