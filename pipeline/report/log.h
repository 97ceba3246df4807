#pragma once
// The program's log: lines on stderr, and what the report keeps of them.

#include <string>

#include "config/options.h"
#include "pipeline/report/outcome.h"

namespace vfilter {

/// Lines of this level and more severe go to stderr, including FFmpeg's, each as one printable line after "vfilter: ".
/// Warnings are kept whatever the level. Call once, before other threads start.
void set_up_log(LogLevel level);
/// Sets another prefix for the lines, such as a file's name.
void set_log_prefix(const std::string& prefix);
/// From now on, lines that were already printed are not repeated: those of another pass over the same input.
void tell_only_news();
/// Warnings so far, without their prefix. Thread-safe.
Warnings warnings_so_far();

}  // namespace vfilter
