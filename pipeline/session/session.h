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
    std::function<void(const Outcome& so_far)> watch;  ///< called a few times a second while the threads run, or empty
    StageHook stage;                                   ///< or empty
    /// Called when all is written and only the disk is waited for: what ends a process that does not end by itself has
    /// to be called off. Or empty.
    std::function<void()> finishing{};
    /// Called when the output is checked, right before it gets its name: where it is until then, the exit code that the
    /// run will have, and how many pictures are in it. Not for pipes and sequences. Or empty.
    std::function<void(const std::string& written, ExitCode code, std::int64_t frames)> checked{};
    /// How tests see without a GPU what a run with one is: the video is decoded in ranges by so many sessions, on the
    /// CPU, and by two of its threads beside them. 0 for a run as users have it.
    int stand_in_sessions = 0;
};

/// Runs the whole thing. Never throws: whatever goes wrong is in the outcome. `signal` becomes the number of the signal
/// that asked for an early, clean end; 0 until then.
Outcome run_session(const Options& options, const std::atomic<int>& signal, Stats& stats, const SessionHooks& hooks);

}  // namespace vfilter
