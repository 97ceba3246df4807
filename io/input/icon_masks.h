#pragma once
// What of an icon is transparent, where its samples do not say it.

#include "io/handles.h"

namespace vfilter {

/// Gives a picture of an icon (ICO) in BMP the alpha that its mask says, which decoders of BMP do not read. One that is
/// opaque all over, or says its alpha itself, stays as it is. Throws std::bad_alloc.
void put_icon_mask(AVPacket& packet);

}  // namespace vfilter
