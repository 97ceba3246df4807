#pragma once
// How many pictures a stream has in a second.

#include "io/handles.h"

namespace vfilter {

/// Of those that stand for all, as FFmpeg guesses: of variable rates the finest. 25 where nothing is told.
AVRational usual_frame_rate(AVFormatContext& format, AVStream& stream);

/// On the average: the usual one, but where the container's count of pictures and times says another, as of variable
/// rates.
double average_frame_rate(const AVStream& stream, AVRational usual);

}  // namespace vfilter
