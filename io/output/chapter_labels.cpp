#include "io/output/chapter_labels.h"

#include <fmt/format.h>

extern "C" {
#include <libavutil/avstring.h>
}

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace vfilter {

namespace {

constexpr double chapter_tolerance = 0.05;  // seconds
constexpr double of_last = 0.5;             // by which its end is known: sound lasts longer than pictures

// By which muxers let a file begin at 0 that has something before: no more than codecs put there.
double offset_of(const std::vector<ChapterLabels>& sent, const std::vector<ChapterLabels>& found) {
    constexpr double priming = 0.5;
    const double moved = found.front().begin - sent.front().begin;
    return std::abs(moved) < priming ? moved : 0;
}

bool same_begins(const std::vector<ChapterLabels>& sent, const std::vector<ChapterLabels>& found) {
    if (sent.empty() || found.empty()) {
        return sent.empty() && found.empty();
    }
    const double offset = offset_of(sent, found);
    return std::ranges::equal(sent, found, [&](const ChapterLabels& a, const ChapterLabels& b) {
        return std::abs(a.begin + offset - b.begin) < chapter_tolerance;
    });
}

bool same_ends(const std::vector<ChapterLabels>& sent, const std::vector<ChapterLabels>& found) {
    for (std::size_t i = 0; i < sent.size(); ++i) {
        const bool last = i + 1 == sent.size();
        const bool told = found[i].end >= found[i].begin;
        if (!told && last) {
            return true;
        }
        const double end = told ? found[i].end : found[i + 1].begin;
        const double later = end - sent[i].end - offset_of(sent, found);
        if (sent[i].end > sent[i].begin && (last ? later > of_last : std::abs(later) >= chapter_tolerance)) {
            return false;
        }
    }
    return true;
}

// A title that is there may be written in another way.
bool holds(const ChapterLabels& found, const std::string& key, const std::string& value) {
    return value.empty() || std::ranges::any_of(found.tags, [&](const auto& tag) {
               const bool own = av_strcasecmp(tag.first.c_str(), key.c_str()) == 0;
               return tag.second == value || (own && av_strcasecmp(key.c_str(), "title") == 0);
           });
}

}  // namespace

Tags tags_of(const AVDictionary* from) {
    Tags tags;
    const AVDictionaryEntry* tag = nullptr;
    while ((tag = av_dict_get(from, "", tag, AV_DICT_IGNORE_SUFFIX)) != nullptr) {
        tags.emplace_back(tag->key, tag->value);
    }
    return tags;
}

std::vector<ChapterLabels> chapters_of(const AVFormatContext& file) {
    std::vector<ChapterLabels> all;
    for (unsigned i = 0; i < file.nb_chapters; ++i) {
        const AVChapter& chapter = *file.chapters[i];
        const double unit = av_q2d(chapter.time_base);
        const auto begin = static_cast<double>(chapter.start);
        const auto end = static_cast<double>(chapter.end);
        const bool told = chapter.end != AV_NOPTS_VALUE && chapter.end >= chapter.start;
        all.push_back(
            {.begin = begin * unit, .end = told ? end * unit : begin * unit - 1, .tags = tags_of(chapter.metadata)});
    }
    return all;
}

std::vector<std::string> lost_of_chapters(const std::vector<ChapterLabels>& sent,
                                          const std::vector<ChapterLabels>& found) {
    std::vector<std::string> lost;
    if (const std::size_t kept = found.size(); kept < sent.size()) {
        const std::size_t fewer = sent.size() - kept;
        return {fmt::format("{} chapter{}", fewer, fewer == 1 ? "" : "s")};
    }
    if (!same_begins(sent, found)) {
        return {"times of chapters"};
    }
    if (!same_ends(sent, found)) {
        lost.emplace_back("ends of chapters");
    }
    for (std::size_t i = 0; i < sent.size(); ++i) {
        for (const auto& [key, value] : sent[i].tags) {
            const std::string name = key + " of chapters";
            if (!holds(found[i], key, value) && std::ranges::find(lost, name) == lost.end()) {
                lost.push_back(name);
            }
        }
    }
    return lost;
}

}  // namespace vfilter
