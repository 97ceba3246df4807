#pragma once
// What libavformat does not say about its muxers, or says too late: one row for each muxer that differs.

#include <string>
#include <string_view>

#include "io/handles.h"

namespace vfilter {

/// Containers that one FFmpeg muxer writes, under several names.
enum class Family {
    other,
    movie,   ///< mp4, mov and related ones
    blocks,  ///< Matroska and its subset
    ogg,
    program,    ///< MPEG-PS, whose muxers do not say what they can hold
    transport,  ///< MPEG-TS, in RTP as well
    mxf
};

namespace fact {
constexpr unsigned chapters = 1U << 0;         ///< its muxer writes them
constexpr unsigned covers = 1U << 1;           ///< as attached pictures
constexpr unsigned counts_pictures = 1U << 2;  ///< it stores the frame rate, and no times
constexpr unsigned counts_sound = 1U << 3;     ///< it plays without gaps from the beginning of the file on
constexpr unsigned no_tags = 1U << 4;          ///< it names codecs in its own way, whatever FourCC the user chose
constexpr unsigned one_video = 1U << 5;        ///< and no other stream of pictures besides it
constexpr unsigned one_codec = 1U << 6;        ///< only video of one codec
constexpr unsigned h264 = 1U << 7;             ///< users expect it; FFmpeg's default is older
constexpr unsigned tells_length = 1U << 8;     ///< in its header, also for what has not been written yet
constexpr unsigned own_index = 1U << 9;        ///< of a movie, at a place that the muxer chooses
// What its demuxer returns of what was written:
constexpr unsigned same_sound = 1U << 10;  ///< in as many packets
constexpr unsigned same_times = 1U << 11;
constexpr unsigned pieces = 1U << 12;    ///< of a large packet, of which only the first has the time
constexpr unsigned unparsed = 1U << 13;  ///< bytes that only a parser divides into packets (since FFmpeg 7.1)
// What it is:
constexpr unsigned animation = 1U << 14;       ///< of pictures, which are displayed as they are stored
constexpr unsigned single_picture = 1U << 15;  ///< and not a format of its own
constexpr unsigned as_encoded = 1U << 16;      ///< the encoder's output and nothing else
constexpr unsigned y4m = 1U << 17;             ///< a format for raw pictures that names the format of their samples
constexpr unsigned nowhere = 1U << 18;         ///< not written
constexpr unsigned quicktime = 1U << 19;       ///< Apple's format, which borrows letters and numbers from others
// What its muxer does:
constexpr unsigned own_order = 1U << 20;    ///< of packets
constexpr unsigned plays_again = 1U << 21;  ///< is told how often an animation is repeated, if at all
constexpr unsigned plays_once = 1U << 22;   ///< an animation without such information
constexpr unsigned last_delay = 1U << 23;   ///< is told how long the last picture is displayed
constexpr unsigned hundredths = 1U << 24;   ///< of a second, as the unit of that
constexpr unsigned mended = 1U << 25;       ///< writes pictures that are replaced at the end
}  // namespace fact

struct Container {
    std::string_view name;  ///< FFmpeg's name for the muxer; "" for one that has no row
    Family family = Family::other;
    unsigned facts = 0;           ///< of fact::
    std::string_view reader;      ///< FFmpeg's demuxer that reads all packets back; "" if there is none
    std::string_view in_pipes;    ///< what to use in pipes if this one seeks back to its start; "" if it can be used
    const char* plays = nullptr;  ///< the muxer's option of how often an animation is played

    [[nodiscard]] constexpr bool has(unsigned fact) const { return (facts & fact) != 0; }
};

const Container& container_of(const AVOutputFormat& format);

/// For display: libavformat has no name for a file of one picture.
std::string name_of_output(const AVOutputFormat& container);
bool is_transport_stream(const AVOutputFormat& container);
bool is_avi(const AVOutputFormat& container);
bool is_quicktime(const AVOutputFormat& container);
bool is_program_stream(const AVOutputFormat& container);
/// Ogg, including audio-only Ogg.
bool is_ogg(const AVOutputFormat& container);
bool is_mxf(const AVOutputFormat& container);
bool is_matroska(const AVOutputFormat& container);
bool is_block_container(const AVOutputFormat& container);
/// Whether it holds only sound, with covers at most, and no video: WAV, MP3, FLAC, Matroska's .mka.
bool holds_sound_alone(const AVOutputFormat& container);
bool holds_chapters(const AVOutputFormat& container);
/// Whether it can say how a picture is to be rotated or mirrored; mp4 and related ones can hold any other matrix as
/// well.
bool holds_rotation(const AVOutputFormat& container);
/// Whether it does not accept a FourCC chosen by the user.
bool has_no_tags(const AVOutputFormat& container);
/// Whether it holds video of only one codec.
bool has_one_codec(const AVOutputFormat& container);
bool only_counts_pictures(const AVOutputFormat& container);
bool only_counts_sound(const AVOutputFormat& container, AVCodecID codec);
/// The codec for which readers use a FourCC: `codec` if that is possible.
AVCodecID codec_of_tag(const AVOutputFormat& container, AVCodecID codec, unsigned tag);
/// Whether its muxer leaves out the delay of encoded sound, so that times must be moved by it: Opus in Matroska.
bool lacks_delay(const AVOutputFormat& container, AVCodecID codec);
/// The tag of an encoded video: the requested one, otherwise hvc1 for HEVC in QuickTime's containers, as Apple's
/// programs play no other; 0 lets the muxer choose.
unsigned container_tag(const AVOutputFormat& container, AVCodecID codec, const std::string& wanted);
/// Whether FFmpeg's muxer accepts the codec, but writes it in a way that nothing can read.
bool is_unread(const AVOutputFormat& container, AVCodecID codec);
/// The transport stream of Blu-ray and of cameras (BDAV), with packets of 192 bytes, which FFmpeg recognizes only by
/// the name.
bool is_bluray_stream(const AVOutputFormat& container, std::string_view path);
/// Whether MPEG-TS has a type for the codec: otherwise FFmpeg writes it as private data, which nothing can read.
bool has_transport_type(AVCodecID codec);
/// Whether a file in this container tells a reader that its uncompressed pictures have this format.
bool holds_raw(const AVOutputFormat& container, AVPixelFormat format);

}  // namespace vfilter
