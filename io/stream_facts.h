#pragma once
// Properties of streams.

#include <cstddef>
#include <string>

#include "io/handles.h"

namespace vfilter {

/// A cover: a video stream of one picture.
bool is_attached_picture(const AVStream& stream);
/// One of kind::; covers are attachments.
unsigned kind_of(const AVStream& stream);
/// Whether a stream contains subtitles: text, or bitmaps.
inline bool is_subtitle(const AVStream& stream) {
    return stream.codecpar->codec_type == AVMEDIA_TYPE_SUBTITLE;
}
bool has_side_data(const AVStream& stream, AVPacketSideDataType type);
/// The stream of this type that follows `place` others of that type in a file, without covers; -1 if there is none.
int find_stream(const AVFormatContext& file, AVMediaType type, std::size_t place);
/// The stream of this type with this number (`AVStream::id`) in a file, -1 if there is none.
int find_numbered(const AVFormatContext& file, AVMediaType type, int number);
/// "stream 2 (subtitle, subrip, eng)"
std::string describe(const AVStream& stream);

}  // namespace vfilter
