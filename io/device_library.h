#pragma once
// FFmpeg's library of devices: cameras, screens, sound, synthetic sources.

#include <string>
#include <vector>

namespace vfilter {

/// Makes them known to libavformat. The library is opened here and not linked: it brings X11, SDL and sound along,
/// which a server need not have and every start would pay for. Once it is there, further calls do nothing; any thread.
/// Throws Error(input), with `wanted` for what it was needed, if it is not installed.
void load_device_library(const std::string& wanted);

/// What a format of devices can open, and what it is for people.
struct FoundDevice {
    std::string name;
    std::string description;
};

/// The devices of one of its input formats; none where it does not know, or is not there.
std::vector<FoundDevice> find_devices(const std::string& format);

}  // namespace vfilter
