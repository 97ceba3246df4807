// Streams, sound and subtitles of ffmpeg's words.

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <string_view>

#include "config/error.h"
#include "config/ffmpeg_translation.h"
#include "filters/names.h"

namespace vfilter {

bool FfmpegTranslation::keeps(std::string_view kind) const {
    return !kinds || std::ranges::any_of(*kinds, [kind](const std::string& one) { return one.starts_with(kind); });
}

namespace ffmpeg_words_detail {

void take_sound_codec(Translation& to, const Word& /*row*/, const std::string& value) {
    to.sound_codec = value;
}

void take_subtitle_codec(Translation& to, const Word& row, const std::string& value) {
    if (value != "copy" && value != "mov_text") {
        refuse(row, "subtitles stay what they are, or become what the container has: mov_text in mp4, WebVTT in webm");
    }
    to.copies_subtitles = true;
}

void take_sound_rate(Translation& to, const Word& row, const std::string& value) {
    double rate = 0;
    const bool kilo = value.ends_with('k') || value.ends_with('K');
    const char* const end = value.data() + value.size() - (kilo ? 1 : 0);
    const auto [rest, error] = std::from_chars(value.data(), end, rate);
    if (error != std::errc() || rest != end || !(rate > 0)) {
        refuse(row, fmt::format("'{}' is not a bit rate such as 128k", shortened(value)));
    }
    to.sound_rate = fmt::format("{}", kilo ? rate : rate / 1000);
}

namespace {

/// -map 0:LETTER
struct StreamKind {
    char letter;
    std::string_view name;
};
constexpr StreamKind stream_kinds[] = {
    {'v', "video"}, {'a', "audio"}, {'s', "subtitles"}, {'d', "data"}, {'t', "attachments"}};

constexpr std::string_view in_language = ":m:language:";

// With those that are chosen of it.
void erase_kind(std::vector<std::string>& kinds, std::string_view name) {
    std::erase_if(kinds, [&](const std::string& kind) {
        return kind.starts_with(name) && (kind.size() == name.size() || kind[name.size()] == ':');
    });
}

std::vector<std::string> all_kinds() {
    std::vector<std::string> all;
    for (const StreamKind& kind : stream_kinds) {
        all.emplace_back(kind.name);
    }
    return all;
}

}  // namespace

void take_map(Translation& to, const Word& row, const std::string& value) {
    std::string_view rest = value;
    const bool less = rest.starts_with('-');
    rest.remove_prefix(less ? 1 : 0);
    const bool optional = rest.ends_with('?');
    rest.remove_suffix(optional ? 1 : 0);
    if (rest == "0" && !less) {
        to.kinds = all_kinds();
        return;
    }
    const auto* const kind = rest.size() < 3 || !rest.starts_with("0:")
                                 ? std::end(stream_kinds)
                                 : std::ranges::find(stream_kinds, rest[2] == 'V' ? 'v' : rest[2], &StreamKind::letter);
    rest.remove_prefix(std::min<std::size_t>(rest.size(), 3));
    const bool number = rest.size() > 1 && rest.starts_with(':') && !less &&
                        rest.find_first_not_of("0123456789", 1) == std::string_view::npos;
    const bool language = rest.starts_with(in_language) && !less && kind != std::end(stream_kinds) &&
                          kind->letter != 'v' && rest.size() > in_language.size() + 1;
    if (kind == std::end(stream_kinds) || (!rest.empty() && !number && !language)) {
        refuse(row, fmt::format("'{}': streams are chosen by kind, number and language (--streams video,audio:1,"
                                "subtitles:eng), and one of several videos by --video-stream N",
                                shortened(value)));
    }
    if (number || language) {
        to.kinds = to.kinds.value_or(std::vector<std::string>{});
        to.kinds->push_back(
            fmt::format("{}:{}{}", kind->name, rest.substr(language ? in_language.size() : 1), optional ? "?" : ""));
        return;
    }
    if (less) {
        to.kinds = to.kinds.value_or(all_kinds());
        erase_kind(*to.kinds, kind->name);
    } else {
        to.kinds = to.kinds.value_or(std::vector<std::string>{});
        if (std::ranges::find(*to.kinds, kind->name) == to.kinds->end()) {
            to.kinds->emplace_back(kind->name);
        }
    }
}

void take_no_sound(Translation& to, const Word& /*row*/, const std::string& /*value*/) {
    to.no_sound = true;
}

void take_no_subtitles(Translation& to, const Word& /*row*/, const std::string& /*value*/) {
    to.no_subtitles = true;
}

void take_no_data(Translation& to, const Word& /*row*/, const std::string& /*value*/) {
    to.no_data = true;
}

// -an and -sn win over codecs, wherever they stand, and codecs of what is not mapped bring none of it back.
static void finish_sound_and_subtitles(Translation& to) {
    if (to.no_sound) {
        to.add("audio", "none");
    } else if (!to.sound_rate.empty() && (to.sound_codec.empty() || to.sound_codec == "copy")) {
        refuse(*find_ffmpeg_word("-b:a"), "sound is copied unless -c:a says otherwise: -c:a aac -b:a 128k");
    } else if (!to.sound_codec.empty() && to.keeps("audio")) {
        to.add("audio", fmt::format("{}{}{}", to.sound_codec, to.sound_rate.empty() ? "" : ":", to.sound_rate));
    }
    if (to.no_subtitles) {
        to.add("subtitles", "none");
    } else if (to.copies_subtitles && to.keeps("subtitles")) {
        to.add("subtitles", "copy");
    }
}

void finish_streams(Translation& to) {
    finish_sound_and_subtitles(to);
    if (to.no_data) {
        to.kinds = to.kinds.value_or(all_kinds());
        erase_kind(*to.kinds, "data");
    }
    if (to.kinds) {
        if (!to.keeps("video")) {
            refuse(*find_ffmpeg_word("-map"), find_ffmpeg_word("-vn")->help);
        }
        if (!std::ranges::is_permutation(*to.kinds, all_kinds())) {
            // Before what becomes of sound and subtitles, which takes from them.
            to.words.insert(to.words.begin(),
                            fmt::format("--streams={}",
                                        join(std::vector<std::string_view>(to.kinds->begin(), to.kinds->end()), ",")));
        }
    }
}

}  // namespace ffmpeg_words_detail

}  // namespace vfilter
