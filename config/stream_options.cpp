#include "config/stream_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstddef>
#include <optional>
#include <utility>

#include "config/chain.h"
#include "config/error.h"
#include "config/option_fields.h"
#include "config/option_values.h"
#include "config/sound_options.h"
#include "config/stream_choice.h"

namespace vfilter {

namespace {

constexpr std::array<Choice<Strip>, 3> strip_choices{
    {{"gps", Strip::places}, {"metadata", Strip::tags}, {"all", Strip::extras}}};
constexpr std::array<Choice<unsigned>, 6> kind_choices{{{"all", kind::all},
                                                        {"video", kind::video},
                                                        {"audio", kind::audio},
                                                        {"subtitles", kind::subtitles},
                                                        {"data", kind::data},
                                                        {"attachments", kind::attachments}}};

bool is_of_some(const StreamChoice& choice) {
    return choice.number >= 0 || !choice.language.empty() || choice.file >= 0;
}

// The one video that is kept is the one that is filtered, until a later choice of streams names none.
void filter_chosen_video(Command& command, const std::vector<StreamChoice>& choices) {
    const auto video = std::ranges::find(choices, kind::video, &StreamChoice::kind);
    if (video == choices.end()) {
        const std::vector<StreamChoice>& before = command.options.output.choices;
        if (std::ranges::find(before, kind::video, &StreamChoice::kind) != before.end()) {
            command.options.input.video_stream.clear();
        }
        return;
    }
    if (std::ranges::count(choices, kind::video, &StreamChoice::kind) > 1) {
        refuse("streams", "one video is filtered and kept alone; --video-stream all filters and keeps all");
    }
    if (video->optional && video->number > 0) {
        refuse("streams",
               fmt::format("'video:{0}?': the video that is filtered has to be there: video:{0}", video->number));
    }
    command.options.input.video_stream = fmt::format("{}", video->number);
}

void parse_streams(Command& command, const std::string& text) {
    if (!text.empty() && text.find_first_not_of("0123456789") == std::string::npos) {
        refuse("streams", fmt::format("'{0}' is no kind of streams, such as video,audio:1; how many pictures are on a "
                                      "GPU at once is --gpu-streams {0}",
                                      shortened(text)));
    }
    unsigned kinds = 0;
    unsigned whole = 0;  // kinds that are named by themselves
    std::vector<StreamChoice> choices;
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find(',', begin), text.size());
        const std::string word = text.substr(begin, end - begin);
        const std::size_t colon = word.find(':');
        const unsigned named_kind = choose("streams", word.substr(0, colon), kind_choices);
        if (colon != std::string::npos) {
            if (named_kind == kind::all) {
                refuse("streams", fmt::format("'{}': of which kind?", shortened(word)));
            }
            choices.push_back(parse_stream_choice("streams", named_kind, word.substr(colon + 1)));
        } else if (named_kind != kind::all) {
            whole |= named_kind;
            if (named_kind != kind::video) {
                choices.push_back({named_kind, -1, "", true, -1});  // the rest, behind those that are named
            }
        }
        kinds |= named_kind;
        begin = end + 1;
    }
    filter_chosen_video(command, choices);
    unsigned named = 0;
    for (const StreamChoice& choice : choices) {
        named |= is_of_some(choice) ? choice.kind : 0;
    }
    named &= ~(whole & kind::video);
    std::erase_if(choices, [&](const StreamChoice& choice) { return (choice.kind & named) == 0; });
    if ((kinds & kind::video) == 0) {
        refuse("streams", "the video is what is filtered: it cannot be left out");
    }
    command.options.output.kinds = kinds;
    command.options.output.choices = std::move(choices);
}

std::string show_streams(const Options& options) {
    const OutputOptions& output = options.output;
    std::string text = output.kinds == kind::all && !output.choices.empty() ? "all" : "";
    const auto add = [&text](const std::string& word) { text += (text.empty() ? "" : ",") + word; };
    for (const Choice<unsigned>& row : kind_choices) {
        const bool chosen = std::ranges::find(output.choices, row.value, &StreamChoice::kind) != output.choices.end();
        if (row.value != kind::all && output.kinds != kind::all && (output.kinds & row.value) != 0 && !chosen) {
            add(std::string(row.name));
        }
        for (const StreamChoice& choice : output.choices) {
            if (choice.kind == row.value) {
                add(is_of_some(choice) ? fmt::format("{}:{}", row.name, show_stream_choice(choice))
                                       : std::string(row.name));
            }
        }
    }
    return text;
}

