#include "io/output/unread_labels.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

#include "config/printable.h"
#include "io/containers.h"
#include "io/output/tags.h"
#include "io/packet_times.h"

namespace vfilter {

namespace {

constexpr std::size_t named = 5;  // of a kind
constexpr std::size_t most = 8;   // in a line

struct Phrase {
    std::string_view one, several;
};

struct ChapterRow {
    UnreadChapter::What what{};
    Phrase lost;
};
constexpr ChapterRow of_chapters[] = {
    {UnreadChapter::What::nested, {"{} nested chapter", "{} nested chapters"}},
    {UnreadChapter::What::edition, {"{} chapter of another edition", "{} chapters of other editions"}},
    {UnreadChapter::What::out_of_order, {"{} chapter out of order", "{} chapters out of order"}},
    {UnreadChapter::What::title, {"{} title in another language", "{} titles in other languages"}},
    {UnreadChapter::What::language, {"the language of {} title", "the language of {} titles"}},
    {UnreadChapter::What::hidden, {"that {} is hidden", "that {} are hidden"}},
    {UnreadChapter::What::disabled, {"that {} is disabled", "that {} are disabled"}},
    {UnreadChapter::What::ordered, {"that {} edition is played in its own order", ""}},
};

struct TagRow {
    UnreadTag::What what{};
    Phrase lost;
};
constexpr TagRow of_tags[] = {
    {UnreadTag::What::repeated, {"{} value of a repeated tag", "{} values of repeated tags"}},
    {UnreadTag::What::level, {"the level of {} tag", "the levels of {} tags"}},
    {UnreadTag::What::nesting, {"the nesting of {} tag", "the nesting of {} tags"}},
    {UnreadTag::What::binary, {"{} binary tag", "{} binary tags"}},
    {UnreadTag::What::targets, {"all but one thing that {} tag is about", "all but one thing that {} tags are about"}},
};

// `more`: not all were remembered.
std::string counted(std::size_t count, bool more) {
    return fmt::format("{}{}", more ? "at least " : "", count);
}

std::string phrase(const Phrase& of, std::size_t count, std::vector<std::string> names, bool more) {
    std::string text = fmt::format(fmt::runtime(count == 1 ? of.one : of.several), counted(count, more));
    std::ranges::sort(names);
    names.erase(std::unique(names.begin(), names.end()), names.end());
    const std::size_t shown = std::min(names.size(), named);
    for (std::size_t i = 0; i < shown; ++i) {
        text += (i == 0 ? " (" : ", ") + printable(names[i]);
    }
    return text + (names.size() > shown ? fmt::format(" and {} more)", counted(names.size() - shown, more))
                   : shown > 0          ? ")"
                                        : "");
}

bool of_part(const UnreadChapter& chapter, const Demuxer& input) {
    const double begin = input.part().start ? seconds_of(*input.part().start) : 0;
    return (chapter.begin >= begin || chapter.end > begin) &&
           (!input.part().exact_end || chapter.begin < seconds_of(*input.part().exact_end));
}

std::vector<std::string> lost_of_chapters(const Demuxer& input, Strip strip) {
    std::vector<std::string> lost;
    for (const ChapterRow& row : of_chapters) {
        std::size_t count = 0;
        std::vector<std::string> languages;
        const bool words = row.what == UnreadChapter::What::title || row.what == UnreadChapter::What::language;
        for (const UnreadChapter& chapter : input.unread().chapters) {
            if (chapter.what == row.what && of_part(chapter, input) && !(words && strip >= Strip::tags)) {
                ++count;
                if (!chapter.language.empty()) {
                    languages.push_back(chapter.language);
                }
            }
        }
        if (count > 0) {
            lost.push_back(phrase(row.lost, count, std::move(languages), input.unread().more));
        }
    }
    return lost;
}

std::vector<std::string> lost_of_tags(const Demuxer& input, const StreamMap& streams) {
    std::vector<std::string> lost;
    for (const TagRow& row : of_tags) {
        std::vector<std::string> names;
        for (const UnreadTag& tag : input.unread().tags) {
            if (tag.what == row.what && !tells_encoding(tag.name) && (tag.stream < 0 || streams.carries(tag.stream))) {
                names.push_back(tag.name);
            }
        }
        if (const std::size_t count = names.size(); count > 0) {
            lost.push_back(phrase(row.lost, count, std::move(names), input.unread().more));
        }
    }
    return lost;
}

// Of the three letters that FFmpeg reads nothing is lost by themselves.
std::vector<std::string> lost_languages(const Demuxer& input, const StreamMap& streams) {
    std::vector<std::string> lost;
    for (const UnreadTrack& track : input.unread().tracks) {
        const AVFormatContext& format = input.format();
        if (track.stream >= static_cast<int>(format.nb_streams) || !streams.carries(track.stream)) {
            continue;
        }
        const AVDictionaryEntry* const read =
            av_dict_get(format.streams[track.stream]->metadata, "language", nullptr, 0);
        const bool known = read != nullptr && std::string_view(read->value) != "und";
        const bool more = track.language.find('-') != std::string::npos;
        if (!track.language.empty() && track.language != "und" && (more || !known) &&
            !(read != nullptr && track.language == read->value)) {
            lost.push_back(fmt::format("{} of stream {}", printable(track.language), track.stream));
        }
    }
    return lost;
}

std::vector<std::string> disabled_streams(const Demuxer& input, const StreamMap& streams) {
    std::vector<std::string> lost;
    for (const UnreadTrack& track : input.unread().tracks) {
        if (track.disabled && streams.carries(track.stream)) {
            lost.push_back(fmt::format("stream {}", track.stream));
        }
    }
    return lost;
}

std::vector<std::string> lost_others(const Demuxer& input, const StreamMap& streams, Strip strip) {
    std::vector<std::string> lost;
    for (const UnreadOther& other : input.unread().others) {
        if ((other.stream < 0 || streams.place(other.stream) >= 0) && !(other.words && strip >= Strip::tags)) {
            lost.push_back(printable(other.what) +
                           (other.stream < 0 ? "" : fmt::format(" of stream {}", other.stream)));
        }
    }
    return lost;
}

}  // namespace

std::vector<std::string> tell_unread(const Demuxer& input, const StreamMap& streams, const AVOutputFormat& container,
                                     Strip strip) {
    std::vector<std::string> all;
    if (container_of(container).has(fact::nowhere)) {
        return all;  // nothing is written, and nothing lost
    }
    const auto tell = [&](std::string_view line, std::string_view entry, const std::vector<std::string>& lost) {
        if (!lost.empty()) {
            const auto shown = static_cast<std::ptrdiff_t>(std::min(lost.size(), most));
            const std::string listed = fmt::format("{}", fmt::join(lost.begin(), lost.begin() + shown, ", "));
            const std::string more =
                std::ssize(lost) > shown
                    ? fmt::format(" and {} more",
                                  counted(lost.size() - static_cast<std::size_t>(shown), input.unread().more))
                    : "";
            spdlog::warn(fmt::runtime(line), listed + more);
            std::ranges::transform(lost, std::back_inserter(all),
                                   [&](const std::string& each) { return fmt::format(fmt::runtime(entry), each); });
        }
    };
    const bool movie = std::string_view(input.format().iformat->name).starts_with("mov");
    tell(movie ? "left out, as FFmpeg does not read it of mp4: {}"
               : "left out, as FFmpeg does not read it of Matroska: {}",
         "{}", lost_others(input, streams, strip));
    if (holds_chapters(container)) {
        tell("chapters lose what FFmpeg does not read of Matroska: {}", "chapters: {}", lost_of_chapters(input, strip));
    }
    if (strip < Strip::tags) {
        tell("tags lose what FFmpeg does not read of Matroska: {}", "tags: {}", lost_of_tags(input, streams));
        tell(movie ? "regions and scripts of languages are lost, as FFmpeg does not read them of mp4: {}"
                   : "regions and scripts of languages are lost, as FFmpeg does not read them of Matroska: {}",
             "language {}", lost_languages(input, streams));
    }
    tell(movie ? "marked as not to be used in the input, where no other is, and used in the output: {}"
               : "marked as not to be used in the input (FlagEnabled), which FFmpeg does not read, and used in the "
                 "output: {}",
         "that {} is disabled", disabled_streams(input, streams));
    return all;
}

}  // namespace vfilter
