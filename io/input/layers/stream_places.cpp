#include "io/input/layers/stream_places.h"

#include <algorithm>
#include <string_view>

#include "io/changed_parameters.h"

namespace vfilter {

namespace {

std::string_view told_language(const AVStream& stream) {
    const AVDictionaryEntry* const language = av_dict_get(stream.metadata, "language", nullptr, 0);
    return language != nullptr ? language->value : "";
}

// What sets streams of one kind and language apart for whoever watches.
int role_of(const AVStream& stream) {
    constexpr int roles = AV_DISPOSITION_DUB | AV_DISPOSITION_ORIGINAL | AV_DISPOSITION_COMMENT |
                          AV_DISPOSITION_FORCED | AV_DISPOSITION_HEARING_IMPAIRED | AV_DISPOSITION_VISUAL_IMPAIRED |
                          AV_DISPOSITION_CLEAN_EFFECTS | AV_DISPOSITION_ATTACHED_PIC | AV_DISPOSITION_DESCRIPTIONS |
                          AV_DISPOSITION_DEPENDENT;
    return stream.disposition & roles;
}

bool may_be(const AVStream& before, const AVStream& now) {
    return before.codecpar->codec_type == now.codecpar->codec_type &&
           before.codecpar->codec_id == now.codecpar->codec_id;
}

// A sender that is set up anew may give out other numbers, so that what people hear and see says more.
int likeness(const AVStream& before, const AVStream& now) {
    constexpr int of_language = 8;
    constexpr int of_role = 4;
    constexpr int of_number = 2;
    return (told_language(before) == told_language(now) ? of_language : 0) +
           (role_of(before) == role_of(now) ? of_role : 0) + (before.id == now.id ? of_number : 0) +
           (have_changed(*before.codecpar, *now.codecpar) ? 0 : 1);
}

struct Pair {
    int now;
    int before;
    int likeness;
};

}  // namespace

StreamPlaces::StreamPlaces(const AVFormatContext& before, unsigned count, const AVFormatContext& now, bool opened_again)
    : before_(before), count_(count), opened_again_(opened_again) {
    std::vector<const AVStream*> streams;
    for (unsigned i = 0; i < now.nb_streams; ++i) {
        if (opened_again_) {
            streams.push_back(now.streams[i]);
        } else {
            places_.emplace(static_cast<int>(i), i < count_ ? static_cast<int>(i) : -1);
        }
    }
    find(streams);
}

void StreamPlaces::find(const std::vector<const AVStream*>& streams) {
    std::vector<Pair> pairs;
    for (const AVStream* const stream : streams) {
        for (int old = 0; old < static_cast<int>(count_); ++old) {
            const AVStream& known = *before_.streams[old];
            if (may_be(known, *stream) && !has(old)) {
                pairs.push_back({stream->index, old, likeness(known, *stream)});
            }
        }
    }
    std::ranges::stable_sort(pairs, std::ranges::greater(), &Pair::likeness);
    for (const Pair& pair : pairs) {
        if (!places_.contains(pair.now) && !has(pair.before)) {
            places_.emplace(pair.now, pair.before);
        }
    }
    for (const AVStream* const stream : streams) {
        places_.emplace(stream->index, -1);  // where it has none yet
    }
}

int StreamPlaces::of(const AVStream& stream) {
    if (!places_.contains(stream.index) && opened_again_) {
        find({&stream});
    }
    const auto found = places_.find(stream.index);
    return found == places_.end() ? -1 : found->second;
}

int StreamPlaces::now_of(int stream) const {
    const auto found = std::ranges::find_if(places_, [stream](const auto& place) { return place.second == stream; });
    return found == places_.end() ? -1 : found->first;
}

}  // namespace vfilter