void parse_subtitles(Command& command, const std::string& text) {
    constexpr std::array<Choice<bool>, 2> choices{{{"copy", true}, {"none", false}}};
    if (text.find('.') != std::string::npos) {
        refuse("subtitles",
               fmt::format("'{}' is none of copy, none; the subtitles of a file are --add FILE", shortened(text)));
    }
    // A number or a language.
    constexpr std::size_t longest = 3;
    const bool names_one = !text.empty() && text.size() <= longest &&
                           std::ranges::all_of(text, [](unsigned char letter) { return std::isalnum(letter) != 0; });
    if (names_one) {
        refuse("subtitles",
               fmt::format("'{0}' is none of copy, none; which of several are kept says --streams "
                           "all,subtitles:{0}{1}",
                           text, std::isdigit(static_cast<unsigned char>(text.front())) != 0 ? ", from 0" : ""));
    }
    unsigned& kinds = command.options.output.kinds;
    kinds = choose("subtitles", text, choices) ? kinds | kind::subtitles : kinds & ~kind::subtitles;
}

std::string show_subtitles(const Options& options) {
    return (options.output.kinds & kind::subtitles) == 0 ? "none" : "";
}

void parse_video_tag(Command& command, const std::string& text) {
    const bool printable =
        std::ranges::all_of(text, [](unsigned char letter) { return letter >= 0x20 && letter < 0x7f; });
    if (text.size() != 4 || !printable) {
        refuse("video-tag", fmt::format("'{}' is not of four letters, such as hvc1", shortened(text)));
    }
    command.options.output.video_tag = text;
}

// The streams that "audio:1" or "subtitles:ger" names; nothing where it begins with no kind.
std::optional<StreamChoice> named_streams(std::string_view option, std::string_view text) {
    const std::size_t colon = std::min(text.find(':'), text.size());
    const auto* const named = std::ranges::find(kind_choices, text.substr(0, colon), &Choice<unsigned>::name);
    if (named == kind_choices.end() || named->value == kind::all || colon == text.size()) {
        return {};
    }
    return parse_stream_choice(option, named->value, std::string(text.substr(colon + 1)));
}

std::string show_streams_of(const StreamChoice& choice) {
    return fmt::format("{}:{}", name_of(choice.kind, kind_choices, kind::all), show_stream_choice(choice));
}

// "title=Holidays", "audio:1:language=ger". ffmpeg's way to name a stream, a chapter or a program in front of a tag
// would be a part of its name.
void parse_metadata(Command& command, const std::string& text) {
    const std::string_view key = std::string_view(text).substr(0, text.find('='));
    const std::string_view first = key.substr(0, key.find(':'));
    const std::size_t second = key.find(':', std::min(first.size() + 1, key.size()));
    if (const std::optional<StreamChoice> of =
            named_streams("metadata", key.substr(0, second == std::string_view::npos ? 0 : second))) {
        Pairs tag;
        add_pair("metadata", tag, text.substr(second + 1));
        if (of->kind == kind::video && tag.front().first == "rotate") {
            refuse("metadata", fmt::format("'{}': {}", shortened(text), rotation_is_no_tag));
        }
        command.options.output.stream_tags.push_back({*of, tag.front().first, tag.front().second});
        return;
    }
    const std::string rest = text.substr(key.rfind(':') + 1);
    if (first.size() < key.size() &&
        std::ranges::find(kind_choices, first, &Choice<unsigned>::name) != kind_choices.end()) {
        refuse("metadata", fmt::format("'{}': of which of them? {}:0:{}", shortened(text),
                                       first == "all" ? "audio" : first, shortened(rest)));
    }
    if (first.size() < key.size() && (first == "s" || first == "c" || first == "p" || first == "g")) {
        refuse("metadata",
               fmt::format("'{}': tags are of the file, as {}, or of streams, as audio:0:{}; chapters keep theirs",
                           shortened(text), shortened(rest), shortened(rest)));
    }
    add_pair("metadata", command.options.output.metadata, text);
}

