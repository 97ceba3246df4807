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
/// What comes a second time, with all that follows it up to the moment, changes nothing, and what comes late changes
/// what has been given. Pictures of PGS are taken whole, by the time at which they begin to be decoded, and are on the
/// screen from the time at which they are shown. One thread.
class ShownSubtitles {
public:
    /// Of a subtitle that begins before `moment`, microseconds: a picture, or words that tell no end, are taken, and
    /// there is nothing left of the packet: true. Other words end what is shown. Teletext, whose pages are sent again
    /// and again, is none of them.
    bool take(AVPacket& packet, const AVStream& stream, std::int64_t moment);
    /// Whether anything has been taken that has not been given.
    [[nodiscard]] bool any() const;
    /// What is on the screen, by the numbers of its streams, all of it at `time`, microseconds, and what is decoded
    /// then and shown later. Nothing is left but what may still be changed by what comes late.
    std::deque<PacketPtr> give(std::int64_t time, const AVFormatContext& format);

private:
    enum class Set : std::uint8_t { none, now, later, passed };  // a picture of PGS whose end has not come

    struct Stream {
        PgsScreen pgs;                   // of that codec, of the pictures before the moment
        Set set = Set::none;             // and what its segments belong to
        std::int64_t set_begin = 0;      // microseconds
        std::int64_t passed_at = 0;      // the time of what is not taken, of the stream's clock
        PacketPtr incoming;              // one that is shown later
        std::deque<PacketPtr> later;     // and those that are complete
        bool drawn = false;              // since anything was given
        bool given = false;              // something that is shown
        std::deque<PacketPtr> packets;   // of others: the last one that needs none before it, and what follows it
        std::int64_t until = INT64_MAX;  // when what is shown goes, microseconds
        std::int64_t moment = 0;
    };

    bool take_segments(AVPacket& packet, const AVStream& stream, std::int64_t moment);
    static void begin_set(Stream& of, const AVPacket& packet, const AVStream& stream, std::int64_t begin);
    static void end_set(Stream& of);
    static void take_page(Stream& stream, PacketPtr packet, std::int64_t begin, std::int64_t until);
    static void draw(Stream& stream);
    static void end_over(Stream& stream, AVCodecID codec, std::int64_t at);

    std::map<int, Stream> streams_;
};

}  // namespace vfilter
