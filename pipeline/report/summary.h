#pragma once
// The outcome as text for people.

#include <string>

#include "config/options.h"
#include "pipeline/report/outcome.h"
#include "pipeline/report/stats.h"

namespace vfilter {

/// For --stats text: a line for each stage, latencies, memory.
std::string stats_text(const Outcome& outcome, const Stats& stats);
/// The last line of a run: frames, seconds, fps, device, what bound it, streams dropped.
std::string summary_line(const Options& options, const Outcome& outcome, const Stats& stats);
/// Damage in words, "" if there was none.
std::string damage_text(const Damage& damage);
/// What has it: "the input is", or the files beside it.
std::string damaged_files(const Damage& damage);
/// "3 overtaken before the filter, 1 not shown", or "".
std::string drops_text(const Drops& drops);

}  // namespace vfilter
