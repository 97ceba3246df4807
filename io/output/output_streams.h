#pragma once
// What an output's header says of its streams: parameters, clocks, tags, side data, chapters, programs.

#include <vector>

#include "io/codec/encoder.h"
#include "io/codec/sound/sound_converter.h"
#include "io/input/demuxer.h"

namespace vfilter {

/// A video that is encoded anew.
struct EncodedVideo {
    int stream;            ///< its number in the input
    const AVStream* made;  ///< what the chain has made of it; the input's own stream where it stays as it is
    const Encoder* encoder;
    const AVFrame* first;  ///< its first picture, for what is told of all
};

/// The time of the first picture that comes out, microseconds of the input, unless a graph moves it.
std::int64_t first_picture_of_output(const Demuxer& input, const EncodedVideo& video);

/// Adds the stream of an encoded video to an output: codec, clock, tags, and what is told of its pictures. Throws
/// std::bad_alloc.
void fill_video_stream(AVFormatContext& output, const AVStream& from, const Encoder& encoder, const AVFrame& first,
                       Strip strip = Strip::nothing);

/// Adds the stream of encoded sound. Throws std::bad_alloc.
void fill_sound_stream(AVFormatContext& output, const AVStream& from, const SoundConverter& sound,
                       Strip strip = Strip::nothing);

/// Gives a stream of `container`, whose codec is set, what else is known of the one that it is a copy of. Throws
/// std::bad_alloc.
void fill_copied_stream(const AVOutputFormat& container, const AVStream& from, AVStream& to,
                        Strip strip = Strip::nothing);

/// Of sound in blocks of one length (ADPCM), which nobody has told yet. Its clock in AVI would else go by a bit rate,
/// which is no more than a guess.
void set_block_length(AVStream& to);

/// Gives `to` the streams, programs and tags of another output of the same container. Throws std::bad_alloc.
void repeat_streams(const AVFormatContext& from, AVFormatContext& to);

/// Where the container has no titles of streams, they become the names of its handlers, which players show.
void name_handlers(AVFormatContext& output);

/// QuickTime numbers languages, and FFmpeg's muxer knows each by one spelling alone, which is not always one of ISO
/// 639.
void spell_languages(AVFormatContext& output);

/// Lets time codes of the file and its streams begin with the first picture of the wanted part instead of the video's.
/// `video` is a stream of the input, of which pictures at the rate `made` were made. To be called with the tags of all
/// in place.
void move_time_codes(const Demuxer& input, int video, AVRational made, AVFormatContext& output);

/// Those of the wanted part, with their times in it. Throws std::bad_alloc.
void copy_chapters(const Demuxer& input, AVFormatContext& output, Strip strip);

/// To MPEG-TS, which alone can hold them. `places`: streams of the output by stream of the input, -1 for none; streams
/// of the input after its end have none. Streams that no program of the input has are added to one. Throws
/// std::bad_alloc.
void copy_programs(const AVFormatContext& input, const std::vector<int>& places, AVFormatContext& output,
                   Strip strip = Strip::nothing);

}  // namespace vfilter
