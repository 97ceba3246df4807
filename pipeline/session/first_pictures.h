#pragma once
// The first pictures of each video: they tell what codec parameters leave open (field order, HDR data, the real format,
// the noise).

#include <cstddef>
#include <functional>
#include <vector>

#include "io/handles.h"
#include "io/input/demuxer.h"

namespace vfilter {

/// Who wants to see more than what the first picture tells.
struct FirstLook {
    std::size_t pictures = 0;  ///< of each video, from --start on
    /// Called for each of them, with the place of its video among demuxer.videos().
    std::function<void(std::size_t video, const AVFrame& picture)> look{};
};

/// What the first picture of each of demuxer.videos() tells, without samples. Packets are read and decoded until all
/// are there, and put back. Throws Error(input) where one of them has none among the packets that may be read for it.
/// `look` may see fewer pictures than it wants, if there are fewer, or if they begin late.
std::vector<FramePtr> probe_first_pictures(Demuxer& demuxer, const FirstLook& look = {});

}  // namespace vfilter
