#pragma once
// A check of a configuration's text before it is parsed: the parser recurses for every level of a value and every part
// of a key.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace vfilter {

/// Depth of nested brackets and braces.
inline constexpr int max_toml_depth = 64;
/// Parts of a dotted key.
inline constexpr int max_key_parts = 64;

/// Where a text is nested too deeply, and what is too deep there.
struct TomlNesting {
    std::size_t line = 1;
    std::size_t column = 1;  ///< in characters of UTF-8
    std::string what;
};

/// The first place beyond one of the limits; nothing for a text that is safe to parse, valid or not. Linear time, no
/// memory.
std::optional<TomlNesting> find_deep_nesting(std::string_view text);

}  // namespace vfilter
