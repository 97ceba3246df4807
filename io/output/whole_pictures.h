#pragma once
// Pictures that are a file each, made of what an encoder gives.

#include <cstdint>

#include "io/handles.h"
#include "io/output/picture_sink.h"

namespace vfilter {

/// What an encoder of pictures makes is the file, but for formats that have a container. One thread.
class WholePictures {
public:
    /// `container` is that of each picture. Both must outlive it.
    WholePictures(const AVOutputFormat& container, PictureSink& sink) : container_(container), sink_(sink) {}

    /// The next packet of the encoder, for `stream` of the output. Throws Error(encoder) if it is no picture by itself,
    /// Error(output).
    void write(AVPacket& packet, const AVStream& stream);
    /// How many were written.
    [[nodiscard]] std::int64_t count() const { return count_; }

private:
    const AVOutputFormat& container_;
    PictureSink& sink_;
    std::int64_t count_ = 0;
};

}  // namespace vfilter
