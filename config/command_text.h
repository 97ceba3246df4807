#pragma once
// Options as a command line that a person can use again.

#include <string>

#include "config/options.h"
#include "config/shell_word.h"  // IWYU pragma: export

namespace vfilter {

/// "vfilter in.mp4 out.mkv --crf 20 --gaussian size=9": one line for sh, which parse_command_line reads back to the
/// same options (presets and configuration files are expanded).
std::string command_line_of(const Options& options);

}  // namespace vfilter
