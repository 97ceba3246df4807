#pragma once
// Describes an output stream on the model of an input stream.

#include "io/handles.h"

namespace vfilter {

/// Adds a stream with the other one's parameters, number, clock, rates, shape, disposition and tags, without its side
/// data.
AVStream& add_copied_stream(const AVStream& from, AVFormatContext& to);

}  // namespace vfilter
