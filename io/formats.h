#pragma once
// Pixel formats: which ones are filtered as they are, and what comes nearest to the others.

#include <string>
#include <vector>

#include "io/handles.h"

namespace vfilter {

/// Gray, planar YUV and planar RGB, with or without alpha, and NV12's family, of 8 to 16 bits in the machine's byte
/// order.
bool is_native(AVPixelFormat format);
/// The native format nearest to another: itself, the same samples planar (rgb24 to gbrp), or the best without loss of
/// depth. AV_PIX_FMT_NONE if there is none (hardware surfaces, Bayer).
AVPixelFormat nearest_native(AVPixelFormat format);
/// The one of `candidates` (ended by AV_PIX_FMT_NONE) that loses least.
AVPixelFormat nearest_of(const AVPixelFormat* candidates, AVPixelFormat format);
/// The format without FFmpeg's deprecated J (yuvj420p is yuv420p in full range).
AVPixelFormat without_j(AVPixelFormat format);
std::string name_of(AVPixelFormat format);

/// Converts pictures to one size and format. Not thread-safe.
class Converter {
public:
    Converter(int width, int height, AVPixelFormat format) : width_(width), height_(height), format_(format) {}

    [[nodiscard]] bool needed(const AVFrame& frame) const {
        return frame.width != width_ || frame.height != height_ || frame.format != format_;
    }
    /// Fills `to`, whose buffers have this size and format, and copies timestamps and side data. Throws Error(input).
    void convert(const AVFrame& from, AVFrame& to);

    [[nodiscard]] int width() const { return width_; }
    [[nodiscard]] int height() const { return height_; }
    [[nodiscard]] AVPixelFormat format() const { return format_; }

private:
    int width_;
    int height_;
    AVPixelFormat format_;
    SwsPtr context_;
};

}  // namespace vfilter
