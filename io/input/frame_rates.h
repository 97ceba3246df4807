#pragma once
// How many pictures per second a stream has.

#include "io/handles.h"

namespace vfilter {

/// The rate that represents all, as guessed by FFmpeg: the finest of variable rates. 25 if the stream does not say.
AVRational usual_frame_rate(AVFormatContext& format, AVStream& stream);

/// The average: the usual rate, unless the container's number of pictures and times give another, as with variable
/// rates.
double average_frame_rate(const AVStream& stream, AVRational usual);

/// Number of key frames of a stream in the container's index, 0 if that does not cover all of it: Matroska's is read at
/// the first seek, and that of a transport stream has only those that were encountered.
std::int64_t indexed_key_frames(const AVFormatContext& format, int stream);

}  // namespace vfilter
