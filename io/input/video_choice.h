#pragma once
// Which videos of an input are filtered.

#include <string>
#include <vector>

#include "config/io_options.h"
#include "io/handles.h"

namespace vfilter {

/// The numbers of the streams: the best real video, or those named by --video-stream; never a cover, which is a video
/// of one picture. Reports videos that are not filtered. Throws Error(input) if there is none, Error(usage) for a
/// number that does not exist.
std::vector<int> choose_videos(AVFormatContext& format, const InputOptions& options);

}  // namespace vfilter
