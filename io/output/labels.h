#pragma once
// What a file says besides its packets: tags, languages, and what each stream is meant for.

#include <optional>
#include <string>
#include <vector>

#include "io/handles.h"
#include "io/output/chapter_labels.h"
#include "io/output/copied_says.h"

namespace vfilter {

struct StreamLabels {
    AVMediaType type = AVMEDIA_TYPE_UNKNOWN;
    int pid = 0;             ///< its number where files may have their streams in another order (pid_of())
    bool in_header = false;  ///< covers and fonts, whose labels are what they are named by
    bool absent = false;     ///< the file has no such stream, and that is known
    Tags tags;
    int disposition = 0;                 ///< AV_DISPOSITION_*
    bool spherical = false;              ///< a projection of what is all around
    bool stereoscopic = false;           ///< two views in one picture
    AVRational pixel_aspect{};           ///< width to height of a pixel; 0 where nobody says
    AVChannelLayout channels{};          ///< of sound, where they are not the usual places for so many; owns nothing
    std::optional<CopiedSays> copied{};  ///< of a video that is copied; of one that is encoded it is told beforehand
};

struct Labels {
    Tags tags;  ///< of the file
    std::vector<StreamLabels> streams;
    std::vector<ChapterLabels> chapters;
    bool may_hold_chapters = false;
};

/// What a muxer is to write, before it does: muxers rename tags.
Labels labels_of(const AVFormatContext& output);

/// What of `sent` the file `opened` does not hold: "artist", "language of stream 1", "forced of stream 2", without what
/// is about the file and not about what it shows (brands, MXF's identifiers, names of programs, statistics). A tag is
/// held where it is found anywhere, or its value under another name, in a tag that is none of the others. Shapes of
/// pixels and places of channels are compared where `opened` knows what its packets say (avformat_find_stream_info):
/// see are_in_packets().
std::vector<std::string> lost_labels(const Labels& sent, const AVFormatContext& opened);

/// Whether something of it may stand in the packets alone: pixels that are not square, channels in unusual places,
/// colours of copied videos.
bool are_in_packets(const Labels& labels);

}  // namespace vfilter
