#pragma once
// Device files of Video4Linux.

#include <cstdint>
#include <cstring>
#include <string>

namespace vfilter {

/// A structure that a driver fills in; all of it is zero before.
template <class T>
T blank() {
    T value{};
    std::memset(&value, 0, sizeof(value));  // unions, too
    return value;
}

/// A device file that is open, without blocking, while this lives. One thread.
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
    /// What it is called; "" if it is no device of Video4Linux.
    [[nodiscard]] std::string name() const;
    /// Whether it can do all of these: V4L2_CAP_VIDEO_CAPTURE, ... A camera has device files for other things, too.
    [[nodiscard]] bool can(std::uint32_t capabilities) const;

private:
    int number_;
};

}  // namespace vfilter
