#pragma once
// Video4Linux cameras: what they support, and which mode to use.

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "io/handles.h"

namespace vfilter {

/// A mode that a camera supports. Plain values.
struct CameraMode {
    std::string format;  ///< FFmpeg's name for the pixel format, or for the codec: "yuyv422", "mjpeg"
    int width = 0;
    int height = 0;
    AVRational rate{0, 1};  ///< pictures per second, 0 if the camera does not say
    bool operator==(const CameraMode& other) const {
        return format == other.format && width == other.width && height == other.height &&
               av_cmp_q(rate, other.rate) == 0;
    }
};

/// What the user requests.
struct CameraWish {
    int width = 0;  ///< 0 with height 0: any
    int height = 0;
    std::optional<double> fps{};
};

/// The mode to use; empty if none has the requested size, or if there are no modes. Pure. Size: the requested one,
/// otherwise the largest up to 1280x720 that reaches the rate (`fps`, or 30), otherwise the fastest of those that fit
/// into 1280x720, otherwise the smallest of all. Rate: the lowest that reaches the requested one, otherwise the
/// highest. Format: uncompressed if that reaches the rate as well as any, otherwise MJPEG, otherwise H.264.
std::optional<CameraMode> choose_mode(std::span<const CameraMode> modes, const CameraWish& wish);

/// ioctl on a camera: request and argument; 0, or -1.
using CameraCall = std::function<int(unsigned long request, void* argument)>;

/// All modes with formats that FFmpeg knows. If a camera reports ranges of sizes, common ones and that of `wish` are
/// listed; if it reports a range of rates, its limits and that of `wish`. Does not throw: what a camera does not report
/// is left out.
std::vector<CameraMode> read_modes(const CameraCall& call, const CameraWish& wish);

/// The modes of a device file. Throws Error(input) if it cannot be opened or is not a camera.
std::vector<CameraMode> read_modes(const std::string& path, const CameraWish& wish);

/// The device file of the first camera that provides pictures. Throws Error(input) if there is none.
std::string first_camera();

/// The output of --list cameras: each camera with its formats, sizes and rates, or a line that says that there is none.
std::string camera_list();

}  // namespace vfilter