std::vector<std::string> all_tags(const Options& options) {
    std::vector<std::string> tags = texts_of(options.output.metadata);
    for (const StreamTag& tag : options.output.stream_tags) {
        tags.push_back(fmt::format("{}:{}={}", show_streams_of(tag.of), tag.key, tag.value));
    }
    return tags;
}

// FFmpeg's, but for those that are of covers.
constexpr std::array<std::string_view, 13> purposes{
    "default",         "dub",           "original", "comment",      "lyrics",   "karaoke", "forced", "hearing_impaired",
    "visual_impaired", "clean_effects", "captions", "descriptions", "dependent"};

// "subtitles:0=default+forced", "audio:eng=none"
void parse_disposition(Command& command, const std::string& text) {
    const std::size_t equals = std::min(text.find('='), text.size());
    const std::optional<StreamChoice> of = named_streams("disposition", std::string_view(text).substr(0, equals));
    if (!of || equals == text.size()) {
        refuse("disposition",
               fmt::format("'{}' is not of the form KIND:STREAM=PURPOSE, such as audio:1=default", shortened(text)));
    }
    StreamPurposes wanted{*of, {}};
    const std::string names = text.substr(equals + 1);
    for (std::size_t begin = 0; names != "none" && names != "0" && begin <= names.size();) {
        const std::size_t end = std::min(names.find('+', begin), names.size());
        wanted.names.push_back(names.substr(begin, end - begin));
        if (std::ranges::find(purposes, wanted.names.back()) == purposes.end()) {
            refuse("disposition",
                   fmt::format("'{}' is none of none, {}", shortened(wanted.names.back()), fmt::join(purposes, ", ")));
        }
        begin = end + 1;
    }
    command.options.output.purposes.push_back(std::move(wanted));
}

std::vector<std::string> all_purposes(const Options& options) {
    std::vector<std::string> all;
    for (const StreamPurposes& wanted : options.output.purposes) {
        all.push_back(fmt::format("{}={}", show_streams_of(wanted.of),
                                  wanted.names.empty() ? "none" : fmt::format("{}", fmt::join(wanted.names, "+"))));
    }
    return all;
}

// "film.srt", "1.5=mix.wav". A name that begins like that has its folder in front: ./1.5=mix.wav.
void parse_added(Command& command, const std::string& text) {
    constexpr std::size_t most = 100;
    constexpr double longest = 1e6;  // seconds
    AddedFile file{.path = text};
    const std::size_t equals = text.find('=');
    std::string_view number = std::string_view(text).substr(0, equals);
    number.remove_prefix(number.starts_with('+') ? 1 : 0);
    const bool numeric = !number.empty() && number.find_first_not_of("0123456789.-") == std::string_view::npos;
    if (equals != std::string::npos && numeric && parse_number(number, file.later)) {
        if (std::abs(file.later) > longest) {
            refuse("add", fmt::format("'{}': a file begins {:g} seconds before or after the input at most",
                                      shortened(text), longest));
        }
        file.path = text.substr(equals + 1);
    }
    if (file.path.empty()) {
        refuse("add", fmt::format("'{}': which file?", shortened(text)));
    }
    std::vector<AddedFile>& added = command.options.input.added;
    if (added.size() == most) {
        refuse("add", fmt::format("given more than {} times", most));
    }
    added.push_back(std::move(file));
}

std::vector<std::string> all_added(const Options& options) {
    std::vector<std::string> added;
    for (const AddedFile& file : options.input.added) {
        added.push_back(fmt::format("{}={}", fixed_digits(file.later), file.path));
    }
    return added;
}

void parse_appended(Command& command, const std::string& path) {
    std::vector<std::string>& appended = command.options.input.appended;
    if (path.empty()) {
        refuse("append", "which file?");
    }
    if (appended.size() == max_appended) {
        refuse("append", fmt::format("given more than {} times", max_appended));
    }
    appended.push_back(path);
}

std::vector<std::string> all_appended(const Options& options) {
    return options.input.appended;
}

void read_sound(Command& c, const std::string& text) {
    parse_sound(c.options.output, text);
}

std::string tell_sound(const Options& options) {
    return show_sound(options.output);
}

