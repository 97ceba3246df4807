#include "pipeline/live/tuned_filters.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <optional>
#include <utility>

#include "config/error.h"

namespace vfilter {

namespace {

std::string described(const FilterSpec& filter) {
    const std::string arguments = to_string(filter);
    return std::string(filter.def->name) + (arguments.empty() ? "" : " ") + arguments;
}

}  // namespace

void TunedFilters::choose(std::size_t number) {
    if (number < chain_.size()) {
        chosen_ = number;
    }
}

std::string TunedFilters::change_strength(StrengthStep step, const Change& change) {
    if (chain_.empty()) {
        return "there is no filter";
    }
    const FilterSpec& chosen = chain_[chosen_];
    std::string refusal =
        fmt::format("{} cannot be {}", chosen.def->name, step == StrengthStep::stronger ? "stronger" : "weaker");
    const std::optional<FilterSpec> made = stepped(chosen, step);
    if (!made) {
        return refusal;
    }
    return put_into_effect(*made, change, std::move(refusal));
}

std::string TunedFilters::change_region(const Region& region, const Change& change) {
    if (chain_.empty()) {
        return "there is no filter";
    }
    FilterSpec made = chain_[chosen_];
    made.region = region;
    std::string refusal = fmt::format("{} cannot have that region", made.def->name);
    return put_into_effect(std::move(made), change, std::move(refusal));
}

// `refusal` is returned where Error is thrown.
std::string TunedFilters::put_into_effect(FilterSpec made, const Change& change, std::string refusal) {
    std::vector<FilterSpec> changed = chain_;
    changed[chosen_] = std::move(made);
    try {
        change(changed);
    } catch (const Error& error) {
        spdlog::warn("{} stays as it is: {}", described(chain_[chosen_]), error.what());
        return refusal;
    }
    chain_ = std::move(changed);
    return "";
}

std::string TunedFilters::text() const {
    if (chain_.empty()) {
        return "";
    }
    return (chain_.size() > 1 ? fmt::format("filter {} of {}: ", chosen_ + 1, chain_.size()) : "filter: ") +
           described(chain_[chosen_]);
}

}  // namespace vfilter
