#pragma once
// docs/filters.md: every filter with its formula, its arguments and a picture.

#include <span>
#include <string>
#include <string_view>

namespace vfilter {

/// A picture of the page: a sample, and to its right the filtered sample.
struct FilterPicture {
    std::string_view name;       ///< docs/filters/NAME.jpg
    std::string_view filter;     ///< of the filter table
    std::string_view arguments;  ///< strong enough to be seen in a small picture
    std::string_view caption;    ///< what it shows; "" for the picture of a filter's own section
    int noise = 0;               ///< strength of the noise that the sample gets first, as FFmpeg's filter takes it
    int pictures = 1;            ///< of the sample, each with noise of its own; the one in the middle is shown
    int levels = 0;              ///< of luma that the sample is left with first; 0 for all
};

/// One for each row of the filter table, and those of regions and masks.
std::span<const FilterPicture> filter_pictures();

/// A line for each picture: name, filter, noise, number of pictures, levels and arguments, separated by tabs.
std::string filter_picture_list();

/// The page in Markdown.
std::string filter_page();

}  // namespace vfilter
