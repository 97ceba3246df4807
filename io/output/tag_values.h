#pragma once
// Names and values of tags, which containers write in more than one way.

#include <string>
#include <string_view>

namespace vfilter {

/// In whatever letters.
bool same_name(std::string_view a, std::string_view b);
/// Without the language that demuxers put behind it: DURATION-eng.
std::string_view without_language(std::string_view key);
bool is_creation_time(std::string_view key);
/// Containers keep the time of creation in seconds, and places in four digits behind the point (ISO 6709).
bool same_value(const std::string& key, const std::string& wanted, const std::string& found);

}  // namespace vfilter
