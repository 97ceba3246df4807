#pragma once
// What libavformat does not say about its demuxers: one row for each demuxer about which something must be known.
// Special handling of a file format in io/input/ is a fact in its row.

#include <string>
#include <string_view>

#include "config/io_options.h"
#include "io/handles.h"

namespace vfilter {

namespace input_fact {
constexpr unsigned movie = 1U << 0;      ///< mp4, mov and their family, whose sample table lists every packet
constexpr unsigned matroska = 1U << 1;   ///< and WebM
constexpr unsigned transport = 1U << 2;  ///< MPEG-TS
constexpr unsigned pictures = 1U << 3;   ///< files that are a picture each
constexpr unsigned playlist = 1U << 4;   ///< a list of other inputs, or one that opens files by generated names
constexpr unsigned text_art = 1U << 5;   ///< chosen by a file's name alone; accepts any text as pictures
constexpr unsigned bare = 1U << 6;       ///< a stream without a container
constexpr unsigned raw = 1U << 7;        ///< samples without any description
constexpr unsigned y4m = 1U << 8;
constexpr unsigned icons = 1U << 9;  ///< of which one is the picture, with masks outside their pictures
constexpr unsigned png = 1U << 10;   ///< its demuxer finds the ends of PNG's pictures itself
// What it says of the whole:
constexpr unsigned indexed = 1U << 11;    ///< the amount of data in each stream
constexpr unsigned no_gaps = 1U << 12;    ///< a time for each picture, or no times: none can be missing between two
constexpr unsigned tells_end = 1U << 13;  ///< its duration is the time of its end
constexpr unsigned elsewhere = 1U << 14;  ///< where its parts are, and its demuxer refuses parts elsewhere
constexpr unsigned trailer = 1U << 15;    ///< after the last picture, their number
// What its demuxer does:
constexpr unsigned from_front = 1U << 16;    ///< it counts pictures, or uses their numbers, and cannot seek
constexpr unsigned numbers = 1U << 17;       ///< it returns picture numbers as times
constexpr unsigned same_reader = 1U << 18;   ///< it reads all segments with one demuxer
constexpr unsigned first_end = 1U << 19;     ///< it ends with the first stream that ends
constexpr unsigned short_packet = 1U << 20;  ///< it reports the last packet as damaged if no length is given
constexpr unsigned failing_end = 1U << 21;   ///< it reports every end as an error
constexpr unsigned loose_times = 1U << 22;   ///< it returns packets farther apart in time than others do
constexpr unsigned goes_back = 1U << 23;     ///< seeks to the front, in pipes too
// A program that it runs:
constexpr unsigned script = 1U << 24;
}  // namespace input_fact

struct DemuxerFacts {
    std::string_view name;   ///< FFmpeg's, the first of several; "" for one that has no row
    unsigned facts = 0;      ///< of input_fact::
    std::string_view key{};  ///< its option for the decryption key; "" if it decrypts nothing

    [[nodiscard]] constexpr bool has(unsigned fact) const { return (facts & fact) != 0; }
};

const DemuxerFacts& demuxer_facts(const AVInputFormat& format);

/// Whether the format is a list of other inputs, which its demuxer opens.
bool is_playlist(const AVInputFormat& format);
/// Whether it is a program that its reader runs (AviSynth, VapourSynth).
bool is_script(const AVInputFormat& format);
/// Whether it is none of files but a device of libavdevice's, which has them listed with the others once it is loaded.
bool is_device(const AVInputFormat& format);
/// MPEG-TS.
bool is_transport_stream(const AVInputFormat& format);
/// Whether packets get the times of their arrival: use_wallclock_as_timestamps, whatever FFmpeg takes for yes. Throws
/// std::bad_alloc.
bool takes_wall_clock(const OptionPairs& options);
/// Whether packets have no times of their sender's, nor of their arrival: bare streams, raw samples, and pictures one
/// after another, which libavformat counts at a rate that it takes for granted. Throws std::bad_alloc.
bool has_no_times(const AVInputFormat& format, const OptionPairs& options);
/// For FFmpeg's format_whitelist: the formats that a file may have. No devices, no playlists, which open other files;
/// text that is drawn as pictures only if the user has `named` the format.
std::string allowed_formats(bool named);

}  // namespace vfilter
