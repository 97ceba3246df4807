#pragma once
// The chain of a run, in its order: filters of ours, and between them graphs of libavfilter's.

#include <cstddef>
#include <string>
#include <vector>

#include "filters/filters.h"

namespace vfilter {

/// A graph of libavfilter's in the chain: --vf.
struct ForeignStep {
    std::size_t place = 0;  ///< how many of the filters run before it
    std::string graph;

    bool operator==(const ForeignStep&) const = default;
};

/// Steps of --vf in one run, and bytes of one of them. Each has a thread of its own.
inline constexpr std::size_t max_foreign_steps = 32;
inline constexpr std::size_t max_graph_length = 65536;

/// Filters that run one after another, and the graph before them.
struct ChainSegment {
    std::string graph;  ///< "" of the first segment, and of no other
    std::vector<FilterSpec> filters;
};

/// The chain cut before each graph; at least one segment. `foreign` is in the order of the places.
std::vector<ChainSegment> segments_of(const std::vector<FilterSpec>& filters, const std::vector<ForeignStep>& foreign);

/// Calls on_graph(graph) and on_filter(filter) for each step of the chain, in its order.
template <class OnGraph, class OnFilter>
void for_each_step(const std::vector<FilterSpec>& filters, const std::vector<ForeignStep>& foreign, OnGraph on_graph,
                   OnFilter on_filter) {
    for (const ChainSegment& segment : segments_of(filters, foreign)) {
        if (!segment.graph.empty()) {
            on_graph(segment.graph);
        }
        for (const FilterSpec& filter : segment.filters) {
            on_filter(filter);
        }
    }
}

}  // namespace vfilter
