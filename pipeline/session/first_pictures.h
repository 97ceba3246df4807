#pragma once
// The first picture of each video: it tells what codec parameters leave open (field order, HDR data, the real format).

#include <vector>

#include "io/handles.h"
#include "io/input/demuxer.h"

namespace vfilter {

/// One for each of demuxer.videos(), without samples. Packets are read and decoded until all are there, and put back.
/// Throws Error(input) where one of them has none among the packets that may be read for it.
std::vector<FramePtr> probe_first_pictures(Demuxer& demuxer);

}  // namespace vfilter
