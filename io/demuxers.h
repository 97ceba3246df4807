#pragma once
// What libavformat does not tell of its demuxers: a row for each of which something has to be known. What io/input/
// sees to in a format of files is a fact of its row.

#include <string>
#include <string_view>

#include "io/handles.h"

namespace vfilter {

namespace input_fact {
constexpr unsigned movie = 1U << 0;      ///< mp4, mov and their family, whose sample table lists every packet
constexpr unsigned matroska = 1U << 1;   ///< and WebM
constexpr unsigned transport = 1U << 2;  ///< MPEG-TS
constexpr unsigned pictures = 1U << 3;   ///< files that are a picture each
constexpr unsigned playlist = 1U << 4;   ///< a list of other inputs, or one that opens files by names that it makes
constexpr unsigned text_art = 1U << 5;   ///< goes by a file's name alone and takes any text for pictures
constexpr unsigned bare = 1U << 6;       ///< a stream without a container
constexpr unsigned raw = 1U << 7;        ///< samples that say nothing of themselves
constexpr unsigned y4m = 1U << 8;
constexpr unsigned icons = 1U << 9;  ///< of which one is the picture, with masks outside of their pictures
constexpr unsigned png = 1U << 10;   ///< its demuxer finds the ends of PNG's pictures itself
// What it says of the whole:
constexpr unsigned indexed = 1U << 11;  ///< what there is of each stream
constexpr unsigned no_gaps = 1U << 12;  ///< a time for each picture, or no time at all: none can be missing between two
constexpr unsigned tells_end = 1U << 13;  ///< its duration is the time of its end
constexpr unsigned elsewhere = 1U << 14;  ///< where its parts lie, and its demuxer refuses what lies elsewhere
constexpr unsigned trailer = 1U << 15;    ///< behind the last picture, how many there are
// What its demuxer does:
constexpr unsigned from_front = 1U << 16;   ///< it counts pictures, or goes by their numbers, and cannot be sent to one
constexpr unsigned numbers = 1U << 17;      ///< it gives numbers of pictures for times
constexpr unsigned same_reader = 1U << 18;  ///< it reads all segments by one demuxer
constexpr unsigned first_end = 1U << 19;    ///< it ends with the first stream that has an end
constexpr unsigned short_packet = 1U << 20;  ///< it calls the last packet damaged where no length is told
constexpr unsigned failing_end = 1U << 21;   ///< it calls every end an error
constexpr unsigned loose_times = 1U << 22;   ///< it gives packets farther apart than others do
constexpr unsigned goes_back = 1U << 23;     ///< to the front, in pipes too
}  // namespace input_fact

struct DemuxerFacts {
    std::string_view name;   ///< FFmpeg's, the first one of several; "" for one that has no row
    unsigned facts = 0;      ///< of input_fact::
    std::string_view key{};  ///< its option for the key of what is encrypted; "" if it decrypts nothing

    [[nodiscard]] constexpr bool has(unsigned fact) const { return (facts & fact) != 0; }
};

const DemuxerFacts& demuxer_facts(const AVInputFormat& format);

/// Whether the format is a list of other inputs, which its demuxer opens.
bool is_playlist(const AVInputFormat& format);
/// MPEG-TS.
bool is_transport_stream(const AVInputFormat& format);
/// For FFmpeg's format_whitelist: what a file may be. No playlists, which open other files; text drawn as pictures only
/// if the user has `named` the format.
std::string allowed_formats(bool named);

}  // namespace vfilter
