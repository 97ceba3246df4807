#pragma once
// What is lost between input and output because FFmpeg has no place for it.

#include <string>
#include <vector>

#include "config/io_options.h"
#include "io/input/demuxer.h"
#include "io/output/stream_map.h"

namespace vfilter {

/// Warns about what the input says about the streams and chapters of the output, and FFmpeg does not read, one line for
/// each kind. Returns a phrase for each thing: "2 nested chapters", "language pt-BR of stream 1".
std::vector<std::string> tell_unread(const Demuxer& input, const StreamMap& streams, const AVOutputFormat& container,
                                     Strip strip);

}  // namespace vfilter
