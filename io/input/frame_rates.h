#pragma once
// How many pictures a stream has in a second.

#include "io/handles.h"

namespace vfilter {

/// Of those that stand for all, as FFmpeg guesses: of variable rates the finest. 25 where nothing is told.
AVRational usual_frame_rate(AVFormatContext& format, AVStream& stream);

/// On the average: the usual one, but where the container's count of pictures and times says another, as of variable
/// rates.
double average_frame_rate(const AVStream& stream, AVRational usual);

/// Key frames of a stream that the container's index tells, 0 if it does not go over the whole of it: Matroska's is
/// read with the first seek, and that of a transport stream has those that were come across.
std::int64_t indexed_key_frames(const AVFormatContext& format, int stream);

}  // namespace vfilter
