#pragma once
// What a file says about its chapters.

#include <string>
#include <utility>
#include <vector>

#include "io/handles.h"

namespace vfilter {

using Tags = std::vector<std::pair<std::string, std::string>>;
Tags tags_of(const AVDictionary* from);

struct ChapterLabels {
    double begin = 0;  ///< seconds
    double end = 0;    ///< less than `begin` if unknown
    Tags tags{};
};

std::vector<ChapterLabels> chapters_of(const AVFormatContext& file);

/// What of `sent` is not in `found`: "2 chapters", or otherwise "times of chapters", "ends of chapters", "ARTIST of
/// chapters". The ends of chapters are reported as lost if one ends before or after the beginning of the next one, or
/// if the last one ends much later than it did. Formats without ends (Nero's chapters) let each last until the next;
/// one without duration is a mark, which has no end.
std::vector<std::string> lost_of_chapters(const std::vector<ChapterLabels>& sent,
                                          const std::vector<ChapterLabels>& found);

}  // namespace vfilter
