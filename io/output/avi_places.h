#pragma once
// AVI has no times: packets have positions, and a position without a packet is filled with an empty one.

#include <cstdint>
#include <map>

#include "io/handles.h"

namespace vfilter {

/// Its muxer fills the gap between two packets, but not without limit. One thread.
class AviPlaces {
public:
    /// To be called with each packet in order, in the clock of its stream. Throws Error(output) if the pictures are too
    /// far apart.
    void check(const AVFormatContext& output, const AVPacket& packet);

private:
    std::map<int, std::int64_t> next_;  // position by stream
};

}  // namespace vfilter
