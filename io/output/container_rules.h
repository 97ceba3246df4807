#pragma once
// Which codecs, streams and tags a container accepts, and how.

#include "io/handles.h"

namespace vfilter {

/// Whether the container can hold a copy of the stream.
bool can_hold(const AVOutputFormat& container, const AVStream& stream);
/// What Blu-ray's transport stream can hold in addition.
bool can_hold_bluray(const AVStream& stream);
/// Whether all of the copied stream is in the header, and no packet follows: fonts, and in Matroska covers.
bool is_header_only(const AVOutputFormat& container, const AVStream& stream);
/// Whether the muxer creates this track itself from other copied data: QuickTime's tracks for chapters and time code.
bool is_remade(const AVOutputFormat& container, const AVStream& stream, bool chapters);
/// Whether mp4 and mov store a global tag in iTunes' or their own form; all others need Apple's keys.
bool is_itunes_tag(const char* key);

}  // namespace vfilter
