#pragma once
// The outcome as text.

#include <string>

#include "config/options.h"
#include "pipeline/report/outcome.h"
#include "pipeline/report/stats.h"

namespace vfilter {

/// For --stats text: a line for each stage, latencies, memory.
std::string stats_text(const Outcome& outcome, const Stats& stats);
/// The last line of a run: frames, seconds, fps, device, the limiting stage, streams dropped.
std::string summary_line(const Options& options, const Outcome& outcome, const Stats& stats);
/// Damage as text, "" if there was none.
std::string damage_text(const Damage& damage);
/// What is damaged: "the input is", or the files beside it.
std::string damaged_files(const Damage& damage);
/// "3 overtaken before the filter, 1 not shown", or "".
std::string drops_text(const Drops& drops);

}  // namespace vfilter
