#pragma once
// Zeros where a codec never writes them: lost sectors, which many decoders silently decode as something else.

#include <cstddef>

#include "io/handles.h"

namespace vfilter {

/// Whether a packet has, within its picture data, a run of zeros that no encoder writes. H.264 and HEVC prevent three
/// consecutive ones (ITU-T H.264, 7.4.1), MPEG-1, -2 and -4 have fewer than 24 zero bits; some other codecs have no
/// reason for hundreds. Zeros that end a unit or a packet are padding. False for other codecs. `length_size`: see
/// nal_length_size().
bool has_lost_bytes(AVCodecID codec, const AVPacket& packet, std::size_t length_size);

}  // namespace vfilter
