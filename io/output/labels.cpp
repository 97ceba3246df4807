#include "io/output/labels.h"

#include <fmt/format.h>

extern "C" {
#include <libavutil/avstring.h>
#include <libavutil/parseutils.h>
#include <libavutil/stereo3d.h>
}

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string_view>
#include <utility>

#include "io/codec/sound/sound_layouts.h"
#include "io/compat.h"
#include "io/containers.h"
#include "io/output/tags.h"
#include "io/output/transport_pids.h"
#include "io/stream_facts.h"

namespace vfilter {

namespace {

// Tags that demuxers make of how a file was made; some of MXF, ASF and AVI.
constexpr std::array<std::string_view, 12> technical{
    "major_brand", "minor_version", "compatible_brands", "handler_name",
    "vendor_id",   "duration",      "data_type",         "DeviceConformanceTemplate",
    "IsVBR",       "stereo_mode",   "software",          "encoding_tool"};
constexpr std::array<std::string_view, 2> identifiers{"uid", "umid"};
// What only says that a stream is as any other, or what its type says already.
constexpr int purposes = AV_DISPOSITION_FORCED | AV_DISPOSITION_HEARING_IMPAIRED | AV_DISPOSITION_VISUAL_IMPAIRED |
                         AV_DISPOSITION_COMMENT | AV_DISPOSITION_DUB | AV_DISPOSITION_ORIGINAL | AV_DISPOSITION_LYRICS |
                         AV_DISPOSITION_KARAOKE | AV_DISPOSITION_CLEAN_EFFECTS | AV_DISPOSITION_CAPTIONS |
                         AV_DISPOSITION_DESCRIPTIONS | AV_DISPOSITION_DEPENDENT | AV_DISPOSITION_METADATA;

bool same_name(std::string_view a, std::string_view b) {
    return a.size() == b.size() && av_strncasecmp(a.data(), b.data(), a.size()) == 0;
}

// Without the language that demuxers put behind it: DURATION-eng.
std::string_view without_language(std::string_view key) {
    constexpr std::size_t suffix = std::string_view("-eng").size();
    const bool has_one = key.size() > suffix && key[key.size() - suffix] == '-';
    return has_one ? key.substr(0, key.size() - suffix) : key;
}

bool is_technical(const std::string& key) {
    const std::string_view bare = without_language(key);
    return tells_encoding(key) || tells_encoding(std::string(bare)) ||
           std::ranges::any_of(technical, [&](std::string_view name) { return same_name(name, bare); }) ||
           std::ranges::any_of(identifiers, [&](std::string_view end) {
               return key.size() >= end.size() && same_name(std::string_view(key).substr(key.size() - end.size()), end);
           });
}

Tags tags_of(const AVDictionary* from) {
    Tags tags;
    const AVDictionaryEntry* tag = nullptr;
    while ((tag = av_dict_get(from, "", tag, AV_DICT_IGNORE_SUFFIX)) != nullptr) {
        tags.emplace_back(tag->key, tag->value);
    }
    return tags;
}

// Latitude and longitude as ISO 6709 writes them, with any number of digits: "+48.1+11.5/".
std::optional<std::array<double, 2>> place_of(const std::string& text) {
    std::array<double, 2> angles{};
    const char* rest = text.c_str();
    for (double& angle : angles) {
        char* end = nullptr;
        angle = *rest == '+' || *rest == '-' ? std::strtod(rest, &end) : 0;
        if (end == nullptr || end == rest) {
            return std::nullopt;
        }
        rest = end;
    }
    return angles;
}

bool same_place(const std::string& a, const std::string& b) {
    constexpr double tolerance = 0.0001;  // degrees: 11 m
    const auto one = place_of(a);
    const auto other = place_of(b);
    return one && other &&
           std::ranges::equal(*one, *other, [](double x, double y) { return std::abs(x - y) <= tolerance; });
}

// And its translations: location-eng.
bool is_location(std::string_view key) {
    constexpr std::string_view location = "location";
    return same_name(key.substr(0, location.size()), location);
}

bool is_creation_time(std::string_view key) {
    return same_name(without_language(key), "creation_time");
}

// As muxers read it: without a zone the time is a local one, and between date and time may be a blank.
bool same_second(std::string a, std::string b) {
    constexpr std::size_t date = std::string_view("2026-01-31").size();
    constexpr std::size_t to_seconds = std::string_view("2026-01-31T12:00:00").size();
    constexpr std::int64_t second = AV_TIME_BASE;
    if (a.size() < to_seconds || b.size() < to_seconds) {
        return false;
    }
    a[date] = b[date] = 'T';
    std::int64_t one = 0;
    std::int64_t other = 0;
    return a.compare(0, to_seconds, b, 0, to_seconds) == 0 ||
           (av_parse_time(&one, a.c_str(), 0) >= 0 && av_parse_time(&other, b.c_str(), 0) >= 0 &&
            one / second == other / second);
}

// Containers keep the time of creation in seconds, and places in four digits behind the point (ISO 6709).
bool same_value(const std::string& key, const std::string& wanted, const std::string& found) {
    return wanted == found || (is_creation_time(key) && same_second(wanted, found)) ||
           (is_location(key) && same_place(wanted, found));
}

// Tags of everywhere in the file: Ogg's belong to its streams, and QuickTime's time code is a track.
Tags all_tags(const AVFormatContext& file) {
    Tags all = tags_of(file.metadata);
    for (unsigned i = 0; i < file.nb_streams; ++i) {
        const Tags more = tags_of(file.streams[i]->metadata);
        all.insert(all.end(), more.begin(), more.end());
    }
    return all;
}

// The tags of a file, each of which is what became of one tag that was sent.
class FoundTags {
public:
    FoundTags(Tags tags, const Labels& sent) : tags_(std::move(tags)), taken_(tags_.size()) {
        // Under its own name one may be that of the file and of its streams at once. Names of handlers are what has
        // become of titles.
        const auto take = [&](const Tags& all) {
            for (const auto& [key, value] : all) {
                if (!is_technical(key)) {
                    take_own(key, value);
                }
            }
        };
        take(sent.tags);
        for (const StreamLabels& stream : sent.streams) {
            take(stream.tags);
        }
    }

