#pragma once
// Texts made from the option table and the filter table.

#include <string>
#include <string_view>

namespace vfilter {

/// For --help: the first screen, a topic of help_topics.h, a filter, an option ("crf", "--crf"), or a word of
/// everyday's or of ffmpeg's. Throws Error(usage) for any other text.
std::string help_text(const std::string& typed);
/// Whether there is help on a word, with dashes or without.
bool has_help(std::string_view typed);
/// For --list filters.
std::string filter_list();
std::string man_page();

}  // namespace vfilter
