#pragma once
// One run from options to outcome: opens, builds, runs, finishes.

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>

#include "config/options.h"
#include "pipeline/report/outcome.h"
#include "pipeline/report/stats.h"
#include "pipeline/stages/stage.h"

namespace vfilter {

struct SessionHooks {
    std::function<void(const Outcome& so_far)> watch;  ///< a few times a second while the threads run; may be empty
    StageHook stage;                                   ///< may be empty
    /// Called when everything has been written and only the disk is waited for: whatever would kill a process that does
    /// not end by itself must be called off. May be empty.
    std::function<void()> finishing{};
    /// Called when the output has been checked, right before it gets its name: with its current name, the exit code
    /// that the run will have, and the number of pictures in it. Not for pipes and sequences. May be empty.
    std::function<void(const std::string& written, ExitCode code, std::int64_t frames)> checked{};
    /// Lets tests run without a GPU what happens with one: the video is decoded in ranges by that many sessions, on the
    /// CPU, and in addition by two of its threads. 0 for normal runs.
    int stand_in_sessions = 0;
};

/// Runs everything. Never throws: errors are in the outcome. `signal` becomes the number of the signal that requested
/// an early, clean end; 0 until then.
Outcome run_session(const Options& options, const std::atomic<int>& signal, Stats& stats, const SessionHooks& hooks);

}  // namespace vfilter
