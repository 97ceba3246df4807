#pragma once
// The time code of a DV picture.

#include "io/handles.h"

namespace vfilter {

/// Adds to a DV packet the time code that its first sequence has among its subcodes (IEC 61834-4, pack 0x13), which its
/// decoder ignores and its demuxer reads only from the first packet.
void put_dv_time_code(AVPacket& packet);

}  // namespace vfilter
