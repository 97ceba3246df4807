#pragma once
// The command line: words -> Command.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/option_table.h"

namespace vfilter {

/// Reads the arguments after the program's name. Throws Error(usage) with a sentence for the user. Opens nothing but
/// the file named by --config.
Command parse_command_line(std::span<const char* const> arguments);

/// Filters of one run.
inline constexpr std::size_t max_filters = 1000;

/// All that there are.
std::vector<std::string_view> filter_names();

/// Adds the filters of "gaussian=5,box=3" in order. Throws Error(usage).
void add_filter_chain(Options& options, const std::string& chain);
/// Adds a graph of libavfilter's after the filters and graphs so far. Throws Error(usage) if it is empty or too long,
/// or one too many; what is in it is not looked at.
void add_foreign_step(Options& options, const std::string& graph);
/// Adds one filter by name. Throws Error(usage).
void add_filter(Options& options, const std::string& name, const std::string& arguments);

}  // namespace vfilter
