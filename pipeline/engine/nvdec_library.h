#pragma once
// What is asked of the driver's library of decoders itself, as libavcodec does not tell it.

#include <optional>

#include "io/codec/decode_device.h"

namespace vfilter {

/// libnvcuvid, loaded once, for as long as the process lives. Its functions are called with a context that is current.
/// Thread-safe.
class NvdecLibrary {
public:
    /// Whether it is there.
    static bool loaded();
    /// How many engines decode such a video at the same time; 0 if none does. Nothing if the library does not say.
    static std::optional<int> engines(AVCodecID codec, const PictureKind& kind);
    /// Whether the decoder concealed damage in a surface. Nothing where libavcodec's surface does not lead to its
    /// decoder in the way that is known.
    static std::optional<bool> concealed(const AVFrame& surface);
};

}  // namespace vfilter
