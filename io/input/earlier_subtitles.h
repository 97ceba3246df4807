#pragma once
// Subtitles that are shown when a part begins, and stand in the file before the key frame that it is entered by.

#include <cstdint>
#include <deque>
#include <functional>
#include <set>
#include <utility>

#include "io/input/packet_source.h"

namespace vfilter {

/// One thread.
class EarlierSubtitles {
public:
    /// Looks for those that begin before `wanted` and end after it, microseconds, in a file that begins at `first`: up
    /// to a minute before, or ten seconds where the container has a table of all packets; besides, of each stream the
    /// last one that the container's index has. Of pictures and words whose end no packet tells it is the last one
    /// of each stream. The source stands elsewhere afterwards. Nothing where the input has no subtitles, cannot be
    /// sought, or has a clock that may jump.
    void find(PacketSource& source, const AVFormatContext& format, std::int64_t first, std::int64_t wanted,
              const std::function<bool()>& interrupted);

    /// Those that were found, to be put before all others.
    std::deque<PacketPtr> take();
    /// Whether a packet that is read is one of them, which has been given already.
    [[nodiscard]] bool repeats(const AVPacket& packet) const;

private:
    void add(PacketPtr packet, const AVStream& stream, std::int64_t begin, std::int64_t wanted);
    void find_indexed(PacketSource& source, AVStream& stream, std::int64_t from, std::int64_t wanted,
                      const std::function<bool()>& interrupted);

    using Key = std::pair<int, std::int64_t>;  // stream, when it is shown

    std::deque<PacketPtr> found_;
    std::set<Key> keys_;
};

}  // namespace vfilter
