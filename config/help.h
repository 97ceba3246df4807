#pragma once
// Texts made from the option table and the filter table.

#include <string>

namespace vfilter {

/// For --help: the first screen, a topic of help_topics.h, a filter, or an option ("crf"). Throws
/// Error(usage) for any other text.
std::string help_text(const std::string& topic);
/// For --list filters.
std::string filter_list();
std::string man_page();

}  // namespace vfilter
