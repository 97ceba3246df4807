#include "pipeline/session/idle_filters.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <cstddef>
#include <iterator>

#include "filters/borders.h"
#include "filters/names.h"
#include "io/formats/format_facts.h"
#include "io/formats/formats.h"

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

// Of gray no more than it is can be asked for.
bool names_idle_chroma(const FilterSpec& filter, bool rgb) {
    return rgb && (filter.chroma == Chroma::neutral || filter.chroma == Chroma::off);
}

}  // namespace

std::string idle_chroma(const FilterSpec& filter, const PictureFormat& format) {
    if (is_yuv(format.format)) {
        return "";
    }
    std::vector<std::string> idle;
    for (std::size_t i = 0; i < filter.values.size(); ++i) {
        const std::string_view name = filter.def->parameters[i].name;
        if (filter.given(i) && name.starts_with("chroma_")) {
            idle.emplace_back(name);
        }
    }
    if (names_idle_chroma(filter, is_rgb(format.format))) {
        const auto* const row = std::ranges::find(chroma_names, *filter.chroma, &ChromaName::chroma);
        idle.push_back(fmt::format("chroma={}", row->name));
    }
    return idle.empty() ? ""
                        : fmt::format("--{}: {} changes nothing: the pictures, {}, have no chroma", filter.def->name,
                                      fmt::join(idle, " and "), name_of(format.format));
}

std::string idle_border(const FilterSpec& filter) {
    const auto* const row = std::ranges::find(border_names, filter.border, &BorderName::border);
    return filter.def->has_border || filter.border == FilterSpec{}.border || row == std::end(border_names)
               ? ""
               : fmt::format("--{}: border={} changes nothing: no sample outside of the picture is looked at",
                             filter.def->name, row->name);
}

void tell_idle_arguments(const std::vector<FilterSpec>& filters, const PictureFormat& format) {
    for (const FilterSpec& filter : filters) {
        for (const std::string& text : {idle_chroma(filter, format), idle_border(filter)}) {
            if (!text.empty()) {
                spdlog::warn("{}", text);
            }
        }
    }
}

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
