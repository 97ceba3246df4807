#pragma once
// Help texts within the width of a terminal.

#include <cstddef>
#include <string>
#include <string_view>

namespace vfilter {

/// Columns that no line of a help text exceeds, unless a single word does.
inline constexpr std::size_t help_width = 80;

/// The text in lines, each after `indent` blanks and with its line end. A line of the text that begins with a blank
/// stays as it is; an empty one parts paragraphs.
std::string wrapped(std::string_view text, std::size_t indent = 0);

/// "  HEAD    help": the help in a column of its own, which begins in the next line where the head is too long.
std::string help_row(std::string_view head, std::string_view help, std::size_t column = 28);

}  // namespace vfilter
