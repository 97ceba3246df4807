#pragma once
// FFmpeg's device library: cameras, screens, sound, synthetic sources.

#include <string>
#include <vector>

namespace vfilter {

/// Registers its devices with libavformat. The library is loaded here and not linked: it brings in X11, SDL and sound,
/// which a server may not have and which would slow down every start. Once it is loaded, further calls do nothing; any
/// thread. Throws Error(input), with `wanted` as the purpose, if it is not installed.
void load_device_library(const std::string& wanted);

/// What a device format can open, and its name for display.
struct FoundDevice {
    std::string name;
    std::string description;
};

/// The devices of one of its input formats; none if the format does not know them, or is not available.
std::vector<FoundDevice> find_devices(const std::string& format);

}  // namespace vfilter