void parse_sound_graph(Command& c, const std::string& graph) {
    if (graph.size() > max_graph_length) {
        throw Error(ExitCode::usage, fmt::format("--af: longer than {} characters", max_graph_length));
    }
    c.options.output.sound_graph = graph;
}

// Whoever asked for more to go would not see that it stays.
void parse_strip(Command& c, const std::string& what) {
    Strip& strip = c.options.output.strip;
    strip = std::max(strip, choose("strip", what, strip_choices));
}

std::string show_strip(const Options& options) {
    return name_of(options.output.strip, strip_choices, Strip::nothing);
}

constexpr OptionDef stream_rows[] = {
    {"add", "", "[SECONDS=]FILE", option_group::streams,
     "add the sound, subtitles and attachments of another file after the input's own, SECONDS later, or "
     "earlier if negative; may be repeated",
     "", repeated<parse_added, all_added>()},
    {"add-option", "", "[@N:]KEY=VALUE", option_group::streams,
     "--input-option for files given to --add: for all of them, or for the Nth, counted from 1; may be repeated", "",
     pairs<at_input, &InputOptions::added_options>()},
    {"append", "", "FILE", option_group::streams,
     "append another file to the input: pictures, sound and subtitles continue as if both were one; may be "
     "repeated",
     "", repeated<parse_appended, all_appended>()},
    {"streams", "", "KINDS", option_group::streams,
     "streams to keep: all, or some of video,audio,subtitles,data,attachments; audio:1 is one stream, "
     "audio:eng those in a language; video:1 is filtered and the only video kept",
     "all|video|video,audio", own<parse_streams, show_streams>()},
    {"audio", "", "HOW", option_group::streams,
     "auto (copy, or encode if the container cannot hold it), copy, none, or CODEC[:KBITS] such as aac:192 or "
     "aac:128:channels=stereo; 1=HOW and eng=HOW apply to some of several streams; may be repeated",
     "auto|copy|none|aac|opus|flac|mp3", own<read_sound, tell_sound>()},
    {"af", "", "GRAPH", option_group::streams,
     "libavfilter's filters for the sound, like ffmpeg's -af: volume=6dB, loudnorm, atempo=2; the sound is "
     "encoded, except what --audio copies; may be repeated: graphs run one after another",
     "", own<parse_sound_graph, shown<at_output, &OutputOptions::sound_graph>>()},
    {"subtitles", "", "HOW", option_group::streams, "copy or none", "copy|none",
     own<parse_subtitles, show_subtitles>()},
    {"metadata", "", "KEY=VALUE", option_group::streams,
     "set a tag of the file, such as title=Holidays, or of streams, such as audio:1:language=ger; without a "
     "value it is removed; may be repeated",
     "", repeated<parse_metadata, all_tags>()},
    {"disposition", "", "STREAM=PURPOSE", option_group::streams,
     "set the disposition of a stream, such as audio:1=default or subtitles:eng=forced+hearing_impaired, or "
     "none; may be repeated",
     "audio:0=default|audio:1=default|subtitles:0=forced|subtitles:0=none",
     repeated<parse_disposition, all_purposes>()},
    {"strip", "", "WHAT", option_group::streams,
     "leave out gps (locations), metadata (all tags), or all (attachments, covers and data, too); if "
     "repeated, the strongest wins",
     "gps|metadata|all", own<parse_strip, show_strip>()},
    {"video-tag", "", "TAG", option_group::streams,
     "FourCC of the video's codec in the container, four letters; default hvc1 for HEVC in mp4 and mov",
     "hvc1|hev1|avc1|avc3", own<parse_video_tag, shown<at_output, &OutputOptions::video_tag>>()},
    {"two-pass", "", "", option_group::streams,
     "with --bitrate: the encoder looks at all pictures first, and distributes the bits better", "",
     flag<at_output, &OutputOptions::two_pass>()},
    {"muxer-option", "", "KEY=VALUE", option_group::streams,
     "option of the container's muxer, by its FFmpeg name; may be repeated", "",
     pairs<at_output, &OutputOptions::muxer_options>()},
};

}  // namespace

std::span<const OptionDef> stream_options() {
    return stream_rows;
}

}  // namespace vfilter
