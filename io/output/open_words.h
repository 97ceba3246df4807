#pragma once
// mov_text of an input in fragments, of which FFmpeg tells no durations.

#include <map>
#include <vector>

#include "io/handles.h"

namespace vfilter {

/// Gives texts their durations: each is shown until the next one of its stream, an empty one mostly. One thread.
class OpenWords {
public:
    /// The next packet of an input's `stream`, in that stream's clock. Returns those that are complete with it, which
    /// it is itself if it has a duration.
    std::vector<PacketPtr> add(PacketPtr packet, int stream);
    /// The last ones, without a duration, by stream.
    std::map<int, PacketPtr> finish();

private:
    std::map<int, PacketPtr> open_;  // by stream: the one whose duration is not known yet
};

}  // namespace vfilter
