#pragma once
// How often an animation is played.

#include "io/handles.h"
#include "io/input/demuxer.h"

namespace vfilter {

/// Settings with which a muxer of animations stores the same number as the input. For inputs that were not animations,
/// the muxers of GIF and APNG have their own defaults, and a WebP is played for ever, as a GIF is.
void set_plays(const Demuxer& input, const AVOutputFormat& container, Dictionary& settings);

}  // namespace vfilter
