#pragma once
// Names of files as ffmpeg's protocols write them: "pipe:1", "file:in.mp4".

#include <string>

namespace vfilter {

/// "-" of "pipe:" and "pipe:0", NAME of "file:NAME"; any other name stays. Throws Error(usage) for another pipe, and
/// for "file:" without a name.
std::string input_name(const std::string& name);
/// The same of an output, whose pipe is "pipe:1".
std::string output_name(const std::string& name);

}  // namespace vfilter
