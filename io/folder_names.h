#pragma once
// Lists the names in a folder without throwing if it cannot be read.

#include <functional>
#include <string>
#include <system_error>

namespace vfilter {

/// Calls `look` with the name of each entry of a folder. Returns what prevented it from being read to its end, if
/// anything did: iterators of std::filesystem in a range-based loop can throw in the middle, whatever arguments they
/// were created with.
std::error_code for_each_name(const std::string& folder, const std::function<void(const std::string&)>& look);

}  // namespace vfilter
