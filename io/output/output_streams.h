#pragma once
// What an output's header says about its streams: parameters, clocks, tags, side data, chapters, programs.

#include <vector>

#include "io/codec/encoder.h"
#include "io/codec/sound/sound_converter.h"
#include "io/input/demuxer.h"

namespace vfilter {

/// A video that is re-encoded.
struct EncodedVideo {
    int stream;            ///< its number in the input
    const AVStream* made;  ///< what the chain has made of it; the input's own stream if unchanged
    const Encoder* encoder;
    const AVFrame* first;  ///< its first picture, for properties that apply to all
};

/// The time of the first output picture, microseconds of the input, unless a graph moves it.
std::int64_t first_picture_of_output(const Demuxer& input, const EncodedVideo& video);

/// Adds the stream of an encoded video to an output: codec, clock, tags, and the properties of its pictures. Throws
/// std::bad_alloc.
/// std::bad_alloc.
void fill_video_stream(AVFormatContext& output, const AVStream& from, const Encoder& encoder, const AVFrame& first,
                       Strip strip = Strip::nothing);

/// Adds the stream of encoded sound. Throws std::bad_alloc.
void fill_sound_stream(AVFormatContext& output, const AVStream& from, const SoundConverter& sound,
                       Strip strip = Strip::nothing);

/// Sets the remaining properties of a stream in `container`, whose codec is set, from the one that it copies. Throws
/// std::bad_alloc.
void fill_copied_stream(const AVOutputFormat& container, const AVStream& from, AVStream& to,
                        Strip strip = Strip::nothing);

/// For sound in blocks of fixed length (ADPCM), if it is not set yet. Otherwise its clock in AVI would be based on a
/// bit rate, which is only a guess.
void set_block_length(AVStream& to);

/// Gives `to` the streams, programs and tags of another output with the same container. Throws std::bad_alloc.
void repeat_streams(const AVFormatContext& from, AVFormatContext& to);

/// If the container has no titles of streams, they become the names of its handlers, which players display.
void name_handlers(AVFormatContext& output);

/// QuickTime numbers languages, and FFmpeg's muxer knows each by only one spelling, which is not always one from ISO
/// 639.
void spell_languages(AVFormatContext& output);

/// Makes time codes of the file and its streams begin with the first picture of the wanted part instead of the video's.
/// `video` is the input stream from which pictures at the rate `made` were made. Call it when all tags are in place.
void move_time_codes(const Demuxer& input, int video, AVRational made, AVFormatContext& output);

/// Copies the chapters of the wanted part, with times relative to it. Throws std::bad_alloc.
void copy_chapters(const Demuxer& input, AVFormatContext& output, Strip strip);

/// To MPEG-TS, the only container that can hold them. `places`: output streams by input stream, -1 for none; input
/// streams after its end have none. Streams that belong to no program of the input are added to one. Throws
/// std::bad_alloc.
void copy_programs(const AVFormatContext& input, const std::vector<int>& places, AVFormatContext& output,
                   Strip strip = Strip::nothing);

}  // namespace vfilter
