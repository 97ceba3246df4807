#pragma once
// Chapters of an input as places in it.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/io_options.h"
#include "io/handles.h"

namespace vfilter {

/// Times are microseconds of the input's clock, the first that is not before the chapter's own.
struct ChapterPlace {
    std::int64_t begin = 0;
    std::optional<std::int64_t> end{};  ///< nothing where it lasts until the input ends
    std::int64_t margin = 0;            ///< what is shown so much before either lies on it: times of both are rounded
    std::string title;                  ///< "" for none
};

/// In the order in which they begin. None lasts longer than until the next one begins, nor less where its end is not
/// known. `told_end` is that of the input, AV_NOPTS_VALUE if nobody knows.
std::vector<ChapterPlace> chapter_places(const AVFormatContext& input, std::int64_t told_end);

/// The one that `position` of --start or --end is. Throws Error(usage) where there is none, with those that there are
/// and the seconds from `begin`, that of the input, at which they begin.
const ChapterPlace& find_chapter(std::string_view option, const Position& position,
                                 const std::vector<ChapterPlace>& chapters, std::int64_t begin);

}  // namespace vfilter
