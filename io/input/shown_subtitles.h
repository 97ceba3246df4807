#pragma once
// Subtitles of which each is shown until its stream has another one: pictures, and words that tell no end.

#include <cstdint>
#include <deque>
#include <map>

#include "io/handles.h"
#include "io/input/pgs_screen.h"

namespace vfilter {

bool is_picture_subtitle(AVCodecID codec);

/// What of them is on the screen at one moment, of packets that begin before it and come in the order of their times.
/// What comes a second time, with all that follows it up to the moment, changes nothing. One thread.
class ShownSubtitles {
public:
    /// Of a subtitle that begins before `moment`, microseconds: a picture, or words that tell no end, are taken, and
    /// there is nothing left of the packet: true. Other words end what is shown. Teletext, whose pages are sent again
    /// and again, is none of them.
    bool take(AVPacket& packet, const AVStream& stream, std::int64_t moment);
    /// Whether anything has been taken.
    [[nodiscard]] bool any() const { return !streams_.empty(); }
    /// What is on the screen, by the numbers of its streams, all of it at `time`, microseconds. Nothing is left.
    std::deque<PacketPtr> give(std::int64_t time, const AVFormatContext& format);

private:
    struct Stream {
        PgsScreen pgs;                   // of that codec
        std::deque<PacketPtr> packets;   // of others: the last one that needs none before it, and what follows it
        std::int64_t until = INT64_MAX;  // when what is shown goes, microseconds
        std::int64_t moment = 0;
    };

    static void take_page(Stream& stream, PacketPtr packet, std::int64_t begin);

    std::map<int, Stream> streams_;
};

}  // namespace vfilter
