#pragma once
// Zeroes where a codec has none: sectors that were lost, of which many a decoder makes something else, without a word.

#include <cstddef>

#include "io/handles.h"

namespace vfilter {

/// Whether a packet has a run of zeroes inside of what pictures are made of that no encoder writes. H.264 and HEVC keep
/// three of them apart (ITU-T H.264, 7.4.1), MPEG-1, -2 and -4 have less than 24 bits of them; some other codecs have
/// no reason for hundreds. Zeroes that end a unit or a packet are filling. False for other codecs.
/// `length_size`: see nal_length_size().
bool has_lost_bytes(AVCodecID codec, const AVPacket& packet, std::size_t length_size);

}  // namespace vfilter
