#pragma once
// The filters of a preview, whose strength and region the user can change.

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "filters/filters.h"

namespace vfilter {

/// Not thread-safe.
class TunedFilters {
public:
    /// Puts a chain into effect. Throws Error if it cannot be created.
    using Change = std::function<void(const std::vector<FilterSpec>&)>;

    explicit TunedFilters(std::vector<FilterSpec> chain) : chain_(std::move(chain)) {}

    [[nodiscard]] const std::vector<FilterSpec>& chain() const { return chain_; }
    /// Chooses the filter to change, from 0; initially the first. Does nothing if there is no such filter.
    void choose(std::size_t number);
    /// Changes the strength of the chosen filter by a step, unless `change` throws Error. Returns a message that says
    /// why it stays as it is, or "".
    std::string change_strength(StrengthStep step, const Change& change);
    /// Gives the chosen filter another region, in the same way.
    std::string change_region(const Region& region, const Change& change);
    [[nodiscard]] std::size_t chosen() const { return chosen_; }
    /// "filter 2 of 3: gaussian size=9"; "" without filters.
    [[nodiscard]] std::string text() const;

private:
    std::string put_into_effect(FilterSpec made, const Change& change, std::string refusal);

    std::vector<FilterSpec> chain_;
    std::size_t chosen_ = 0;
};

}  // namespace vfilter
