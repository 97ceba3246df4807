#pragma once
// What of an input does not come out, as its output's container has no place for it.

#include <vector>

#include "config/io_options.h"
#include "io/handles.h"
#include "io/input/demuxer.h"

namespace vfilter {

/// Warns about rotations, chapters, names of programs, palettes and the like. `output` has everything that its header
/// is written of; `places` are its streams by input stream, -1 for none, and `first_video` is its first filtered video.
/// What `strip` leaves out is no loss.
void tell_container_losses(const Demuxer& input, const AVFormatContext& output, const std::vector<int>& places,
                           int first_video, Strip strip);

}  // namespace vfilter
