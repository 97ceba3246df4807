#pragma once
// Texts made from the option table and the filter table.

#include <string>

namespace vfilter {

/// For --help: everything, or one filter ("gaussian"). Throws Error(usage) for any other topic.
std::string help_text(const std::string& topic);
/// For --list filters.
std::string filter_list();
std::string man_page();
std::string bash_completion();

}  // namespace vfilter
