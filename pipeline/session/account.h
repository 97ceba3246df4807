#pragma once
// What is known of a run, filled in while it goes on and when its threads have ended.

#include "config/options.h"
#include "pipeline/report/outcome.h"
#include "pipeline/report/stats.h"
#include "pipeline/session/run_parts.h"

namespace vfilter {

/// Of an input that has just been opened.
void account_input(const Demuxer& demuxer, Outcome& outcome);

/// What the chains of the videos make of their rates.
void account_chains(const RunParts& parts, Outcome& outcome);

/// What can be told at any time, also after an error.
void account_progress(const Options& options, const Stats& stats, const RunParts& parts, Outcome& outcome);

/// What only the threads touched: damage, memory, verified samples. Once all of them have ended.
void account_end(const RunParts& parts, Outcome& outcome);

}  // namespace vfilter
