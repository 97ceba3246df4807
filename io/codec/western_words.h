#pragma once
// Words in the letters of old files.

#include <string>
#include <string_view>

namespace vfilter {

/// Whether they are UTF-8 (RFC 3629): no overlong forms, no surrogates.
bool is_utf8(std::string_view text);

/// Of Windows-1252, which holds Latin-1, in UTF-8. Each byte is a letter there; those that stand for none become
/// U+FFFD.
std::string utf8_of_western(std::string_view text);

}  // namespace vfilter
