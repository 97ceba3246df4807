#pragma once
// The program's log: lines on stderr, and what the report keeps of them.

#include <string>

#include "config/options.h"
#include "pipeline/report/outcome.h"

namespace vfilter {

/// Lines of this level and worse go to stderr, those of FFmpeg, too, each as one printable line behind "vfilter: ".
/// Warnings are kept whatever the level is. Once, before other threads begin.
void set_up_log(LogLevel level);
/// Another beginning of the lines, as of a file's name.
void set_log_prefix(const std::string& prefix);
/// From then on lines that were there before are not told again: those of another pass over the same input.
void tell_only_news();
/// Warnings so far, without their beginning. Thread-safe.
Warnings warnings_so_far();

}  // namespace vfilter
