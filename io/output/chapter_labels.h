#pragma once
// What a file says of its chapters.

#include <string>
#include <utility>
#include <vector>

#include "io/handles.h"

namespace vfilter {

using Tags = std::vector<std::pair<std::string, std::string>>;
Tags tags_of(const AVDictionary* from);

struct ChapterLabels {
    double begin = 0;  ///< seconds
    double end = 0;    ///< before the beginning where nobody says
    Tags tags{};
};

std::vector<ChapterLabels> chapters_of(const AVFormatContext& file);

/// What of `sent` is not in `found`: "2 chapters", or else "times of chapters", "ends of chapters", "ARTIST of
/// chapters". Where chapters end is told where one ends before or behind the beginning of the next one, or of the last
/// one much later than it did. What says no ends (Nero's chapters) lets each last until the next; one of no length is a
/// mark, which ends nowhere.
std::vector<std::string> lost_of_chapters(const std::vector<ChapterLabels>& sent,
                                          const std::vector<ChapterLabels>& found);

}  // namespace vfilter