    /// Whether a tag that was sent is there, or its value under another name, which counts for one tag alone.
    bool hold(const std::string& key, const std::string& value) {
        return take_own(key, value) ||
               take([&](std::size_t i) { return !taken_[i] && same_value(key, value, tags_[i].second); });
    }

private:
    bool take_own(const std::string& key, const std::string& value) {
        return take([&](std::size_t i) {
            return same_name(without_language(tags_[i].first), without_language(key)) &&
                   same_value(key, value, tags_[i].second);
        });
    }
    // The first one that fits.
    bool take(const auto& fits) {
        for (std::size_t i = 0; i < tags_.size(); ++i) {
            if (fits(i)) {
                taken_[i] = true;
                return true;
            }
        }
        return false;
    }

    Tags tags_;
    std::vector<bool> taken_;
};

// The language may be written in another way.
bool has_language(const AVStream* stream) {
    const AVDictionaryEntry* const tag =
        stream != nullptr ? av_dict_get(stream->metadata, "language", nullptr, 0) : nullptr;
    return tag != nullptr && std::string_view(tag->value) != "und";
}

// What became of a stream that comes after `place` others of its type, or null.
const AVStream* twin_of(const StreamLabels& sent, const AVFormatContext& file, std::size_t place) {
    const int index = sent.pid != 0 ? find_numbered(file, sent.type, sent.pid) : find_stream(file, sent.type, place);
    return index >= 0 ? file.streams[index] : nullptr;
}

// When each begins, seconds.
std::vector<double> chapters_of(const AVFormatContext& file) {
    std::vector<double> begins;
    for (unsigned i = 0; i < file.nb_chapters; ++i) {
        begins.push_back(static_cast<double>(file.chapters[i]->start) * av_q2d(file.chapters[i]->time_base));
    }
    return begins;
}

// But for one offset, by which muxers let a file begin at 0 that has something before: no more than codecs put there.
bool same_times(const std::vector<double>& sent, const std::vector<double>& found) {
    constexpr double tolerance = 0.05;
    constexpr double priming = 0.5;
    if (sent.empty() || found.empty()) {
        return sent.empty() && found.empty();
    }
    const double moved = found.front() - sent.front();
    const double offset = std::abs(moved) < priming ? moved : 0;
    return std::ranges::equal(sent, found, [&](double a, double b) { return std::abs(a + offset - b) < tolerance; });
}

bool is_stereoscopic(const AVStream& stream) {
    bool two_views = false;
    for_each_side_data(stream, [&](const AVPacketSideData& data) {
        two_views = two_views || (data.type == AV_PKT_DATA_STEREO3D &&
                                  reinterpret_cast<const AVStereo3D*>(data.data)->type != AV_STEREO3D_2D);
    });
    return two_views;
}

bool is_square(AVRational aspect) {
    return aspect.num <= 0 || aspect.den <= 0 || aspect.num == aspect.den;
}

// Some containers and codecs have a few shapes to choose from, or numbers of few bits.
bool same_shape(AVRational a, AVRational b) {
    constexpr double tolerance = 0.01;
    return !is_square(b) && std::abs(av_q2d(a) / av_q2d(b) - 1) < tolerance;
}

bool is_same_place(const AVChannelLayout& a, const AVChannelLayout& b) {
    return a.nb_channels == b.nb_channels && places_of(a, b).mixed.empty();
}

// `found` is what became of the stream in the file, or null. When it was made is told once, where the file does not say
// when it was itself: recorders write both, which may be some seconds apart.
std::vector<std::string> lost_of_stream(const StreamLabels& sent, const AVStream* found, FoundTags& there,
                                        bool& time_told) {
    std::vector<std::string> lost;
    for (const auto& [key, value] : sent.tags) {
        const bool time = is_creation_time(key);
        if (same_name(key, "language")) {
            if (value != "und" && !has_language(found)) {
                lost.push_back(key);
            }
        } else if (!is_technical(key) && !there.hold(key, value) && !(time && time_told)) {
            lost.push_back(key);
            time_told = time_told || time;
        }
    }
    const int purposes_lost = sent.disposition & purposes & ~(found != nullptr ? found->disposition : 0);
    for (int flag = 1; flag <= purposes_lost; flag *= 2) {
        if ((purposes_lost & flag) != 0) {
            lost.emplace_back(av_disposition_to_string(flag));
        }
    }
    if (sent.spherical && (found == nullptr || !has_side_data(*found, AV_PKT_DATA_SPHERICAL))) {
        lost.emplace_back("spherical projection");
    }
    if (sent.stereoscopic && (found == nullptr || !is_stereoscopic(*found))) {
        lost.emplace_back("stereo mode");
    }
    if (!is_square(sent.pixel_aspect)) {
        const AVRational own = found == nullptr                     ? AVRational{}
                               : found->sample_aspect_ratio.num > 0 ? found->sample_aspect_ratio
                                                                    : found->codecpar->sample_aspect_ratio;
        if (!same_shape(sent.pixel_aspect, own)) {
            lost.push_back(fmt::format("pixel aspect {}:{}{}", sent.pixel_aspect.num, sent.pixel_aspect.den,
                                       is_square(own) ? "" : fmt::format(" (it says {}:{})", own.num, own.den)));
        }
    }
    if (sent.channels.nb_channels > 0) {
        AVChannelLayout own = found != nullptr ? found->codecpar->ch_layout : AVChannelLayout{};
        complete_layout(own);
        if (!is_same_place(sent.channels, own)) {
            lost.push_back(fmt::format("channels {}", name_of_layout(sent.channels)));
        }
    }
    return lost;
}

// None where they are where any player puts so many, or of which nobody says where they are.
AVChannelLayout unusual_channels(const AVStream& stream) {
    const AVChannelLayout& channels = stream.codecpar->ch_layout;
    if (stream.codecpar->codec_type != AVMEDIA_TYPE_AUDIO || channels.order != AV_CHANNEL_ORDER_NATIVE) {
        return {};
    }
    AVChannelLayout usual{};
    av_channel_layout_default(&usual, channels.nb_channels);
    return is_same_place(channels, usual) ? AVChannelLayout{} : channels;
}

// Of so many streams of one type the one that plays unless another one is chosen, by its place among them.
template <typename Disposition>
std::size_t chosen(std::size_t count, const Disposition& disposition_at) {
    for (std::size_t i = 0; i < count; ++i) {
        if ((disposition_at(i) & AV_DISPOSITION_DEFAULT) != 0) {
            return i;
        }
    }
    return 0;
}

}  // namespace

Labels labels_of(const AVFormatContext& output) {
    Labels labels{.tags = tags_of(output.metadata),
                  .streams = {},
                  .chapters = chapters_of(output),
                  .may_hold_chapters = holds_chapters(*output.oformat)};
    const bool second_is_auxiliary = std::string_view(output.oformat->name) == "avif";
    for (unsigned i = 0; i < output.nb_streams; ++i) {
        const AVStream& stream = *output.streams[i];
        labels.streams.push_back(
            {.type = stream.codecpar->codec_type,
             .pid = pid_of(output, stream),
             .in_header = is_attached_picture(stream) || stream.codecpar->codec_type == AVMEDIA_TYPE_ATTACHMENT,
             .absent = false,
             .tags = tags_of(stream.metadata),
             .disposition = stream.disposition & ~(second_is_auxiliary ? AV_DISPOSITION_DEPENDENT : 0),
             .spherical = has_side_data(stream, AV_PKT_DATA_SPHERICAL),
             .stereoscopic = is_stereoscopic(stream),
             .pixel_aspect =
                 stream.codecpar->codec_type == AVMEDIA_TYPE_VIDEO ? stream.sample_aspect_ratio : AVRational{},
             .channels = unusual_channels(stream)});
    }
    return labels;
}

bool are_in_packets(const Labels& labels) {
    return std::ranges::any_of(labels.streams, [](const StreamLabels& stream) {
        return !is_square(stream.pixel_aspect) || stream.channels.nb_channels > 0;
    });
}

std::vector<std::string> lost_labels(const Labels& sent, const AVFormatContext& opened) {
    FoundTags there(all_tags(opened), sent);
    std::vector<std::string> lost;
    bool time_told = false;
    for (const auto& [key, value] : sent.tags) {
        if (!is_technical(key) && !there.hold(key, value)) {
            lost.push_back(key);
        }
        time_told = time_told || is_creation_time(key);
    }
    // Fewer are told beforehand where the container has none at all.
    if (opened.nb_chapters > 0 || sent.may_hold_chapters) {
        if (const std::size_t kept = chapters_of(opened).size(); kept < sent.chapters.size()) {
            const std::size_t fewer = sent.chapters.size() - kept;
            lost.push_back(fmt::format("{} chapter{}", fewer, fewer == 1 ? "" : "s"));
        } else if (!same_times(sent.chapters, chapters_of(opened))) {
            lost.emplace_back("times of chapters");
        }
    }
    std::array<std::vector<std::size_t>, AVMEDIA_TYPE_NB> of_types{};
    for (std::size_t i = 0; i < sent.streams.size(); ++i) {
        const StreamLabels& stream = sent.streams[i];
        if (stream.in_header || stream.absent || stream.type < 0) {
            continue;
        }
        std::vector<std::size_t>& of_type = of_types[static_cast<std::size_t>(stream.type)];
        const AVStream* const found = twin_of(stream, opened, of_type.size());
        of_type.push_back(i);
        for (const std::string& what : lost_of_stream(stream, found, there, time_told)) {
            lost.push_back(fmt::format("{} of stream {}", what, i));
        }
    }
    for (const AVMediaType type : {AVMEDIA_TYPE_VIDEO, AVMEDIA_TYPE_AUDIO}) {
        const std::vector<std::size_t>& of_type = of_types[static_cast<std::size_t>(type)];
        const std::size_t wanted =
            chosen(of_type.size(), [&](std::size_t place) { return sent.streams[of_type[place]].disposition; });
        const std::size_t kept = chosen(of_type.size(), [&](std::size_t place) {
            const AVStream* const stream = twin_of(sent.streams[of_type[place]], opened, place);
            return stream != nullptr ? stream->disposition : 0;
        });
        if (wanted != kept) {
            lost.push_back(fmt::format("default of stream {}", of_type[wanted]));
        }
    }
    return lost;
}

}  // namespace vfilter
