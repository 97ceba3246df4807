#pragma once
// Questions about libavfilter's filters, by their names.

#include <algorithm>
#include <span>
#include <string_view>

#include "config/lavfi/filters_of_pictures.h"
#include "config/lavfi/filters_of_sound.h"
#include "config/lavfi/graph_reader.h"

namespace vfilter::lavfi {

static_assert(std::ranges::is_sorted(filters_of_pictures, {}, &Filter::name));
static_assert(std::ranges::is_sorted(filters_of_sound, {}, &Filter::name));

/// What is known of it; null if nothing.
inline const Filter* row_of(std::string_view name) {
    for (const std::span<const Filter> table : {std::span<const Filter>(filters_of_pictures), {filters_of_sound}}) {
        const auto row = std::ranges::lower_bound(table, name, {}, &Filter::name);
        if (row != table.end() && row->name == name) {
            return &*row;
        }
    }
    return nullptr;
}

/// Whether one of the facts is true of it.
inline bool has(std::string_view filter, Facts facts) {
    const Filter* const row = row_of(filter);
    return row != nullptr && (row->facts & facts) != 0;
}

/// And whether it is true of one of a graph's filters.
inline bool some_have(std::string_view graph, Facts facts) {
    return std::ranges::any_of(names_in(graph), [facts](std::string_view name) { return has(name, facts); });
}

/// Whether its pictures lie in the memory of a device. Later versions of libavfilter mark such filters; all but a few
/// are named alike.
inline bool is_of_device(std::string_view filter) {
    constexpr std::string_view endings[] = {"_cuda",   "_npp", "_vaapi", "_qsv",  "_opencl",
                                            "_vulkan", "_vt",  "_amf",   "_d3d11"};
    return has(filter, device) ||
           std::ranges::any_of(endings, [filter](std::string_view ending) { return filter.ends_with(ending); });
}

}  // namespace vfilter::lavfi
