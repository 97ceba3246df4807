#pragma once
// Cameras of Video4Linux: what they can do, and which of it to take.

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "io/handles.h"

namespace vfilter {

/// One thing that a camera can do. Plain values.
struct CameraMode {
    std::string format;  ///< FFmpeg's name of the pixel format, or of the codec: "yuyv422", "mjpeg"
    int width = 0;
    int height = 0;
    AVRational rate{0, 1};  ///< pictures per second, 0 if the camera does not say
    bool operator==(const CameraMode& other) const {
        return format == other.format && width == other.width && height == other.height &&
               av_cmp_q(rate, other.rate) == 0;
    }
};

/// What the user wants of it.
struct CameraWish {
    int width = 0;  ///< 0 with height 0: any
    int height = 0;
    std::optional<double> fps{};
};

/// The mode to take, or nothing if none has the wanted size; no modes, nothing. Pure.
/// Size: the wanted one, else the largest up to 1280x720 that reaches the rate (`fps`, or 30), else of those that fit
/// into it the fastest, else the smallest there is. Rate: the lowest that reaches the wanted one, else the highest.
/// Format: uncompressed where that reaches the rate as well as any, else MJPEG, else H.264.
std::optional<CameraMode> choose_mode(std::span<const CameraMode> modes, const CameraWish& wish);

/// ioctl on a camera: request and argument; 0, or -1.
using CameraCall = std::function<int(unsigned long request, void* argument)>;

/// All modes of formats that FFmpeg knows. Where a camera gives ranges of sizes, well-known ones and `wish`'s are
/// listed; where it gives a range of rates, its ends and `wish`'s. Throws nothing: what a camera does not tell is left
/// out.
std::vector<CameraMode> read_modes(const CameraCall& call, const CameraWish& wish);

/// The modes of a device file. Throws Error(input) if it cannot be opened or is no camera.
std::vector<CameraMode> read_modes(const std::string& path, const CameraWish& wish);

/// The device file of the first camera that has pictures. Throws Error(input) if there is none.
std::string first_camera();

/// What --list cameras prints: each camera with its formats, sizes and rates, or one line that says that there is none.
std::string camera_list();

}  // namespace vfilter
