#include "pipeline/batch/child_end.h"

#include <fmt/format.h>
#include <sys/wait.h>

#include <cstring>
#include <nlohmann/json.hpp>
#include <string>

#include "config/error.h"

namespace vfilter {

bool take_end(int status, BatchResult& result) {
    const nlohmann::json report = nlohmann::json::parse(result.report, nullptr, false);
    if (report.is_object()) {
        result.frames = report["frames"].value("out", result.frames);
        result.seconds = report.value("seconds", result.seconds);
        result.error = report["error"].is_string() ? report["error"].get<std::string>() : "";
    }
    if (WIFSIGNALED(status)) {
        result.state = BatchResult::State::crashed;
        result.code = static_cast<int>(ExitCode::internal);
        result.error = fmt::format("ended by signal {} ({})", WTERMSIG(status), strsignal(WTERMSIG(status)));
        return true;
    }
    result.code = WEXITSTATUS(status);
    const bool stopped = is_stop(static_cast<ExitCode>(result.code));
    if (stopped && !report.is_object()) {
        // By a second signal, or two seconds after the first: what it was at work on has not got its name.
        result.state = BatchResult::State::failed;
        result.error = "left at once because of a signal, before it could tell of its file";
        return true;
    }
    const bool done = result.error.empty() && (result.code == static_cast<int>(ExitCode::finished) ||
                                               result.code == static_cast<int>(ExitCode::damaged));
    result.state = done      ? BatchResult::State::finished
                   : stopped ? BatchResult::State::stopped
                             : BatchResult::State::failed;
    return false;
}

}  // namespace vfilter
