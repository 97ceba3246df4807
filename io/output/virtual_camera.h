#pragma once
// A virtual camera: a Video4Linux device that shows other programs the pictures that are written to it (v4l2loopback).

#include <atomic>
#include <functional>
#include <string>
#include <vector>

#include "io/handles.h"
#include "io/output/picture_sink.h"
#include "io/video_device.h"

namespace vfilter {

/// Pictures are written uncompressed, each in one write, as the driver requires.
class VirtualCamera final : public PictureSink {
public:
    /// Opens the device. `given_up` is called while a picture waits for room. Throws Error(output) if it does not
    /// exist, is busy, or accepts no pictures.
    VirtualCamera(std::string path, std::function<bool()> given_up);

    /// Pixel formats that it accepts and its readers know, by FFmpeg's names, out of yuyv422, yuv420p, nv12 and
    /// uyvy422.
    [[nodiscard]] std::vector<std::string> formats() const;
    /// Sets it up for the encoder's pictures, `rate` of them per second. Throws Error(output) if it does not accept
    /// their size or format.
    void begin(const AVCodecContext& pictures, AVRational rate);
    void write(std::span<const std::uint8_t> bytes) override;
    [[nodiscard]] std::int64_t bytes() const override { return bytes_; }

private:
    std::string path_;
    std::function<bool()> given_up_;
    VideoDevice device_;
    std::atomic<std::int64_t> bytes_{0};
};

}  // namespace vfilter
