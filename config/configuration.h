#pragma once
// Options as a TOML file and back.

#include <string>

#include "config/option_table.h"

namespace vfilter {

/// Applies the file's keys (names of the option table) and [[filter]] tables to `command`. Throws Error(usage) with
/// file, line and column: not readable, larger than 1 MiB, nested too deeply (config/toml_nesting.h), not TOML, an
/// unknown key, a wrong value.
void read_configuration(const std::string& path, Command& command);

/// The file that read_configuration turns into the same options.
std::string write_configuration(const Options& options);

}  // namespace vfilter
