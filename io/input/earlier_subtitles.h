#pragma once
// Subtitles that are displayed when a part begins, but are in the file before the key frame at which reading starts.

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <set>
#include <utility>

#include "io/input/packet_source.h"
#include "io/input/shown_subtitles.h"

namespace vfilter {

/// One thread.
class EarlierSubtitles {
public:
    /// What is on the screen at a beginning is determined slightly after it, as times are rounded: what ends exactly
    /// there is not displayed.
    static constexpr std::int64_t rounding = 1000;  // microseconds

    /// Looks for subtitles that begin before `wanted` and end after it, microseconds, in a file that begins at `first`:
    /// up to a minute before, or ten seconds if the container has a table of all packets; in addition, the last one of
    /// each stream in the container's index. The source is at another position afterwards. Does nothing if the input
    /// has no subtitles or cannot seek, and ignores text if its clock may jump.
    void find(PacketSource& source, const AVFormatContext& format, std::int64_t first, std::int64_t wanted,
              const std::function<bool()>& interrupted);

    /// Text with an end that was found, to be placed before all other packets.
    std::deque<PacketPtr> take();
    /// Whether a packet that is read is one of them and has been returned already, or is a bitmap or text without an
    /// end, and begins before `wanted`: it is then taken.
    bool takes(AVPacket& packet, const AVStream& stream, std::optional<std::int64_t> wanted);
    /// Whether there may be any of the latter, which end when something follows them, and a packet of the description
    /// is after `begin`, microseconds, or none is left (null).
    [[nodiscard]] bool knows_shown(std::int64_t begin, const AVPacket* packet, const AVFormatContext& format) const;
    /// Which of them are displayed when a packet of `wanted` or later is read, or no more packets come: with time
    /// `begin`.
    std::deque<PacketPtr> take_shown(std::int64_t begin, const AVFormatContext& format);

private:
    void add(PacketPtr packet, const AVStream& stream, std::int64_t begin, std::int64_t wanted);
    void find_indexed(PacketSource& source, AVStream& stream, std::int64_t from, std::int64_t wanted,
                      const std::function<bool()>& interrupted);

    using Key = std::pair<int, std::int64_t>;  // stream, and display time

    std::deque<PacketPtr> found_;
    std::set<Key> keys_;
    ShownSubtitles shown_;
};

}  // namespace vfilter
