#pragma once
// Graphs that move moments: speed, reverse, a part cut out of the middle.

#include "config/options.h"
#include "pipeline/session/run_parts.h"

namespace vfilter {

/// Warns of what the output has besides, and what no graph moves with the pictures or the sound. After the muxer has
/// begun.
void tell_kept_times(const RunParts& parts, const Options& options, const AVOutputFormat& container);

}  // namespace vfilter
