#include "io/output/tags.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

extern "C" {
#include <libavutil/avstring.h>
}

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <new>
#include <span>
#include <string_view>
#include <utility>

#include "config/letters.h"
#include "io/output/stream_choices.h"
#include "io/stream_facts.h"

namespace vfilter {

namespace {

// Tags that tell of the old encoding, or of the old file: what wrote it (of AVI and ASF, too), and which rules it
// keeps.
constexpr std::array<std::string_view, 10> stale_tags{
    "encoder",           "encoder_options", "software",     "major_brand", "minor_version",
    "compatible_brands", "WMFSDKVersion",   "WMFSDKNeeded", "IsVBR",       "DeviceConformanceTemplate"};
constexpr std::array<std::string_view, 4> stale_statistics{"BPS", "NUMBER_OF_FRAMES", "NUMBER_OF_BYTES",
                                                           "_STATISTICS_"};
// In whatever letters, anywhere in a key: com.apple.quicktime.location.ISO6709, location-eng, RECORDING_LOCATION.
constexpr std::array<std::string_view, 6> words_of_places{"location",  "gps",      "latitude",
                                                          "longitude", "altitude", "iso6709"};
// Tracks of data that say nothing but when: QuickTime's chapters and time code.
constexpr std::array harmless_data{MKTAG('t', 'e', 'x', 't'), MKTAG('t', 'm', 'c', 'd')};

// Takes a sign, `least` digits or more and a fraction from the front.
bool take_angle(std::string_view& text, std::size_t least) {
    const auto digits = [&] {
        const std::size_t end = std::min(text.find_first_not_of("0123456789"), text.size());
        text.remove_prefix(end);
        return end;
    };
    if (text.empty() || (text.front() != '+' && text.front() != '-')) {
        return false;
    }
    text.remove_prefix(1);
    if (digits() < least) {
        return false;
    }
    if (!text.empty() && text.front() == '.') {
        text.remove_prefix(1);
        digits();
    }
    return true;
}

// In any language: BPS-eng.
bool counts_stream(std::string_view key) {
    constexpr std::string_view length = "DURATION";
    return std::ranges::any_of(stale_statistics, [&](std::string_view start) { return key.starts_with(start); }) ||
           (key.starts_with(length) && (key.size() == length.size() || key[length.size()] == '-'));
}

const AVDictionaryEntry* find_tag(const AVDictionary* tags, const std::string& key) {
    return av_dict_get(tags, key.c_str(), nullptr, 0);
}

}  // namespace

bool tells_encoding(const std::string& key) {
    return std::ranges::any_of(stale_tags,
                               [&](std::string_view tag) { return av_strcasecmp(tag.data(), key.c_str()) == 0; }) ||
           std::ranges::any_of(stale_statistics, [&](std::string_view start) { return key.starts_with(start); });
}

bool tells_place(const std::string& key, const std::string& value) {
    const std::string lower = lower_case(key);
    if (lower == "xyz" || lower == "\xa9xyz" || std::ranges::any_of(words_of_places, [&](std::string_view word) {
            return lower.find(word) != std::string::npos;
        })) {
        return true;
    }
    std::string_view text = value;
    return take_angle(text, 2) && take_angle(text, 3) &&
           (text.empty() || text.front() == '/' || text.front() == '+' || text.front() == '-');
}

void copy_tags(AVDictionary*& to, const AVDictionary* from, Coded coded, Strip strip) {
    const AVDictionaryEntry* tag = nullptr;
    while (strip < Strip::tags && (tag = av_dict_get(from, "", tag, AV_DICT_IGNORE_SUFFIX)) != nullptr) {
        const bool place = strip >= Strip::places && tells_place(tag->key, tag->value);
        if (!place && !(coded == Coded::anew && tells_encoding(tag->key))) {
            av_check(av_dict_set(&to, tag->key, tag->value, 0), "av_dict_set");
        }
    }
}

void drop_statistics(AVFormatContext& of_part) {
    for (unsigned i = 0; i < of_part.nb_streams; ++i) {
        AVDictionary* all = std::exchange(of_part.streams[i]->metadata, nullptr);
        const AVDictionaryEntry* tag = nullptr;
        while ((tag = av_dict_get(all, "", tag, AV_DICT_IGNORE_SUFFIX)) != nullptr) {
            if (!counts_stream(tag->key)) {
                av_dict_set(&of_part.streams[i]->metadata, tag->key, tag->value, 0);
            }
        }
        av_dict_free(&all);
    }
}

void set_tags(AVDictionary*& to, const std::vector<std::pair<std::string, std::string>>& tags) {
    for (const auto& [key, value] : tags) {
        av_check(av_dict_set(&to, key.c_str(), value.empty() ? nullptr : value.c_str(), 0), "av_dict_set");
    }
}

void label_streams(const Demuxer& input, const std::vector<int>& places, const OutputOptions& options,
                   AVFormatContext& to) {
    const auto label = [&](const StreamChoice& choice, std::string_view what, const auto& give) {
        bool there = false;
        for (std::size_t i = 0; i < places.size(); ++i) {
            if (places[i] >= 0 && is_chosen(input, *input.format().streams[i], choice)) {
                give(*to.streams[places[i]]);
                there = true;
            }
        }
        if (!there && !choice.optional) {
            const std::string kept = names_of_kept(input, places, choice.kind);
            spdlog::warn(
                "{}: the output has no such stream{}", what,
                kept.empty() ? "" : fmt::format("; names are those of the input's streams, of which it has {}", kept));
        }
    };
    for (const StreamTag& tag : options.stream_tags) {
        label(tag.of, fmt::format("the tag {}={} of a stream", tag.key, tag.value), [&](AVStream& made) {
            set_tags(made.metadata, {{tag.key, tag.value}});
        });
    }
    constexpr int covers = AV_DISPOSITION_ATTACHED_PIC | AV_DISPOSITION_TIMED_THUMBNAILS | AV_DISPOSITION_STILL_IMAGE;
    for (const StreamPurposes& wanted : options.purposes) {
        label(wanted.of, "--disposition", [&](AVStream& made) {
            made.disposition &= covers;
            for (const std::string& name : wanted.names) {
                made.disposition |= av_disposition_from_string(name.c_str());
            }
        });
    }
}

bool is_usual_handler(const std::string& name) {
    constexpr std::array<std::string_view, 16> words{
        "handle", "media", "gpac",    "produced by", "imported", "trackid",   "#video", "#audio",
        "gopro",  "dji.",  "ambarel", "mainconcept", "l-smash",  "time code", "muxer",  "google inc"};
    constexpr std::array<std::string_view, 13> types{"",          "video",  "audio", "sound", "subtitle",
                                                     "subtitles", "text",   "vide",  "soun",  "data",
                                                     "chapters",  "stereo", "mono"};
    const std::string lower = lower_case(name);
    const bool signs =
        std::ranges::none_of(lower, [](unsigned char letter) { return std::isalnum(letter) != 0 || letter > 127; });
    return signs || std::ranges::find(types, lower) != types.end() ||
           std::ranges::any_of(words, [&](std::string_view word) { return lower.find(word) != std::string::npos; });
}

void title_by_handlers(AVFormatContext& output) {
    for (AVStream* const stream : std::span(output.streams, output.nb_streams)) {
        const AVDictionaryEntry* const handler = find_tag(stream->metadata, "handler_name");
        const std::string name = handler != nullptr ? handler->value : "";
        const AVDictionaryEntry* const title = find_tag(stream->metadata, "title");
        if (!is_usual_handler(name) && (title == nullptr || name == title->value)) {
            av_check(av_dict_set(&stream->metadata, "title", name.c_str(), 0), "av_dict_set");
            av_dict_set(&stream->metadata, "handler_name", nullptr, 0);
        }
    }
}

bool is_stripped(const AVStream& stream, Strip strip) {
    const AVCodecParameters& codec = *stream.codecpar;
    if (codec.codec_type == AVMEDIA_TYPE_DATA) {
        // Who knows what is in it: action cameras, phones and drones write places into tracks of a dozen names.
        return strip >= Strip::places && std::ranges::find(harmless_data, codec.codec_tag) == harmless_data.end();
    }
    return strip >= Strip::extras && (codec.codec_type == AVMEDIA_TYPE_ATTACHMENT || is_attached_picture(stream));
}

void set_neutral_name(AVStream& attachment, const AVStream& from) {
    const AVDictionaryEntry* const type = find_tag(from.metadata, "mimetype");
    const AVDictionaryEntry* const name = find_tag(from.metadata, "filename");
    const std::string old = name != nullptr ? name->value : "";
    const std::size_t dot = old.rfind('.');
    constexpr std::size_t longest = 5;  // of an ending that says what it is, and nothing else
    const bool ending = dot != std::string::npos && old.size() - dot <= longest;
    av_dict_set(&attachment.metadata, "filename",
                fmt::format("attachment{}{}", from.index, ending ? old.substr(dot) : "").c_str(), 0);
    if (type != nullptr) {
        av_dict_set(&attachment.metadata, "mimetype", type->value, 0);
    }
}

}  // namespace vfilter
