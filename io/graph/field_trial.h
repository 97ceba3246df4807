#pragma once
// Tries out on a few pictures what a graph of libavfilter does to the fields of interlaced pictures.

#include <string>

#include "io/graph/filter_graph.h"

namespace vfilter {

/// Whether a graph mixes the two fields of interlaced pictures like `first`, or swaps them, and hands them on as
/// interlaced: found out by letting it work on a few that differ in one field alone. False where that does not show it.
bool mixes_fields(const std::string& text, const GraphPlace& place, const AVFrame& first);

}  // namespace vfilter
