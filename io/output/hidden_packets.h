#pragma once
// Packets that an edit list of the input hides: a cut of mp4 keeps what lies before it.

#include <deque>
#include <map>

#include "io/handles.h"

namespace vfilter {

/// Keeps of each stream the latest hidden packets. Containers without edit lists would show them again, but a decoder
/// of sound needs what comes right before. One thread.
class HiddenPackets {
public:
    /// The next of a stream, in `clock`. Those that begin `preroll` seconds before it or earlier are forgotten.
    void add(PacketPtr packet, AVRational clock, double preroll);
    /// What is kept of a stream, hidden no more, and nothing the next time.
    [[nodiscard]] std::deque<PacketPtr> take(int stream);

private:
    std::map<int, std::deque<PacketPtr>> packets_;  // by the input's stream
};

}  // namespace vfilter
