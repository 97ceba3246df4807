#pragma once
// Tests on a few pictures what a libavfilter graph does to the fields of interlaced pictures.

#include <string>

#include "io/graph/filter_graph.h"

namespace vfilter {

/// Whether a graph mixes the two fields of interlaced pictures like `first`, or swaps them, and passes them on as
/// interlaced. Determined by running it on a few pictures that differ in only one field. False if that does not show
/// it.
bool mixes_fields(const std::string& text, const GraphPlace& place, const AVFrame& first);

}  // namespace vfilter
