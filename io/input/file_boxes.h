#pragma once
// What the boxes of a file say and FFmpeg does not, or not yet, understand: HEIF pictures that it takes for broken
// movies or reads from the wrong place, and tracks that are parts of other tracks' pictures.

#include <optional>
#include <set>
#include <string>

#include "io/bitstream/bytes.h"
#include "io/handles.h"
#include "io/input/evidence/heif_items.h"
#include "io/input/evidence/matroska_unread.h"

namespace vfilter {

/// A sentence about what is not read from a HEIF file; "" if everything is, or if it is not one.
std::string unread_heif(const ReadBytes& read);

/// What a single-picture file says about its picture; empty for movies, and if FFmpeg reads it itself.
std::optional<HeifItems::Said> said_in_heif(const ReadBytes& read);

/// The numbers (track_ID) of tracks whose pictures are alpha, depth and the like for another track. Empty if the movie
/// box cannot be read.
std::set<int> auxiliary_tracks(const ReadBytes& read);

/// What a movie says about its tracks and itself that FFmpeg does not read, by the streams that were created for the
/// tracks.
UnreadLabels unread_of_movie(const AVFormatContext& format, const ReadBytes& read);

}  // namespace vfilter
