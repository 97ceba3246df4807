#pragma once
// The order in which packets of several streams are written.

#include <deque>
#include <vector>

#include "io/handles.h"

namespace vfilter {

/// Streams take turns by decoding time, as they do in FFmpeg's own queue, which does not tell where each packet went: a
/// packet goes once every stream of pictures or sound has a later one, or ten seconds of them wait. One thread.
class Interleaver {
public:
    /// `output`, whose header is written, must outlive it.
    explicit Interleaver(const AVFormatContext& output);

    /// A packet in the clock of its stream of the output.
    void add(PacketPtr packet);
    /// The next packet to write, null where none may go yet; with `all`, which is for the end, null when none is left.
    PacketPtr next(bool all);

private:
    [[nodiscard]] bool everybody_waits() const;
    [[nodiscard]] double seconds(const AVPacket& packet) const;

    const AVFormatContext& output_;
    std::deque<PacketPtr> waiting_;  // in the order of decoding times
    std::vector<int> counts_;        // packets in it, by output stream
};

}  // namespace vfilter
