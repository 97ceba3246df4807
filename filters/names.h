#pragma once
// Names that people type: nearest match and lists.

#include <span>
#include <string>
#include <string_view>

namespace vfilter {

/// The name at the least Damerau-Levenshtein distance from `typed` if that is near enough to be a slip, or "".
std::string_view nearest_name(std::string_view typed, std::span<const std::string_view> names);
/// "; did you mean 'NAME'?", or "" if no name is near.
std::string suggestion(std::string_view typed, std::span<const std::string_view> names);
/// What somebody typed, for a message: its beginning, if it is longer than a line.
std::string shortened(std::string_view typed);
std::string join(std::span<const std::string_view> names, std::string_view separator);

}  // namespace vfilter
