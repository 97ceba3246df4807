#pragma once
// What travels between the stages.

#include <cstdint>

#include "io/handles.h"

namespace vfilter {

/// An owned picture. pts are in the input stream's time base.
struct Frame {
    FramePtr picture;
    std::int64_t index = 0;  ///< from 0, in display order, without gaps
};

/// A packet on its way to the muxer.
struct OutputPacket {
    PacketPtr packet;
    bool copied = false;      ///< from the input, not from the encoder
    std::int64_t frame = -1;  ///< index of the picture in an encoder's packet, -1 if unknown
};

}  // namespace vfilter
