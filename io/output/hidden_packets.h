#pragma once
// Packets that an edit list of the input hides: a cut of mp4 keeps what lies before it.

#include <deque>
#include <map>
#include <set>

#include "io/handles.h"

namespace vfilter {

/// Keeps of each stream the latest hidden packets before the first one that is shown. Containers without edit lists
/// would show them again, but a decoder of sound needs what comes right before. One thread.
class HiddenPackets {
public:
    /// The next of a stream, in `clock`. Those that begin `preroll` seconds before it or earlier are forgotten.
    void add(PacketPtr packet, AVRational clock, double preroll);
    /// What is kept of a stream of which something is shown now, hidden no more, and nothing the next time.
    [[nodiscard]] std::deque<PacketPtr> take(int stream);
    /// Whether something of a stream was taken, which is shown: what is hidden behind it was cut out of the middle.
    [[nodiscard]] bool is_shown(int stream) const { return shown_.contains(stream); }

private:
    std::map<int, std::deque<PacketPtr>> packets_;  // by the input's stream
    std::set<int> shown_;
};

}  // namespace vfilter
