#pragma once
// Transparency of an icon if its samples do not specify it.

#include "io/handles.h"

namespace vfilter {

/// Gives the picture of an icon (ICO) in BMP format the alpha in its mask, which BMP decoders do not read. A picture
/// that is entirely opaque, or has its own alpha, stays unchanged. Throws std::bad_alloc.
void put_icon_mask(AVPacket& packet);

}  // namespace vfilter
