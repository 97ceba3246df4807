#include "pipeline/session/idle_filters.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

#include "filters/names.h"

namespace vfilter {

namespace {

// Times of `enable` in which no picture is.
std::vector<std::string> idle_spans(const FilterSpec& filter, const StepCount& count) {
    std::vector<std::string> idle;
    for (std::size_t i = 0; i < count.spans.size(); ++i) {
        if (count.spans[i] == 0) {
            idle.push_back(to_string(std::vector{filter.enable[i]}));
        }
    }
    return idle;
}

std::vector<std::string> idle_regions(const StepCount& count) {
    std::vector<std::string> idle;
    for (const RegionCount& region : count.regions) {
        if (region.pictures == 0) {
            idle.push_back(shortened(region.region));
        }
    }
    return idle;
}

std::string idle_filter(const FilterSpec& filter, const StepCount& count) {
    const std::string_view name = filter.def->name;
    const std::vector<std::string> spans = idle_spans(filter, count);
    if (!spans.empty() && spans.size() == filter.enable.size()) {
        return fmt::format("--{} has changed nothing: no picture is in enable={}", name,
                           shortened(to_string(filter.enable)));
    }
    const std::vector<std::string> regions = idle_regions(count);
    if (count.pictures == 0 && !filter.region.everywhere()) {
        return filter.region.tracks ? fmt::format("--{} has changed nothing: nothing of {} is in any picture{}", name,
                                                  shortened(filter.region.tracks->file),
                                                  filter.enable.empty() ? "" : " in which it is enabled")
                                    : fmt::format("--{} has changed nothing: its region covers no pixel", name);
    }
    std::vector<std::string> told;
    if (!spans.empty()) {
        told.push_back(fmt::format("no picture is in {} of the {} times of enable: {}", spans.size(),
                                   filter.enable.size(), listed(spans)));
    }
    if (filter.region.tracks && !regions.empty()) {
        told.push_back(fmt::format("{} of {} tracks of {} {} in no picture{}: {}", regions.size(), count.regions.size(),
                                   shortened(filter.region.tracks->file), regions.size() == 1 ? "is" : "are",
                                   filter.enable.empty() ? "" : " in which it is enabled", listed(regions)));
    }
    return told.empty() ? "" : fmt::format("--{}: {}", name, fmt::join(told, "; "));
}

}  // namespace

std::vector<std::string> idle_filters(const std::vector<FilterSpec>& filters, const std::vector<StepCount>& counts) {
    std::vector<std::string> idle;
    for (std::size_t i = 0; i < std::min(filters.size(), counts.size()); ++i) {
        if (std::string text = idle_filter(filters[i], counts[i]); !text.empty()) {
            idle.push_back(std::move(text));
        }
    }
    return idle;
}

}  // namespace vfilter
