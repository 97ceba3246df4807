#pragma once
// A camera of Video4Linux that FFmpeg has opened.

#include <chrono>
#include <string>

#include "io/handles.h"

namespace vfilter {

/// Waits for its pictures, as FFmpeg does not. One thread.
class OpenedCamera {
public:
    /// FFmpeg has opened the device file.
    void find(const std::string& path);
    /// Whether it was found.
    [[nodiscard]] bool is_there() const { return descriptor_ >= 0; }
    /// Until there is a picture, or for so long.
    void wait(std::chrono::milliseconds most) const;
    /// Its packets are the driver's buffers: they would not outlive its closing, and while they are held it has fewer.
    /// Throws std::bad_alloc.
    static void make_own(AVPacket& packet);

private:
    int descriptor_ = -1;  // FFmpeg's own
};

}  // namespace vfilter
