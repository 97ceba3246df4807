#pragma once
// ICC profiles of pictures that become JPEG. FFmpeg's encoder would write that of whichever picture is first in its
// pool.

#include <cstdint>
#include <map>
#include <memory>

#include "io/handles.h"

namespace vfilter {

class JpegProfiles {
public:
    /// Removes the profile from a picture that goes into the encoder, if it has one.
    void take(AVFrame& picture);
    /// Writes it into the packet for the picture with this pts, as specified in ICC.1 (Annex B.4), if the picture had
    /// one. Throws std::bad_alloc.
    void put(AVPacket& packet);

private:
    struct Unref {
        void operator()(AVBufferRef* buffer) const { av_buffer_unref(&buffer); }
    };
    std::map<std::int64_t, std::unique_ptr<AVBufferRef, Unref>> inside_;  // by pts
};

}  // namespace vfilter
