#pragma once
// The outcome as JSON, and how a report is written.

#include <functional>
#include <string>

#include "config/options.h"
#include "pipeline/report/outcome.h"
#include "pipeline/report/stats.h"

namespace vfilter {

/// The JSON of --report and --stats json; docs/report.md describes its keys.
std::string report_json(const Options& options, const Outcome& outcome, const Stats& stats);
/// Whether a file is an earlier report or trace, empty, or no file at all.
bool is_report_or_trace(const std::string& path);
/// Before the work that the text reports: throws Error(output) if write_text_file() would not find the folder, or could
/// not write to it, or if something else is there, not named as a report is (.json), and not to be overwritten;
/// Error(usage) for the name of a batch's journal.
void check_text_file(const std::string& path, Overwrite overwrite);
/// Writes a text to a file, which appears only when complete, or to a pipe, until `given_up` returns true. Throws
/// Error(output).
void write_text_file(const std::string& path, const std::string& text, std::function<bool()> given_up = {});
/// Writes a text to standard output, at once. Throws Error(output).
void print_text(const std::string& text);

}  // namespace vfilter
