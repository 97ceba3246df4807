#pragma once
// The results of a batch, as text and as JSON.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "pipeline/batch/batch_plan.h"
#include "pipeline/report/audit.h"

namespace vfilter {

/// The result of one file.
struct BatchResult {
    enum class State { waiting, running, finished, finished_before, stopped, failed, crashed };

    std::string input;
    std::string output;
    State state = State::waiting;
    int code = 0;             ///< exit code; after a crash, that of an internal error
    std::string error{};      ///< the message, "" if there is none
    std::int64_t frames = 0;  ///< written, including those by an earlier batch
    double seconds = 0;
    std::string report{};  ///< the run's own, as JSON; "" if it made none

    [[nodiscard]] double fps() const { return seconds > 0 ? static_cast<double>(frames) / seconds : 0; }
};

/// What is known about a file before it is started.
BatchResult result_before(const BatchFile& file);

/// Whether it has finished without an error, though perhaps with damage.
bool is_finished(const BatchResult& result);

/// A line for each file, in columns.
std::string batch_table(const std::vector<BatchResult>& results);
/// "198 of 200 files finished, 3 passed over, 51234 frames, 12.3 s, 4165.4 fps"
std::string batch_summary(const std::vector<BatchResult>& results, std::size_t passed_over, double seconds);
/// One line of --progress json; docs/report.md describes its keys.
std::string batch_line(const BatchResult& result);
/// The JSON of --report.
std::string batch_report(const std::vector<BatchResult>& results, const std::vector<std::string>& passed_over,
                         int exit_code, double seconds, const Audit& audit);

}  // namespace vfilter
