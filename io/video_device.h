#pragma once
// Device files of Video4Linux.

#include <cstdint>
#include <cstring>
#include <string>

namespace vfilter {

/// A structure to be filled in by a driver, initialized to zero.
template <class T>
T blank() {
    T value{};
    std::memset(&value, 0, sizeof(value));  // including unions
    return value;
}

/// A device file that is open, in non-blocking mode, while this exists. One thread.
class VideoDevice {
public:
    explicit VideoDevice(const std::string& path);
    ~VideoDevice();
    VideoDevice(const VideoDevice&) = delete;
    VideoDevice& operator=(const VideoDevice&) = delete;

    [[nodiscard]] bool is_open() const { return number_ >= 0; }
    [[nodiscard]] int descriptor() const { return number_; }
    /// ioctl: request and argument; 0, or -1 with errno.
    int operator()(unsigned long request, void* argument) const;
    /// Its name; "" if it is not a Video4Linux device.
    [[nodiscard]] std::string name() const;
    /// Whether it supports all of these: V4L2_CAP_VIDEO_CAPTURE, ... A camera also has device files for other purposes.
    [[nodiscard]] bool can(std::uint32_t capabilities) const;

private:
    int number_;
};

}  // namespace vfilter
