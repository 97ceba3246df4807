#pragma once
// The table of filters as the C interface shows it.

#include <cstddef>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "vfilter/vfilter.h"

namespace vfilter {

/// Immutable once it is made.
class Catalogue {
public:
    /// The one of filter_table().
    static const Catalogue& get();

    /// Null where there is none.
    [[nodiscard]] const vfilter_filter* at(std::size_t index) const;
    [[nodiscard]] const vfilter_filter* named(std::string_view name) const;
    [[nodiscard]] const vfilter_parameter* parameter(const vfilter_filter* filter, std::size_t index) const;
    [[nodiscard]] std::size_t size() const { return filters_.size(); }

private:
    Catalogue();
    const char* text(std::string_view text);
    void set_words(vfilter_parameter& parameter, const std::vector<std::string_view>& words);

    std::deque<std::string> texts_;
    std::deque<std::vector<const char*>> words_;
    std::vector<std::vector<vfilter_parameter>> parameters_;  ///< as filters_
    std::vector<vfilter_filter> filters_;
};

}  // namespace vfilter
