// Streams, sound and subtitles of ffmpeg's words.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <iterator>
#include <string_view>
#include <tuple>
#include <utility>

#include "config/error.h"
#include "config/ffmpeg_translation.h"
#include "config/option_values.h"
#include "filters/names.h"

namespace vfilter {

bool FfmpegTranslation::keeps(std::string_view kind) const {
    return !streams.mapped || std::ranges::find(*streams.mapped, kind, &FfmpegMapped::kind) != streams.mapped->end();
}

namespace ffmpeg_words_detail {

namespace {

// The number at the end of "-c:a:1"; all_sounds of "-c:a".
int number_of(const Word& row) {
    const std::size_t colon = row.words.rfind(':');
    const std::string_view digits = row.words.substr(std::min(row.words.size(), colon + 1));
    constexpr int most = 999;
    int number = all_sounds;
    const auto [rest, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    if (error == std::errc::result_out_of_range || number > most) {
        refuse(row, "there are not so many streams");
    }
    return number;
}

FfmpegSound& sound_of(Translation& to, const Word& row) {
    return to.sound.said[number_of(row)];
}

}  // namespace

void take_sound_codec(Translation& to, const Word& row, const std::string& value) {
    sound_of(to, row).codec = value;
}

void take_sound_graph(Translation& to, const Word& row, const std::string& value) {
    if (std::exchange(to.sound.graph, value)) {
        refuse(row,
               "given twice, where ffmpeg uses only the last: keep one, or use --af, which may be repeated "
               "and adds up");
    }
    to.add(row.option, value);
}

void take_channels(Translation& to, const Word& row, const std::string& value) {
    // What ffmpeg makes of a number.
    constexpr std::array<std::string_view, 8> usual{"mono", "stereo", "2.1", "4.0", "5.0", "5.1", "6.1", "7.1"};
    std::size_t count = 0;
    if (!parse_number(std::string_view(value), count) || count < 1 || count > usual.size()) {
        refuse(row, fmt::format("'{}' is no number from 1 to {}", shortened(value), usual.size()));
    }
    to.sound.said[all_sounds].channels = usual.at(count - 1);
}

void take_samplerate(Translation& to, const Word& /*row*/, const std::string& value) {
    to.sound.said[all_sounds].samplerate = value;
}

void take_subtitle_codec(Translation& to, const Word& row, const std::string& value) {
    if (value != "copy" && value != "mov_text") {
        refuse(row, "subtitles stay what they are, or become what the container has: mov_text in mp4, WebVTT in webm");
    }
    to.streams.copies_subtitles = true;
}

void take_sound_rate(Translation& to, const Word& row, const std::string& value) {
    double rate = 0;
    const bool kilo = value.ends_with('k') || value.ends_with('K');
    const char* const end = value.data() + value.size() - (kilo ? 1 : 0);
    const auto [rest, error] = std::from_chars(value.data(), end, rate);
    if (error != std::errc() || rest != end || !(rate > 0)) {
        refuse(row, fmt::format("'{}' is not a bit rate such as 128k", shortened(value)));
    }
    FfmpegSound& sound = sound_of(to, row);
    sound.kilobits = fmt::format("{}", kilo ? rate : rate / 1000);
    sound.rate_word = row.words;
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

void erase_kind(std::vector<FfmpegMapped>& kinds, std::string_view name, int file) {
    std::erase_if(kinds, [&](const FfmpegMapped& one) { return one.kind == name && one.file == file; });
}

bool is_same(const FfmpegMapped& a, const FfmpegMapped& b) {
    return a.kind == b.kind && a.file == b.file && a.which == b.which;
}

void map_whole(std::vector<FfmpegMapped>& kinds, std::string_view name, int file, bool optional) {
    FfmpegMapped whole{std::string(name), file, "", optional};
    if (std::ranges::none_of(kinds, [&](const FfmpegMapped& one) { return is_same(one, whole); })) {
        kinds.push_back(std::move(whole));
    }
}

void map_all(std::vector<FfmpegMapped>& kinds, int file) {
    for (const StreamKind& kind : stream_kinds) {
        if (file == 0 || (kind.letter != 'v' && kind.letter != 'd')) {  // what --add takes
            map_whole(kinds, kind.name, file, true);
        }
    }
}

// Those of the input, and of all that are added.
std::vector<FfmpegMapped> all_kinds(const Translation& to) {
    std::vector<FfmpegMapped> all;
    for (int file = 0; file < std::max(to.inputs.count, 1); ++file) {
        map_all(all, file);
    }
    return all;
}

bool is_in_file_order(std::vector<FfmpegMapped> kinds) {
    std::ranges::stable_sort(kinds, {}, &FfmpegMapped::kind);
    return std::ranges::adjacent_find(kinds, [](const FfmpegMapped& one, const FfmpegMapped& next) {
               return one.kind == next.kind && one.file > next.file;
           }) == kinds.end();
}

// As --streams, --audio and the like name them. A stream of the only file needs no file.
std::string streams_of(const Translation& to, const FfmpegMapped& one) {
    const std::string_view mark = one.optional ? "?" : "";
    if (to.inputs.count < 2 || one.kind == "video") {
        return one.which.empty() ? "" : fmt::format("{}{}", one.which, mark);
    }
    return fmt::format("@{}{}{}{}", one.file, one.which.empty() ? "" : ".", one.which, mark);
}

}  // namespace

// "-metadata:s:a:1", "-disposition:a:1"
void take_label(Translation& to, const Word& row, const std::string& value) {
    const char letter = row.words[row.words.rfind(':') - 1];
    const auto* const kind = std::ranges::find(stream_kinds, letter, &StreamKind::letter);
    if (kind->name == "video" && value.starts_with("rotate=")) {
        refuse(row, rotation_is_no_tag);
    }
    to.streams.labels.push_back({row, std::string(kind->name), number_of(row), value});
}

void take_map(Translation& to, const Word& row, const std::string& value) {
    std::string_view rest = value;
    const bool less = rest.starts_with('-');
    rest.remove_prefix(less ? 1 : 0);
    const bool optional = rest.ends_with('?');
    rest.remove_suffix(optional ? 1 : 0);
    int file = 0;
    const std::string_view digits = rest.substr(0, rest.find(':'));
    const bool numbered = parse_number(digits, file) && file >= 0;
    if (numbered && file >= std::max(to.inputs.count, 1)) {
        refuse(row, fmt::format("'{}': there is no -i with that number, which begins with 0", shortened(value)));
    }
    rest.remove_prefix(numbered ? digits.size() : 0);
    if (numbered && rest.empty() && !less) {
        to.streams.mapped = to.streams.mapped.value_or(std::vector<FfmpegMapped>{});
        map_all(*to.streams.mapped, file);
        return;
    }
    const auto* const kind = !numbered || rest.size() < 2
                                 ? std::end(stream_kinds)
                                 : std::ranges::find(stream_kinds, rest[1] == 'V' ? 'v' : rest[1], &StreamKind::letter);
    rest.remove_prefix(std::min<std::size_t>(rest.size(), 2));
    const bool number = rest.size() > 1 && rest.starts_with(':') && !less &&
                        rest.find_first_not_of("0123456789", 1) == std::string_view::npos;
    const bool language = rest.starts_with(in_language) && !less && kind != std::end(stream_kinds) &&
                          kind->letter != 'v' && rest.size() > in_language.size() + 1;
    if (kind == std::end(stream_kinds) || (!rest.empty() && !number && !language)) {
        refuse(row, fmt::format("'{}': streams are chosen by kind, number and language (--streams video,audio:1,"
                                "subtitles:eng), and one of several videos by --video-stream N",
                                shortened(value)));
    }
    if (file > 0 && (kind->letter == 'v' || kind->letter == 'd')) {
        refuse(row,
               fmt::format("'{}': the video that is filtered is of the first -i, and of others sound, subtitles and "
                           "attachments are taken",
                           shortened(value)));
    }
    if (number || language) {
        to.streams.mapped = to.streams.mapped.value_or(std::vector<FfmpegMapped>{});
        FfmpegMapped one{std::string(kind->name), file, std::string(rest.substr(language ? in_language.size() : 1)),
                         optional};
        if (std::ranges::any_of(*to.streams.mapped, [&](const FfmpegMapped& other) { return is_same(other, one); })) {
            refuse(row, fmt::format(
                            "'{}': each stream can be in the output once; for a second copy, encoded differently, give "
                            "the same file again with --add",
                            shortened(value)));
        }
        to.streams.mapped->push_back(std::move(one));
        return;
    }
    if (less) {
        to.streams.mapped = to.streams.mapped.value_or(all_kinds(to));
        erase_kind(*to.streams.mapped, kind->name, file);
    } else {
        to.streams.mapped = to.streams.mapped.value_or(std::vector<FfmpegMapped>{});
        map_whole(*to.streams.mapped, kind->name, file, optional);
    }
}

void take_no_sound(Translation& to, const Word& /*row*/, const std::string& /*value*/) {
    to.sound.none = true;
}

void take_no_subtitles(Translation& to, const Word& /*row*/, const std::string& /*value*/) {
    to.streams.no_subtitles = true;
}

void take_no_data(Translation& to, const Word& /*row*/, const std::string& /*value*/) {
    to.streams.no_data = true;
}

namespace {

constexpr std::string_view copied_word = "sound is copied unless -c:a says otherwise: -c:a aac -b:a 128k -ac 2";

// How one is made, as --audio takes it; of those of which less is said than of all, the rest is that.
std::string how_of(const FfmpegSound& sound, const FfmpegSound& all) {
    const auto either = [](const std::string& own, const std::string& other) { return own.empty() ? other : own; };
    std::string how = either(sound.codec, all.codec);
    const std::string kilobits = either(sound.kilobits, all.kilobits);
    if (how == "copy") {
        return how;
    }
    how += kilobits.empty() ? "" : ":" + kilobits;
    how += all.channels.empty() ? "" : ":channels=" + all.channels;
    how += all.samplerate.empty() ? "" : ":samplerate=" + all.samplerate;
    return how;
}

// Which of the input it is. ffmpeg takes the best one without -map, and those of -map in its order.
std::string input_stream(const Translation& to, const Word& row, std::string_view kind, int number) {
    std::vector<FfmpegMapped> mapped;
    std::ranges::copy_if(to.streams.mapped.value_or(std::vector<FfmpegMapped>{}), std::back_inserter(mapped),
                         [&](const FfmpegMapped& one) { return one.kind == kind; });
    const auto is_whole = [](const FfmpegMapped& one) { return one.which.empty(); };
    if (mapped.size() == 1 && is_whole(mapped.front())) {
        mapped.front().which = fmt::format("{}", number);
        mapped.front().optional = false;
        return streams_of(to, mapped.front());
    }
    // All of them, in the order of the files. Of words ffmpeg takes the first, of sound of several files any.
    const bool all = !mapped.empty() && std::ranges::all_of(mapped, is_whole) &&
                     std::ssize(mapped) == to.inputs.count && std::ranges::is_sorted(mapped, {}, &FfmpegMapped::file);
    if (all || (!to.streams.mapped && number == 0 && (to.inputs.count < 2 || kind == "subtitles"))) {
        return fmt::format("{}", number);
    }
    const auto is_number = [](const FfmpegMapped& one) {
        return !one.which.empty() && one.which.find_first_not_of("0123456789") == std::string::npos;
    };
    // Before one whose number is known nothing may stand of which nobody knows how many they are.
    for (int before = number; const FfmpegMapped& one : mapped) {
        const bool last = &one == &mapped.back();
        if (is_whole(one) && to.inputs.count > 1 && (before == 0 || last)) {
            return streams_of(to, {one.kind, one.file, fmt::format("{}", before), false});
        }
        if (is_whole(one) || !is_number(one)) {
            break;
        }
        if (before-- == 0) {
            return streams_of(to, one);
        }
    }
    refuse(row,
           "which stream that is depends on -map: with -map 0 it is that of the input; --audio 1=aac, "
           "--metadata audio:eng:title=One and --disposition audio:1=default name the input's own");
}

std::string sound_words(const Translation& to) {
    const auto found = to.sound.said.find(all_sounds);
    FfmpegSound all = found != to.sound.said.end() ? found->second : FfmpegSound{};
    const auto first = to.sound.said.find(0);
    const bool one = !to.streams.mapped && first != to.sound.said.end() && to.sound.said.rbegin()->first == 0;
    if (one) {  // ffmpeg's output has no other
        all.codec = first->second.codec.empty() ? all.codec : first->second.codec;
        all.kilobits = first->second.kilobits.empty() ? all.kilobits : first->second.kilobits;
        all.rate_word = first->second.kilobits.empty() ? all.rate_word : first->second.rate_word;
    }
    std::string words = all.codec.empty() ? "" : how_of(all, all);
    for (const auto& [number, sound] : to.sound.said) {
        if (number != all_sounds && !one) {
            const std::string word = fmt::format("{}:{}", sound.codec.empty() ? "-b:a" : "-c:a", number);
            Word row = *find_ffmpeg_word(word);
            row.words = word;
            const std::string& codec = sound.codec.empty() ? all.codec : sound.codec;
            if (codec.empty() || (codec == "copy" && !sound.kilobits.empty())) {
                refuse(row, copied_word);
            }
            words += fmt::format("{}{}={}", words.empty() ? "" : ",", input_stream(to, row, "audio", number),
                                 how_of(sound, all));
        }
    }
    for (const auto& [word, said, key] : {std::tuple(std::string_view(all.rate_word), &all.kilobits, ":"),
                                          {"-ac", &all.channels, ":channels="},
                                          {"-ar", &all.samplerate, ":samplerate="}}) {
        if (!said->empty() && words.find(key + *said) == std::string::npos) {
            Word row = *find_ffmpeg_word(word);
            row.words = word;
            refuse(row, copied_word);  // none is encoded that could have it
        }
    }
    return words;
}

}  // namespace

// -an and -sn win over codecs, wherever they stand, and codecs of what is not mapped bring none of it back.
static void finish_sound_and_subtitles(Translation& to) {
    if (to.sound.none) {
        to.add("audio", "none");
    } else if (const std::string sounds = to.keeps("audio") ? sound_words(to) : ""; !sounds.empty()) {
        to.add("audio", sounds);
    }
    if (to.streams.no_subtitles) {
        to.add("subtitles", "none");
    } else if (to.streams.copies_subtitles && to.keeps("subtitles")) {
        to.add("subtitles", "copy");
    }
}

void finish_streams(Translation& to) {
    finish_sound_and_subtitles(to);
    for (const FfmpegLabel& label : to.streams.labels) {
        const std::string_view option = label.row.option;
        to.add(option, fmt::format("{}:{}{}{}", label.kind, input_stream(to, label.row, label.kind, label.number),
                                   option == "metadata" ? ":" : "=", label.text));
    }
    if (to.streams.no_data) {
        to.streams.mapped = to.streams.mapped.value_or(all_kinds(to));
        erase_kind(*to.streams.mapped, "data", 0);
    }
    if (to.streams.mapped) {
        if (!to.keeps("video")) {
            refuse(*find_ffmpeg_word("-map"), find_ffmpeg_word("-vn")->help);
        }
        if (!std::ranges::is_permutation(*to.streams.mapped, all_kinds(to), is_same) ||
            !is_in_file_order(*to.streams.mapped)) {
            std::string streams;
            for (const FfmpegMapped& one : *to.streams.mapped) {
                const std::string which = streams_of(to, one);
                streams +=
                    fmt::format("{}{}{}{}", streams.empty() ? "" : ",", one.kind, which.empty() ? "" : ":", which);
            }
            // Before what becomes of sound and subtitles, which takes from them.
            to.words.insert(to.words.begin(), fmt::format("--streams={}", streams));
        }
    }
}

}  // namespace ffmpeg_words_detail

}  // namespace vfilter
