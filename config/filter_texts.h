#pragma once
// What the filter table says of each argument, in words. Help texts, man page and docs/filters.md only lay it out.

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "filters/filters.h"

namespace vfilter {

struct ArgumentText {
    std::string_view name;
    std::string help;
    std::string range{};     ///< "1 to 255", "both, x, y"; "" where `help` says it
    std::string unit{};      ///< "pixels, odd"; "" if it is a word
    std::string fallback{};  ///< what it is if not given; "" where it depends or has to be given
    std::vector<std::pair<std::string_view, std::string_view>> words{};  ///< those that need an explanation, with it

    /// "1 to 255 pixels, odd; default 3", or "".
    [[nodiscard]] std::string limits() const;
};

/// The arguments that only this filter takes, the first one being that which needs no name.
std::vector<ArgumentText> own_arguments(const FilterDef& def);
/// Those that all filters take, with this filter's defaults; null leaves out what differs.
std::vector<ArgumentText> shared_arguments(const FilterDef* def);

/// "--gaussian ARGS", or "--sobel [ARGS]" where its name alone is enough.
std::string filter_head(const FilterDef& def);
/// The filter's example as a command line.
std::string example_line(const FilterDef& def);

}  // namespace vfilter
