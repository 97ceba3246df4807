#pragma once
// A look at the text of a configuration before the parser, which goes one call deeper for every level of a value and
// for every part of a key.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace vfilter {

/// Largest depth of brackets and braces in each other.
inline constexpr int max_toml_depth = 64;
/// Largest number of a key's parts that are joined by dots.
inline constexpr int max_key_parts = 64;

/// Where a text is nested too deeply, and how.
struct TomlNesting {
    std::size_t line = 1;
    std::size_t column = 1;  ///< in characters of UTF-8
    std::string what;
};

/// The first place beyond one of the limits; nothing for a text that is safe to parse, right or wrong. Takes time in
/// proportion to the text, and no memory.
std::optional<TomlNesting> find_deep_nesting(std::string_view text);

}  // namespace vfilter
