#pragma once
// Queries to the driver's decoder library that libavcodec does not pass on.

#include <optional>

#include "io/codec/decode_device.h"

namespace vfilter {

/// libnvcuvid, loaded once for the lifetime of the process. Its functions must be called with a current context.
/// Thread-safe.
class NvdecLibrary {
public:
    /// Whether it is available.
    static bool loaded();
    /// How many engines can decode such a video at the same time; 0 if none can. Empty if the library does not say.
    static std::optional<int> engines(AVCodecID codec, const PictureKind& kind);
    /// Whether the decoder concealed damage in a surface. Empty if libavcodec's surface does not lead to its decoder in
    /// the expected way.
    static std::optional<bool> concealed(const AVFrame& surface);
};

}  // namespace vfilter
