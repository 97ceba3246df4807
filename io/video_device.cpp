#include "io/video_device.h"

#include <fcntl.h>
#include <linux/videodev2.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "io/descriptor.h"

namespace vfilter {

VideoDevice::VideoDevice(const std::string& path) : number_(::open(path.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC)) {}

VideoDevice::~VideoDevice() {
    if (number_ >= 0) {
        close(number_);
    }
}

int VideoDevice::operator()(unsigned long request, void* argument) const {
    return uninterrupted([&] { return ioctl(number_, request, argument); });
}

std::string VideoDevice::name() const {
    auto told = blank<v4l2_capability>();
    if (!is_open() || (*this)(VIDIOC_QUERYCAP, &told) != 0) {
        return "";
    }
    const auto* const card = reinterpret_cast<const char*>(told.card);
    return {card, strnlen(card, sizeof(told.card))};
}

bool VideoDevice::can(std::uint32_t capabilities) const {
    auto told = blank<v4l2_capability>();
    if (!is_open() || (*this)(VIDIOC_QUERYCAP, &told) != 0) {
        return false;
    }
    const std::uint32_t can = (told.capabilities & V4L2_CAP_DEVICE_CAPS) != 0 ? told.device_caps : told.capabilities;
    return (can & capabilities) == capabilities;
}

}  // namespace vfilter
