#include "pipeline/batch/batch_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string_view>

#include "config/error.h"
#include "config/printable.h"

namespace vfilter {

namespace {

using BatchJson = nlohmann::ordered_json;
using State = BatchResult::State;

constexpr int batch_schema = 1;
constexpr std::size_t max_name_column = 48;

struct StateName {
    State state;
    std::string_view name;
};
constexpr StateName state_names[] = {{State::waiting, "not begun"}, {State::running, "running"},
                                     {State::finished, "finished"}, {State::finished_before, "finished before"},
                                     {State::stopped, "stopped"},   {State::failed, "failed"},
                                     {State::crashed, "crashed"}};

std::string_view name_of_state(State state) {
    return std::ranges::find(state_names, state, &StateName::state)->name;
}

BatchJson facts_of_result(const BatchResult& result) {
    BatchJson json;
    json["input"] = result.input;
    json["output"] = result.output;
    json["result"] = name_of_state(result.state);
    json["exit_code"] = result.state == State::waiting ? BatchJson() : BatchJson(result.code);
    json["error"] = result.error.empty() ? BatchJson() : BatchJson(result.error);
    json["frames"] = result.frames;
    const bool ran = result.state != State::finished_before;
    json["seconds"] = ran ? BatchJson(std::round(result.seconds * 1e6) / 1e6) : BatchJson();
    json["fps"] = ran ? BatchJson(std::round(result.fps() * 1e3) / 1e3) : BatchJson();
    return json;
}

std::string result_text(const BatchResult& result) {
    std::string text(name_of_state(result.state));
    if (result.code == static_cast<int>(ExitCode::damaged) && is_finished(result)) {
        text += ", damaged (5)";
    } else if (result.code != 0) {
        text += fmt::format(" ({})", result.code);
    }
    return result.error.empty() ? text : fmt::format("{}: {}", text, result.error);
}

}  // namespace

BatchResult result_before(const BatchFile& file) {
    BatchResult result{.input = file.input, .output = file.output};
    if (file.finished || !file.refusal.empty()) {
        result.state = file.finished ? State::finished_before : State::failed;
        result.code = file.code;
        result.error = file.refusal;
    }
    result.frames = file.frames;
    return result;
}

bool is_finished(const BatchResult& result) {
    return result.state == State::finished || result.state == State::finished_before;
}

std::string batch_table(const std::vector<BatchResult>& results) {
    std::size_t width = std::string_view("file").size();
    for (const BatchResult& result : results) {
        width = std::max(width, std::min(printable(result.input).size(), max_name_column));
    }
    std::string text = fmt::format("{:<{}}  {:>8}  {:>8}  {}\n", "file", width, "frames", "fps", "result");
    for (const BatchResult& result : results) {
        const bool ran = result.seconds > 0;
        text += fmt::format("{:<{}}  {:>8}  {:>8}  {}\n", printable(result.input), width,
                            ran || is_finished(result) ? fmt::format("{}", result.frames) : "-",
                            ran ? fmt::format("{:.1f}", result.fps()) : "-", printable(result_text(result)));
    }
    return text;
}

std::string batch_summary(const std::vector<BatchResult>& results, std::size_t passed_over, double seconds) {
    const auto finished = std::ranges::count_if(results, is_finished);
    const auto before = std::ranges::count(results, State::finished_before, &BatchResult::state);
    std::int64_t frames = 0;
    for (const BatchResult& result : results) {
        frames += result.state == State::finished_before ? 0 : result.frames;
    }
    return fmt::format("{} of {} files finished{}{}, {} frames, {:.2f} s, {:.1f} fps", finished, results.size(),
                       before > 0 ? fmt::format(" ({} before)", before) : "",
                       passed_over > 0 ? fmt::format(", {} passed over", passed_over) : "", frames, seconds,
                       seconds > 0 ? static_cast<double>(frames) / seconds : 0);
}

std::string batch_line(const BatchResult& result) {
    return with_escapes(facts_of_result(result).dump(-1, ' ', false, BatchJson::error_handler_t::replace));
}

std::string batch_report(const std::vector<BatchResult>& results, const std::vector<std::string>& passed_over,
                         int exit_code, double seconds, const Audit& audit) {
    BatchJson report;
    report["schema"] = batch_schema;
    report["exit_code"] = exit_code;
    report["vfilter"] = VFILTER_VERSION;
    report["command_line"] = audit.command_line;
    report["host"] = audit.host;
    report["started"] = audit.started;
    report["ended"] = audit.ended;
    report["seconds"] = std::round(seconds * 1e6) / 1e6;
    report["files"] = BatchJson::array();
    for (const BatchResult& result : results) {
        BatchJson file = facts_of_result(result);
        const BatchJson own = BatchJson::parse(result.report, nullptr, false);
        file["run"] = own.is_discarded() ? BatchJson() : own;
        report["files"].push_back(std::move(file));
    }
    report["passed_over"] = passed_over;
    return with_escapes(report.dump(2, ' ', false, BatchJson::error_handler_t::replace)) + "\n";
}

}  // namespace vfilter
