#pragma once
// How often an animation is played.

#include "io/handles.h"
#include "io/input/demuxer.h"

namespace vfilter {

/// Settings by which a muxer of animations says it as the input does. Of what was none the muxers of GIF and APNG have
/// a rule of their own, and a WebP is played for ever, as a GIF is.
void set_plays(const Demuxer& input, const AVOutputFormat& container, Dictionary& settings);

}  // namespace vfilter
