#pragma once
// What the boxes of a file say that FFmpeg does not, or not yet, understand: pictures in HEIF that it takes for broken
// movies or reads from where nothing of them lies, and tracks that are parts of others' pictures.

#include <optional>
#include <set>
#include <string>

#include "io/bitstream/bytes.h"
#include "io/handles.h"
#include "io/input/evidence/heif_items.h"
#include "io/input/evidence/matroska_unread.h"

namespace vfilter {

/// A sentence on what of HEIF is not read; "" if all is, or it is no such file.
std::string unread_heif(const ReadBytes& read);

/// What a file of a single picture says of it; nothing of movies, and where FFmpeg reads it by itself.
std::optional<HeifItems::Said> said_in_heif(const ReadBytes& read);

/// The numbers (track_ID) of tracks whose pictures are alpha, depth and the like of another track's. None where the
/// movie box cannot be read.
std::set<int> auxiliary_tracks(const ReadBytes& read);

/// What a movie says of its tracks and itself that FFmpeg does not read, by the streams that were made of the tracks.
UnreadLabels unread_of_movie(const AVFormatContext& format, const ReadBytes& read);

}  // namespace vfilter
