#pragma once
// Demuxers that give up in the middle of a file.

#include <cstdint>

#include "io/damage.h"
#include "io/handles.h"

namespace vfilter {

/// Some demuxers give up where they find no beginning of something within some bytes, and look on from there when they
/// are asked again. Tells for how long that is worth while. One thread.
class DemuxerHoles {
public:
    /// The next packet is asked for.
    void begin_packet() { in_hole_ = false; }
    /// The input is read on elsewhere.
    void sought() { given_up_ = -1; }
    /// The demuxer has failed with `error`, which is not its end: whether it has come to bytes that were not read yet.
    /// What is lost there is noted once for each packet.
    [[nodiscard]] bool go_on(AVIOContext& bytes, int error, Damage& damage);

private:
    bool in_hole_ = false;        // it has given up since the last packet
    std::int64_t given_up_ = -1;  // the byte at which it gave up last
};

}  // namespace vfilter
