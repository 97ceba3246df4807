#pragma once
// Names that people type: the nearest match, and lists.

#include <span>
#include <string>
#include <string_view>

namespace vfilter {

/// The name nearest to `typed` by Damerau-Levenshtein distance, or "" if none is near enough to be a typing error.
std::string_view nearest_name(std::string_view typed, std::span<const std::string_view> names);
/// "; did you mean 'NAME'?", or "" if no name is near.
std::string suggestion(std::string_view typed, std::span<const std::string_view> names);
/// "a, b and 12 more": the first eight of them, for one line.
std::string listed(std::span<const std::string> names);
/// Typed text for a message, cut after 80 bytes.
std::string shortened(std::string_view typed);
std::string join(std::span<const std::string_view> names, std::string_view separator);

}  // namespace vfilter
