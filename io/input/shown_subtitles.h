#pragma once
// Subtitles that are displayed until their stream has another one: bitmaps, and text without an end.

#include <cstdint>
#include <deque>
#include <map>

#include "io/handles.h"
#include "io/input/pgs_screen.h"

namespace vfilter {

bool is_picture_subtitle(AVCodecID codec);

/// Which of them are on the screen at one moment, from packets that begin before it and come in the order of their
/// times. What comes a second time, with everything that follows it up to the moment, changes nothing, and what comes
/// late changes what has been returned. PGS pictures are taken as a whole, by the time at which their decoding begins,
/// and are on the screen from their display time. One thread.
class ShownSubtitles {
public:
    /// For a subtitle that begins before `moment`, microseconds: a bitmap, or text without an end, is taken, and
    /// nothing is left of the packet: true. Other text ends what is displayed. Teletext, whose pages are sent
    /// repeatedly, is not included.
    bool take(AVPacket& packet, const AVStream& stream, std::int64_t moment);
    /// Whether anything has been taken that has not been returned.
    [[nodiscard]] bool any() const;
    /// What is on the screen, by the numbers of its streams, all of it at `time`, microseconds, and what is decoded
    /// then and displayed later. Only what may still be changed by late packets is kept.
    std::deque<PacketPtr> give(std::int64_t time, const AVFormatContext& format);

private:
    enum class Set : std::uint8_t { none, now, later, passed };  // a PGS picture whose end has not arrived

    struct Stream {
        PgsScreen pgs;                   // of that codec, of the pictures before the moment
        Set set = Set::none;             // and what its segments belong to
        std::int64_t set_begin = 0;      // microseconds
        std::int64_t passed_at = 0;      // the time of what is not taken, of the stream's clock
        PacketPtr incoming;              // one that is displayed later
        std::deque<PacketPtr> later;     // and those that are complete
        bool drawn = false;              // since anything was returned
        bool given = false;              // something that is displayed
        std::deque<PacketPtr> packets;   // of others: the last one that needs none before it, and what follows it
        std::int64_t until = INT64_MAX;  // when what is displayed disappears, microseconds
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
