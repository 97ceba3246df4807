#pragma once
// The first pictures of each video, which provide what codec parameters leave open (field order, HDR data, the real
// format, the noise).

#include <cstddef>
#include <vector>

#include "io/handles.h"
#include "io/input/demuxer.h"

namespace vfilter {

/// The beginning of one video.
struct FirstPictures {
    FramePtr first;  ///< the properties of its first picture, without samples
    std::vector<FramePtr>
        whole;  ///< as many as requested, from --start on; fewer if the video has fewer or they begin late
};

/// For each of demuxer.videos(), in their order, with `wanted` complete pictures. Packets are read and decoded until
/// all are available, and put back. Throws Error(input) if a video has no picture in the packets that may be read for
/// it.
std::vector<FirstPictures> probe_first_pictures(Demuxer& demuxer, std::size_t wanted);

}  // namespace vfilter
