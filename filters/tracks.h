#pragma once
// Regions that move: boxes of tracked objects, as trackers write them.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "filters/spans.h"

namespace vfilter {

inline constexpr std::size_t max_track_bytes = std::size_t{1} << 28;  ///< of a file
/// Between two rows of a track that are further apart, it is not there.
inline constexpr double max_track_gap_frames = 60;
inline constexpr double max_track_gap_seconds = 2;
/// By how much a track in seconds begins before its first row and ends after its last, as it does at gaps: half a
/// picture at 25 in a second.
inline constexpr double track_hold_seconds = 0.02;

/// In pixels of the picture as it is shown; may reach over its edges.
struct TrackBox {
    double left = 0;
    double top = 0;
    double width = 0;  ///< > 0, as height
    double height = 0;
    bool operator==(const TrackBox&) const = default;
};

/// One object.
struct Track {
    struct Row {
        double at = 0;  ///< the number of a picture, from 0, or seconds
        TrackBox box{};
        bool operator==(const Row&) const = default;
    };
    std::string id;
    std::vector<Row> rows;  ///< ascending, no two at once
    bool operator==(const Track&) const = default;
};

/// Immutable once read.
struct Tracks {
    std::string file;
    bool in_seconds = false;
    std::vector<Track> tracks;  ///< in the order in which they first appear
    bool operator==(const Tracks&) const = default;

    /// A track's box in a picture.
    struct Place {
        std::size_t track = 0;
        TrackBox box{};
    };
    /// Those of all tracks that are there, linear between rows. `places` is replaced.
    void find(const PictureTime& picture, std::vector<Place>& places) const;
};

/// Reads a table: MOTChallenge's columns (frame, id, left, top, width, height; frames count from 1; what follows is
/// ignored), or those that a header line names, in any order, with `time` in seconds in place of `frame` if it says
/// so. Throws std::invalid_argument with a sentence: the file, and the line.
Tracks read_tracks(const std::string& file);
/// The same from text. `file` is for messages.
Tracks parse_tracks(std::string_view text, const std::string& file);

}  // namespace vfilter
