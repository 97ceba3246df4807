#pragma once
// The report for a command line that could not be understood.

#include <functional>
#include <span>

#include "config/error.h"

namespace vfilter {

/// Writes the report that the arguments name, if any; no other file that they name is overwritten. `given_up` is that
/// of write_text_file(). Throws Error(output).
void report_usage_error(std::span<const char* const> arguments, const Error& error, std::function<bool()> given_up);

}  // namespace vfilter
