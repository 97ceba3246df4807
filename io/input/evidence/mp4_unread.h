#pragma once
// What the boxes of a movie say that FFmpeg's demuxer does not read.

#include <string>
#include <vector>

#include "io/bitstream/bytes.h"

namespace vfilter {

struct UnreadInMovie {
    struct Track {
        int number = 0;          ///< track_ID
        std::uint32_t type = 0;  ///< of its handler
        std::string language;    ///< in BCP 47 form (elng), "" if not given
        bool only_that = false;  ///< and not in the three letters that FFmpeg reads
        bool enabled = true;
        double volume = 1;            ///< of sound; 0, which some muxers write for any track, is taken as 1
        std::vector<double> rates{};  ///< of edits that are not played at normal speed
        bool ambisonic = false;       ///< SA3D
    };
    std::vector<Track> tracks;
    bool xmp = false;
    std::vector<std::string> utf16;  ///< names of tags that are encoded that way: "\u00a9nam"
    bool more = false;               ///< it was not walked through to its end, or a list is full

    /// Whether nothing of the track's kind would be played, although players play the first one of an output.
    [[nodiscard]] bool is_disabled(const Track& track) const;
};

/// Walks over the heads of boxes; nothing is read from large ones.
UnreadInMovie unread_in_movie(const ReadBytes& read);

}  // namespace vfilter
