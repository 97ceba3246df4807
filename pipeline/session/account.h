#pragma once
// What is known about a run, recorded while it runs and when its threads have ended.

#include "config/options.h"
#include "pipeline/report/outcome.h"
#include "pipeline/report/stats.h"
#include "pipeline/session/run_parts.h"

namespace vfilter {

/// About an input that has just been opened.
void account_input(const Demuxer& demuxer, Outcome& outcome);

/// How the chains of the videos change their rates.
void account_chains(const RunParts& parts, Outcome& outcome);

/// What can be determined at any time, also after an error.
void account_progress(const Options& options, const Stats& stats, const RunParts& parts, Outcome& outcome);

/// What only the threads accessed: damage, memory, verified samples. Call once all of them have ended.
void account_end(const RunParts& parts, Outcome& outcome);

}  // namespace vfilter
