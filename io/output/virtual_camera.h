#pragma once
// A virtual camera: a device of Video4Linux that shows other programs the pictures that are written to it
// (v4l2loopback).

#include <atomic>
#include <functional>
#include <string>
#include <vector>

#include "io/handles.h"
#include "io/output/picture_sink.h"
#include "io/video_device.h"

namespace vfilter {

/// Pictures go there uncompressed, each in one write, as the driver wants it.
class VirtualCamera final : public PictureSink {
public:
    /// Opens the device. While a picture waits for room `given_up` is asked. Throws Error(output) where it is not
    /// there, is busy, or takes no pictures.
    VirtualCamera(std::string path, std::function<bool()> given_up);

    /// Pixel formats that it takes and its readers know, by FFmpeg's names, of yuyv422, yuv420p, nv12 and uyvy422.
    [[nodiscard]] std::vector<std::string> formats() const;
    /// Sets it to the pictures that the encoder makes, `rate` of them in a second. Throws Error(output) where it does
    /// not take their size or format.
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
