#pragma once
// One run from options to outcome: opens, builds, runs, finishes.

#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "config/error.h"
#include "config/options.h"
#include "pipeline/pipeline.h"

namespace vfilter {

/// What happened, for people and for --report.
struct Outcome {
    ExitCode code = ExitCode::finished;
    std::string message;  ///< the error's sentence, "" if there was none
    std::string device;
    std::vector<std::string> kernels;  ///< see FilterEngine::kernels
    std::string encoder;
    std::string container;
    std::int64_t frames_in = 0;        ///< decoded and wanted
    std::int64_t frames_out = 0;       ///< written; filtered if nothing is written
    std::int64_t frames_expected = 0;  ///< 0 if nobody knows
    std::int64_t packets_read = 0;
    double seconds = 0;
    double frame_rate = 0;  ///< of the video
    std::int64_t pictures_allocated = 0;
    EngineCounters engine;
    std::int64_t bytes_written = 0;
    bool live = false;
    int reconnects = 0;
    Drops drops;
    double clock_drift = 0;           ///< live: seconds by which the timestamps have lost against this machine's clock
    std::vector<FilterSpec> filters;  ///< as they were in the end; a preview's user may have changed them
    std::string same_again;  ///< a preview's command line with these filters, addresses without their passwords
    std::vector<std::string> dropped_streams;
    Damage damage;
    std::optional<Verifier::Result> verified;
    std::string verified_summary;
    std::string kept_part;       ///< an unfinished file that was left, "" if none
    std::int64_t abandoned = 0;  ///< pictures that were inside when a signal's time was over; they are not in the file
    bool hung = false;           ///< a thread did not come back: the process has to be left without the usual end

    [[nodiscard]] double fps() const { return seconds > 0 ? static_cast<double>(frames_out) / seconds : 0; }
};

struct SessionHooks {
    std::function<void(const Outcome& so_far)> watch;  ///< called a few times a second while the threads run, or empty
    StageHook stage;                                   ///< or empty
    /// Called when all is written and only the disk is waited for: what ends a process that does not end by itself has
    /// to be called off. Or empty.
    std::function<void()> finishing{};
};

/// Runs the whole thing. Never throws: whatever goes wrong is in the outcome. `signal` becomes the number of the signal
/// that asked for an early, clean end; 0 until then.
Outcome run_session(const Options& options, const std::atomic<int>& signal, Stats& stats, const SessionHooks& hooks);

}  // namespace vfilter
