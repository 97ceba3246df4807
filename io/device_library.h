#pragma once
// FFmpeg's library of devices: cameras, screens, synthetic sources.

#include <string>

namespace vfilter {

/// Makes them known to libavformat. The library is opened here and not linked: it brings X11, SDL and sound along,
/// which a server need not have and every start would pay for. Once it is there, further calls do nothing; any thread.
/// Throws Error(input), with `wanted` for what it was needed, if it is not installed.
void load_device_library(const std::string& wanted);

}  // namespace vfilter
