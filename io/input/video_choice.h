#pragma once
// Which videos of an input are filtered.

#include <string>
#include <vector>

#include "config/io_options.h"
#include "io/handles.h"

namespace vfilter {

/// The numbers of the streams: the best real video, or those that --video-stream names; never a cover, which is a video
/// of one picture. Tells of videos that are not filtered. Throws Error(input) where there is none, Error(usage) for a
/// number that there is not.
std::vector<int> choose_videos(AVFormatContext& format, const InputOptions& options);

}  // namespace vfilter
