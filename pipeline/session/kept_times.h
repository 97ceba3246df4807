#pragma once
// Graphs that change when things happen: speed, reverse, a part cut out of the middle.

#include "config/options.h"
#include "pipeline/session/run_parts.h"

namespace vfilter {

/// Warns about other streams of the output that no graph moves along with the pictures or the sound. After the muxer
/// has begun.
/// begun.
void tell_kept_times(const RunParts& parts, const Options& options, const AVOutputFormat& container);

}  // namespace vfilter
