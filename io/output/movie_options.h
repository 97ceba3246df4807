#pragma once
// Settings of the muxer of mp4, mov and their family.

#include "io/handles.h"
#include "io/input/demuxer.h"

namespace vfilter {

/// `output` has its streams and tags. `fragments`: its index cannot be written at the end. Tells of tags that have no
/// room, and of fragments where nobody asked for them.
void set_movie_options(const Demuxer& input, const AVFormatContext& output, bool fragments, Dictionary& settings);

}  // namespace vfilter
