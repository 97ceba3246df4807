#pragma once
// Many files, each run in its own process.

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>

#include "config/error.h"
#include "config/options.h"
#include "pipeline/batch/batch_link.h"
#include "pipeline/report/audit.h"

namespace vfilter {

/// What a run in a child process reports about itself.
struct BatchRun {
    const BatchSender& sender;
    /// Its output has been checked and is about to get its name, with this exit code.
    std::function<void(const std::string& written, ExitCode code, std::int64_t frames)> checked;
};

/// Runs one file in the child and returns its exit code.
using RunFile = std::function<int(Options options, const BatchRun& run)>;

/// Runs all files, as many at once as the options say, and returns the exit code: 0 only if all have finished. Forks,
/// so no thread may have been started before. `signal` becomes the number of a signal, which is passed on to the
/// children. `asked` goes into the report. Throws Error for problems found before the first file begins.
int run_batch(const Options& options, const std::atomic<int>& signal, const RunFile& run_file, Audit asked);

}  // namespace vfilter
