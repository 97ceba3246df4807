#pragma once
// The filtered videos of a run: decoder, engine and encoder of each.

#include <string>
#include <vector>

#include "config/options.h"
#include "pipeline/session/run_parts.h"

namespace vfilter {

/// Creates the pool and the videos of `parts`, which has a device and a demuxer; no encoders. `container` is null if
/// nothing is written, `stand_in` is SessionHooks'. Decodes the first pictures unless they are available. Throws Error.
void make_videos(const Options& options, const AVOutputFormat* container, int stand_in, RunParts& parts);

/// Creates an encoder for each video. Reports what the input says about its pictures and the output cannot say. Throws
/// Error.
void make_encoders(const Options& options, const AVOutputFormat& container, RunParts& parts);

/// Tells each encoder the clock of its container, whose muxer has begun.
void set_output_clocks(RunParts& parts);

/// What runs the filters: all kernels of the first video, and those of the others that differ.
std::vector<std::string> kernels_of(const std::vector<VideoRun>& videos);

}  // namespace vfilter
