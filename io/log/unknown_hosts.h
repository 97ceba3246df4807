#pragma once
// Names of hosts that nobody knows. FFmpeg says so in its log alone, and returns an error of input and output.

#include <string>
#include <vector>

namespace vfilter {

/// The message about the first name that could not be resolved among FFmpeg's log lines (ThreadComplaints::all());
/// "" if there is none. Pure.
std::string unknown_host(const std::vector<std::string>& lines);

}  // namespace vfilter
