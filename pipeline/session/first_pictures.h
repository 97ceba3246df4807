#pragma once
// The first pictures of each video: they tell what codec parameters leave open (field order, HDR data, the real format,
// the noise).

#include <cstddef>
#include <vector>

#include "io/handles.h"
#include "io/input/demuxer.h"

namespace vfilter {

/// What one video begins with.
struct FirstPictures {
    FramePtr first;  ///< what its first picture tells, without samples
    std::vector<FramePtr>
        whole;  ///< as many as were wanted, from --start on, or fewer, if there are fewer or they begin late
};

/// Of each of demuxer.videos(), in their order, with `wanted` whole pictures. Packets are read and decoded until all
/// are there, and put back. Throws Error(input) where a video has no picture among the packets that may be read for it.
std::vector<FirstPictures> probe_first_pictures(Demuxer& demuxer, std::size_t wanted);

}  // namespace vfilter
