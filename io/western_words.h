#pragma once
// Words in the letters of old files.

#include <string>
#include <string_view>

namespace vfilter {

/// Without what stands behind a 0, with which some writers fill up.
std::string_view without_filling(std::string_view text);

/// Whether they are UTF-8 (RFC 3629): no overlong forms, no surrogates.
bool is_utf8(std::string_view text);

/// Of Windows-1252, which holds Latin-1, in UTF-8. Each byte is a letter there; those that stand for none become
/// U+FFFD.
std::string utf8_of_western(std::string_view text);

}  // namespace vfilter
