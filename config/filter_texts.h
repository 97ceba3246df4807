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
    std::string range{};     ///< "1 to 255", "both, x, y"; "" if `help` says it
    std::string unit{};      ///< "pixels, odd"; "" if it is a word
    std::string fallback{};  ///< the default; "" if it depends on others or has to be given
    std::vector<std::pair<std::string_view, std::string_view>> words{};  ///< choices, each with its explanation

    /// "1 to 255 pixels, odd; default 3", or "".
    [[nodiscard]] std::string limits() const;
};

/// The arguments that only this filter takes; the first one may be given without its name.
std::vector<ArgumentText> own_arguments(const FilterDef& def);
/// Those that all filters take, with this filter's defaults; null leaves out what differs between filters.
std::vector<ArgumentText> shared_arguments(const FilterDef* def);

/// "--gaussian ARGS", or "--sobel [ARGS]" where its name alone is enough.
std::string filter_head(const FilterDef& def);
/// The filter's example as a command line.
std::string example_line(const FilterDef& def);

}  // namespace vfilter
