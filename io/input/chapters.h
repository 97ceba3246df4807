#pragma once
// Chapters of an input as positions in it.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/io_options.h"
#include "io/handles.h"

namespace vfilter {

/// Times are microseconds of the input's clock; each is the first that is not before the chapter's own time.
struct ChapterPlace {
    std::int64_t begin = 0;
    std::optional<std::int64_t> end{};  ///< empty if it lasts until the input ends
    std::int64_t margin = 0;            ///< what is shown so much before either lies on it: times of both are rounded
    std::string title;                  ///< "" for none
};

/// In the order of their beginnings. None lasts beyond the beginning of the next; one whose end is unknown lasts until
/// then. `told_end` is that of the input, AV_NOPTS_VALUE if unknown.
std::vector<ChapterPlace> chapter_places(const AVFormatContext& input, std::int64_t told_end);

/// The chapter that `position` of --start or --end refers to. Throws Error(usage) if it does not exist, and lists the
/// existing ones with the seconds at which they begin, from `begin`, that of the input.
const ChapterPlace& find_chapter(std::string_view option, const Position& position,
                                 const std::vector<ChapterPlace>& chapters, std::int64_t begin);

}  // namespace vfilter
