#pragma once
// Text in the character sets of old files.

#include <string>
#include <string_view>

namespace vfilter {

/// Without what follows a 0, with which some writers pad.
std::string_view without_filling(std::string_view text);

/// Whether it is UTF-8 (RFC 3629): no overlong forms, no surrogates.
bool is_utf8(std::string_view text);

/// Converts Windows-1252, which includes Latin-1, to UTF-8. Each byte is a character there; those without a meaning
/// become U+FFFD.
std::string utf8_of_western(std::string_view text);

}  // namespace vfilter
