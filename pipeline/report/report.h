#pragma once
// The outcome as text and as JSON.

#include <functional>
#include <string>

#include "pipeline/session.h"

namespace vfilter {

/// The JSON of --report and --stats json; docs/report.md describes its keys.
std::string report_json(const Options& options, const Outcome& outcome, const Stats& stats);
/// For --stats text: a line per stage.
std::string stats_text(const Outcome& outcome, const Stats& stats);
/// The last line of a run: frames, seconds, fps, device, what bound it, streams dropped.
std::string summary_line(const Options& options, const Outcome& outcome, const Stats& stats);
/// Damage in words, "" if there was none.
std::string damage_text(const Damage& damage);
/// "3 not decoded, 1 not shown", or "": what a live run left out.
std::string drops_text(const Outcome& outcome);
/// Writes a text to a file, which is whole when it appears, or to a pipe, until `given_up` says so. Throws
/// Error(output).
void write_text_file(const std::string& path, const std::string& text, std::function<bool()> given_up = {});

}  // namespace vfilter
