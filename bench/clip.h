#pragma once
// A video to measure with, where there is none.

#include <string>

namespace vfilter::bench {

/// Writes an H.264 video of 4:2:0 pictures, 16:9, 25 per second: a soft landscape that moves, with a camera's noise, so
/// that a decoder works about as hard as on a film. `vfilter` is the program, which encodes it, and a SIGPIPE must be
/// ignored. Throws std::runtime_error.
void make_clip(const std::string& vfilter, const std::string& path, int height, int frames);

}  // namespace vfilter::bench
