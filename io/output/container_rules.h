#pragma once
// What containers can hold: facts that libavformat does not tell, or tells too late.

#include <string>
#include <string_view>

#include "io/handles.h"

namespace vfilter {

/// Whether the container names codecs in its own way, or not at all, whatever four letters a user chose.
bool has_no_tags(const AVOutputFormat& container);
/// The codec for which readers take four letters: `codec` where that may be.
AVCodecID codec_of_tag(const AVOutputFormat& container, AVCodecID codec, unsigned tag);

/// For people: libavformat has no name for a file of one picture.
std::string name_of_output(const AVOutputFormat& container);
/// MPEG-TS, in RTP as well.
bool is_transport_stream(const AVOutputFormat& container);
bool is_avi(const AVOutputFormat& container);
/// mp4, mov and their family.
bool is_quicktime(const AVOutputFormat& container);
/// Whether it holds sound, with covers at most, and no video: WAV, MP3, FLAC, Matroska's .mka.
bool holds_sound_alone(const AVOutputFormat& container);
/// Whether its muxer writes chapters.
bool holds_chapters(const AVOutputFormat& container);
/// Whether it holds no times of pictures, only how many there are a second.
bool only_counts_pictures(const AVOutputFormat& container);
/// Whether it holds no times of sound of this codec, which is heard without gaps from the beginning of the file on.
bool only_counts_sound(const AVOutputFormat& container, AVCodecID codec);
/// Ogg, of sound alone as well.
bool is_ogg(const AVOutputFormat& container);
bool is_matroska(const AVOutputFormat& container);
/// Matroska and its subset.
bool is_block_container(const AVOutputFormat& container);
/// Whether its muxer leaves out the delay of encoded sound, by which times are to be moved: Opus in Matroska.
bool lacks_delay(const AVOutputFormat& container, AVCodecID codec);
/// The tag of an encoded video: the wanted one, else hvc1 for HEVC in QuickTime's containers, which Apple's programs
/// play alone; 0 lets the muxer choose.
unsigned container_tag(const AVOutputFormat& container, AVCodecID codec, const std::string& wanted);
/// Whether a copy of the stream has a place in the container.
bool can_hold(const AVOutputFormat& container, const AVStream& stream);
/// Whether FFmpeg's muxer takes the codec, but writes it in a way from which nobody can read it.
bool is_unread(const AVOutputFormat& container, AVCodecID codec);
/// The transport stream of Blu-ray and of cameras (BDAV), of packets of 192 bytes, which FFmpeg tells by the name
/// alone.
bool is_bluray_stream(const AVOutputFormat& container, std::string_view path);
/// What such a one holds besides.
bool can_hold_bluray(const AVStream& stream);
/// Whether MPEG-TS has a type for the codec: what has none FFmpeg writes as private data, which nobody reads.
bool has_transport_type(AVCodecID codec);
/// Whether a file of this container tells a reader that its uncompressed pictures are of this format.
bool holds_raw(const AVOutputFormat& container, AVPixelFormat format);
/// Whether all of the copied stream stands in the header, and no packet follows: fonts, and in Matroska covers.
bool is_header_only(const AVOutputFormat& container, const AVStream& stream);
/// Whether the muxer makes this track anew from what is copied otherwise: QuickTime's tracks of chapters and time code.
bool is_remade(const AVOutputFormat& container, const AVStream& stream, bool chapters);
/// Whether mp4 and mov hold a global tag in iTunes' or their own way; all others need Apple's keys.
bool is_itunes_tag(const char* key);

}  // namespace vfilter
