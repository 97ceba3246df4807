#pragma once
// ICC profiles of pictures that become JPEG. FFmpeg's encoder writes those of whichever picture lies first in its pool.

#include <cstdint>
#include <map>
#include <memory>

#include "io/handles.h"

namespace vfilter {

class JpegProfiles {
public:
    /// Takes the profile off a picture that goes into the encoder, if it has one.
    void take(AVFrame& picture);
    /// Writes it into the packet that the picture of this pts has become, as ICC.1 has it (Annex B.4), if it had one.
    /// Throws std::bad_alloc.
    void put(AVPacket& packet);

private:
    struct Unref {
        void operator()(AVBufferRef* buffer) const { av_buffer_unref(&buffer); }
    };
    std::map<std::int64_t, std::unique_ptr<AVBufferRef, Unref>> inside_;  // by pts
};

}  // namespace vfilter
