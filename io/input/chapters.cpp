#include "io/input/chapters.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

#include "config/error.h"
#include "config/printable.h"
#include "io/packet_times.h"

namespace vfilter {

namespace {

std::int64_t time_from(std::int64_t time, AVRational base) {
    return av_rescale_q_rnd(time, base, microseconds_base, AV_ROUND_UP);
}

// Matroska rounds pictures to milliseconds, whatever its chapters have, and mp4's chapters may be rounded to those or
// to their own ticks.
std::int64_t rounding_of(AVRational base) {
    constexpr std::int64_t least = AV_TIME_BASE / 2000;
    constexpr std::int64_t most = AV_TIME_BASE / 1000;
    return std::clamp(microseconds(1, base) / 2, least, most);
}

std::string seconds_text(std::int64_t time) {
    return fmt::format("{:.3f} s", seconds_of(std::max<std::int64_t>(time, 0)));
}

std::string list_of(const std::vector<ChapterPlace>& chapters, std::int64_t begin) {
    constexpr std::size_t most_listed = 50;
    constexpr std::size_t most_of_title = 60;  // bytes
    std::string text;
    for (std::size_t i = 0; i < std::min(chapters.size(), most_listed); ++i) {
        const std::string title = printable(chapters[i].title);
        text += fmt::format("{}{}{} at {}", i == 0 ? "" : ", ", i + 1,
                            title.empty() ? ""
                            : title.size() > most_of_title
                                ? fmt::format(" '{}'", printable_detail::shortened(title, most_of_title))
                                : fmt::format(" '{}'", title),
                            seconds_text(chapters[i].begin - begin));
    }
    return text + (chapters.size() > most_listed ? ", and so on" : "");
}

}  // namespace

std::vector<ChapterPlace> chapter_places(const AVFormatContext& input, std::int64_t told_end) {
    std::vector<ChapterPlace> places;
    for (unsigned i = 0; i < input.nb_chapters; ++i) {
        const AVChapter& chapter = *input.chapters[i];
        const AVDictionaryEntry* const title = av_dict_get(chapter.metadata, "title", nullptr, 0);
        ChapterPlace place{.begin = time_from(chapter.start, chapter.time_base),
                           .margin = rounding_of(chapter.time_base),
                           .title = title != nullptr ? title->value : ""};
        // FFmpeg lets one whose end nobody knows end where it begins, if the input's is not known either.
        if (chapter.end != AV_NOPTS_VALUE && chapter.end > chapter.start) {
            place.end = time_from(chapter.end, chapter.time_base);
        }
        places.push_back(std::move(place));
    }
    std::ranges::stable_sort(places, {}, &ChapterPlace::begin);
    constexpr std::int64_t rounded = AV_TIME_BASE / 1000;
    std::optional<std::int64_t> next;  // where the first one begins that begins later
    for (std::size_t i = places.size(); i-- > 0;) {
        ChapterPlace& place = places[i];
        next = i + 1 < places.size() && places[i + 1].begin > place.begin ? places[i + 1].begin : next;
        if (next) {
            place.end = std::min(place.end.value_or(*next), *next);
        } else if (place.end && told_end != AV_NOPTS_VALUE && *place.end + rounded >= told_end) {
            place.end.reset();  // sound may last longer
        }
    }
    return places;
}

const ChapterPlace& find_chapter(std::string_view option, const Position& position,
                                 const std::vector<ChapterPlace>& chapters, std::int64_t begin) {
    const auto number = static_cast<std::size_t>(position.value);
    if (number >= 1 && number <= chapters.size()) {
        return chapters[number - 1];
    }
    throw Error(ExitCode::usage,
                fmt::format("--{} chapter:{}: the input has {}", option, number,
                            chapters.empty() ? "no chapters"
                                             : fmt::format("{} chapter{}: {}", chapters.size(),
                                                           chapters.size() == 1 ? "" : "s", list_of(chapters, begin))));
}

}  // namespace vfilter
