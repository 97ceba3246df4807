#pragma once
// Which codecs, streams and tags a container takes, and how.

#include "io/handles.h"

namespace vfilter {

/// Whether a copy of the stream has a place in the container.
bool can_hold(const AVOutputFormat& container, const AVStream& stream);
/// What Blu-ray's transport stream holds besides.
bool can_hold_bluray(const AVStream& stream);
/// Whether all of the copied stream stands in the header, and no packet follows: fonts, and in Matroska covers.
bool is_header_only(const AVOutputFormat& container, const AVStream& stream);
/// Whether the muxer makes this track anew from what is copied otherwise: QuickTime's tracks of chapters and time code.
bool is_remade(const AVOutputFormat& container, const AVStream& stream, bool chapters);
/// Whether mp4 and mov hold a global tag in iTunes' or their own way; all others need Apple's keys.
bool is_itunes_tag(const char* key);

}  // namespace vfilter
