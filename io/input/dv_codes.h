#pragma once
// The time code of a picture in DV.

#include "io/handles.h"

namespace vfilter {

/// Gives a packet of DV the time code that its first sequence has among its subcodes (IEC 61834-4, pack 0x13), which
/// its decoder leaves out and its demuxer reads of the first one alone.
void put_dv_time_code(AVPacket& packet);

}  // namespace vfilter
