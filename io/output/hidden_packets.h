#pragma once
// Packets hidden by an edit list of the input: a cut mp4 keeps what is before the cut.

#include <deque>
#include <map>
#include <set>

#include "io/handles.h"

namespace vfilter {

/// Keeps, for each stream, the latest hidden packets before the first displayed one. Containers without edit lists
/// would display them again, but an audio decoder needs those right before. One thread.
class HiddenPackets {
public:
    /// The next one of a stream, in `clock`. Those that begin at least `preroll` seconds before it are forgotten.
    void add(PacketPtr packet, AVRational clock, double preroll);
    /// What is kept for a stream that is displayed from now on; it is no longer hidden. Empty the next time.
    [[nodiscard]] std::deque<PacketPtr> take(int stream);
    /// Whether something of a stream was taken and is displayed: what is hidden after it was cut out of the middle.
    [[nodiscard]] bool is_shown(int stream) const { return shown_.contains(stream); }

private:
    std::map<int, std::deque<PacketPtr>> packets_;  // by input stream
    std::set<int> shown_;
};

}  // namespace vfilter
