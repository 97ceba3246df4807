#pragma once
// The value of --audio: "aac:192", "copy,1=aac:128:channels=stereo,jpn=none".

#include <string>

#include "config/io_options.h"

namespace vfilter {

/// What is not said of some streams is of all, and ends what was said of some before. Throws Error(usage).
void parse_sound(OutputOptions& output, const std::string& text);
/// "" for what happens without it; else what parse_sound() takes.
std::string show_sound(const OutputOptions& output);

}  // namespace vfilter
