#pragma once
// What a file says besides its packets: tags, languages, and the purpose of each stream.

#include <optional>
#include <string>
#include <vector>

#include "io/handles.h"
#include "io/output/chapter_labels.h"
#include "io/output/copied_says.h"

namespace vfilter {

struct StreamLabels {
    AVMediaType type = AVMEDIA_TYPE_UNKNOWN;
    int pid = 0;             ///< its number if files may have their streams in another order (pid_of())
    bool in_header = false;  ///< covers and fonts, whose labels are their names
    bool absent = false;     ///< the file is known not to have such a stream
    Tags tags;
    int disposition = 0;                 ///< AV_DISPOSITION_*
    bool spherical = false;              ///< a projection of a full sphere
    bool stereoscopic = false;           ///< two views in one picture
    AVRational pixel_aspect{};           ///< width divided by height of a pixel; 0 if unknown
    AVChannelLayout channels{};          ///< of sound, if they are not the usual layout for that number; owns nothing
    std::optional<CopiedSays> copied{};  ///< of a copied video; for an encoded one this is reported beforehand
};

struct Labels {
    Tags tags;  ///< of the file
    std::vector<StreamLabels> streams;
    std::vector<ChapterLabels> chapters;
    bool may_hold_chapters = false;
};

/// What a muxer is to write, recorded beforehand: muxers rename tags.
Labels labels_of(const AVFormatContext& output);

/// What of `sent` the file `opened` does not contain: "artist", "language of stream 1", "forced of stream 2", without
/// what is about the file rather than its contents (brands, MXF's identifiers, names of programs, statistics). A tag
/// counts as present if it is found anywhere, or if its value is found under another name, in a tag that is none of the
/// others. Pixel shapes and channel positions are compared if `opened` knows what its packets say
/// (avformat_find_stream_info): see are_in_packets().
std::vector<std::string> lost_labels(const Labels& sent, const AVFormatContext& opened);

/// Whether some of it may be only in the packets: non-square pixels, channels in unusual positions, colours of copied
/// videos.
bool are_in_packets(const Labels& labels);

}  // namespace vfilter
