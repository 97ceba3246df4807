#pragma once
// The filtered videos of a run: decoder, engine and encoder of each.

#include <string>
#include <vector>

#include "config/options.h"
#include "pipeline/session/run_parts.h"

namespace vfilter {

/// Makes the pool and the videos of `parts`, which has a device and a demuxer; no encoders. `container` is null where
/// nothing is written, `stand_in` SessionHooks'. Decodes the first pictures unless they are there. Throws Error.
void make_videos(const Options& options, const AVOutputFormat* container, int stand_in, RunParts& parts);

/// Makes an encoder for each video. Tells where what the input says of its pictures cannot be said by the output.
/// Throws Error.
void make_encoders(const Options& options, const AVOutputFormat& container, RunParts& parts);

/// Tells each encoder the clock of its container, whose muxer has begun.
void set_output_clocks(RunParts& parts);

/// What runs the filters: all kernels of the first video, and of the others what it has not.
std::vector<std::string> kernels_of(const std::vector<VideoRun>& videos);

}  // namespace vfilter
