#pragma once
// Names and values of tags, which containers write in different ways.

#include <string>
#include <string_view>

namespace vfilter {

/// Ignoring case.
bool same_name(std::string_view a, std::string_view b);
/// Without the language that demuxers append: DURATION-eng.
std::string_view without_language(std::string_view key);
bool is_creation_time(std::string_view key);
/// Containers store the creation time in seconds, and places with four decimals (ISO 6709).
bool same_value(const std::string& key, const std::string& wanted, const std::string& found);

}  // namespace vfilter
