#pragma once
// Many files, each a run in a process of its own.

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>

#include "config/error.h"
#include "config/options.h"
#include "pipeline/batch/batch_link.h"
#include "pipeline/report/audit.h"

namespace vfilter {

/// What a run in a child process tells of itself.
struct BatchRun {
    const BatchSender& sender;
    /// Its output is checked, and about to get its name with this exit code.
    std::function<void(const std::string& written, ExitCode code, std::int64_t frames)> checked;
};

/// Runs one file in the child, and gives its exit code.
using RunFile = std::function<int(Options options, const BatchRun& run)>;

/// Runs them all, as many at once as the options say, and gives the exit code: 0 only if all are finished. Forks, so
/// that no thread may have been started before. `signal` becomes the number of a signal, which goes to the children.
/// `asked` goes into the report. Throws Error for what is found before the first one begins.
int run_batch(const Options& options, const std::atomic<int>& signal, const RunFile& run_file, Audit asked);

}  // namespace vfilter
