#pragma once
// What is told of the pictures that a graph of libavfilter's makes.

#include <string>

#include "io/handles.h"

namespace vfilter {

/// Tells where a graph names a range at its end and its pictures, YUV, have another: those that were RGB there have
/// none, and are converted behind it.
void tell_lost_range(const std::string& graph, const AVFrame& made);

}  // namespace vfilter
