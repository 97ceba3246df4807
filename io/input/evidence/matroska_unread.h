#pragma once
// What a Matroska file says about its chapters, tags, tracks and links that FFmpeg's demuxer does not read, or
// misreads, because it has no place for it.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace vfilter {

/// A chapter that is lost in part or as a whole.
struct UnreadChapter {
    enum class What { nested, title, language, hidden, disabled, edition, out_of_order, ordered };
    What what = What::nested;
    double begin = 0;  ///< seconds
    double end = 0;
    std::string language;  ///< of a title: three letters, or BCP 47
};

/// A tag that is lost in part.
struct UnreadTag {
    enum class What { repeated, level, nesting, binary, targets };
    What what = What::repeated;
    std::string name;  ///< "ARTIST", or "TITLE at 70"
    int stream = -1;   ///< that it is about; -1: the file, a chapter or an attachment
};

struct UnreadTrack {
    int stream = -1;
    std::string codec;
    std::string language;    ///< in BCP 47 form, "" if not given
    bool only_that = false;  ///< and not in the three letters that FFmpeg reads
    bool disabled = false;
    bool encrypted = false;
    bool scrambled = false;  ///< for MPEG-TS: what was found of it
};

/// Anything else: "links to other segments (part1.mkv)", "volume 0.25".
struct UnreadOther {
    std::string what;
    int stream = -1;     ///< that it is about; -1: the file
    bool words = false;  ///< texts, which go with the tags
};

struct UnreadLabels {
    std::vector<UnreadChapter> chapters;
    std::vector<UnreadTag> tags;
    std::vector<UnreadTrack> tracks;  ///< for Matroska all that have a stream
    std::vector<UnreadOther> others;
    std::vector<std::uint64_t> of_other_editions;  ///< UIDs of chapters that belong only to those
    bool more = false;                             ///< one of these is full: the file may have more of it
};

inline bool is_scrambled(const UnreadLabels& unread, int stream) {
    return std::ranges::any_of(unread.tracks,
                               [&](const UnreadTrack& track) { return track.scrambled && track.stream == stream; });
}

/// Reads bytes at a position in the file; fewer at its end.
using ReadAt = std::function<std::size_t(std::int64_t offset, std::span<std::uint8_t> to)>;

/// Reads the headers before the first cluster, and those listed in the index of headers.
UnreadLabels unread_in_matroska(const ReadAt& read);

}  // namespace vfilter
