#pragma once
// docs/filters.md: every filter with its formula, its arguments and a picture.

#include <span>
#include <string>
#include <string_view>

namespace vfilter {

/// A picture of the page: a sample, and beside it what a filter makes of it.
struct FilterPicture {
    std::string_view name;       ///< docs/filters/NAME.jpg
    std::string_view filter;     ///< of the filter table
    std::string_view arguments;  ///< with which the effect is seen at the size of a picture in a page
    std::string_view caption;    ///< why it is shown; "" for the one of each filter
};

/// One for each filter that the table has a row for, and those of parts of a picture.
std::span<const FilterPicture> filter_pictures();

/// A line for each picture: name, filter and arguments, separated by tabs.
std::string filter_picture_list();

/// The page in Markdown.
std::string filter_page();

}  // namespace vfilter
