#pragma once
// AVI has no times: packets have places, and a place without one is an empty packet.

#include <cstdint>
#include <map>

#include "io/handles.h"

namespace vfilter {

/// Its muxer fills what is between two packets, but not without a limit. One thread.
class AviPlaces {
public:
    /// To be called with each packet in turn, in the clock of its stream. Throws Error(output) where the pictures are
    /// too far apart.
    void check(const AVFormatContext& output, const AVPacket& packet);

private:
    std::map<int, std::int64_t> next_;  // place by stream
};

}  // namespace vfilter
