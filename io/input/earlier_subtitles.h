#pragma once
// Subtitles that are shown when a part begins, and stand in the file before the key frame that it is entered by.

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
    /// What is on the screen at a beginning is known a little behind it, as times are rounded: what ends right there is
    /// not shown.
    static constexpr std::int64_t rounding = 1000;  // microseconds

    /// Looks for those that begin before `wanted` and end after it, microseconds, in a file that begins at `first`: up
    /// to a minute before, or ten seconds where the container has a table of all packets; besides, of each stream the
    /// last one that the container's index has. The source stands elsewhere afterwards. Nothing where the input has no
    /// subtitles or cannot be sought, nor of words where its clock may jump.
    void find(PacketSource& source, const AVFormatContext& format, std::int64_t first, std::int64_t wanted,
              const std::function<bool()>& interrupted);

    /// Words with an end that were found, to be put before all others.
    std::deque<PacketPtr> take();
    /// Whether a packet that is read is one of them, which has been given already, or a picture or without an end, and
    /// begins before `wanted`: it is taken then.
    bool takes(AVPacket& packet, const AVStream& stream, std::optional<std::int64_t> wanted);
    /// Whether there may be any of the others, which what comes after them ends, and a packet of the description's lies
    /// behind `begin`, microseconds, or none is left (null).
    [[nodiscard]] bool knows_shown(std::int64_t begin, const AVPacket* packet, const AVFormatContext& format) const;
    /// What is shown of them when a packet of `wanted` or later is read, or none any more: at `begin`.
    std::deque<PacketPtr> take_shown(std::int64_t begin, const AVFormatContext& format);

private:
    void add(PacketPtr packet, const AVStream& stream, std::int64_t begin, std::int64_t wanted);
    void find_indexed(PacketSource& source, AVStream& stream, std::int64_t from, std::int64_t wanted,
                      const std::function<bool()>& interrupted);

    using Key = std::pair<int, std::int64_t>;  // stream, when it is shown

    std::deque<PacketPtr> found_;
    std::set<Key> keys_;
    ShownSubtitles shown_;
};

}  // namespace vfilter
