#include "config/stream_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "config/error.h"
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
    command.options.input.video_stream = fmt::format("{}", video->number);
}

// A number is what the option meant when pictures on a GPU were called so, and is now --gpu-streams.
void parse_streams(Command& command, const std::string& text) {
    if (!text.empty() && std::ranges::all_of(text, [](unsigned char letter) { return std::isdigit(letter) != 0; })) {
        command.options.streams = ranged<int>("streams", text, 0, 16);
        return;
    }
    unsigned kinds = 0;
    unsigned whole = 0;  // kinds that are named by themselves
    std::vector<StreamChoice> choices;
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find(',', begin), text.size());
        const std::string word = text.substr(begin, end - begin);
        const std::size_t colon = word.find(':');
        const auto kind = choose("streams", word.substr(0, colon), kind_choices);
        if (colon != std::string::npos) {
            if (kind == kind::all) {
                refuse("streams", fmt::format("'{}': of which kind?", shortened(word)));
            }
            choices.push_back(parse_stream_choice("streams", kind, word.substr(colon + 1)));
        } else if (kind != kind::all) {
            whole |= kind;
        }
        kinds |= kind;
        begin = end + 1;
    }
    filter_chosen_video(command, choices);
    std::erase_if(choices, [&](const StreamChoice& choice) { return (choice.kind & whole) != 0; });
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
                add(fmt::format("{}:{}", row.name, show_stream_choice(choice)));
            }
        }
    }
    return text;
}

void parse_subtitles(Command& command, const std::string& text) {
    constexpr std::array<Choice<bool>, 2> choices{{{"copy", true}, {"none", false}}};
    unsigned& kinds = command.options.output.kinds;
    kinds = choose("subtitles", text, choices) ? kinds | kind::subtitles : kinds & ~kind::subtitles;
}

void parse_video_tag(Command& command, const std::string& text) {
    const bool printable =
        std::ranges::all_of(text, [](unsigned char letter) { return letter >= 0x20 && letter < 0x7f; });
    if (text.size() != 4 || !printable) {
        refuse("video-tag", fmt::format("'{}' is not of four letters, such as hvc1", shortened(text)));
    }
    command.options.output.video_tag = text;
}

// ffmpeg's way to name a stream, a chapter or a program in front of a tag would be a part of its name.
void parse_metadata(Command& command, const std::string& text) {
    const std::string_view key = std::string_view(text).substr(0, text.find('='));
    if (const std::string_view place = key.substr(0, key.find(':'));
        place.size() < key.size() && (place == "s" || place == "c" || place == "p" || place == "g")) {
        refuse("metadata", fmt::format("'{}': only tags of the file are set, as {}; streams and chapters keep theirs",
                                       shortened(text), shortened(text.substr(key.rfind(':') + 1))));
    }
    add_pair("metadata", command.options.output.metadata, text);
}

constexpr std::string_view stream_group = "Streams, sound and container";

constexpr OptionDef stream_rows[] = {
    {"streams", "", "KINDS", stream_group,
     "what is kept: all, or some of video,audio,subtitles,data,attachments; audio:1 is one, audio:eng those of a "
     "language; video:1 is filtered and kept alone",
     "all|video|video,audio", true, parse_streams, show_streams},
    {"audio", "", "HOW", stream_group,
     "auto (copied, or encoded where the container cannot hold it), copy, none, or CODEC[:KBITS] such as aac:192 or "
     "aac:128:channels=stereo; 1=HOW and eng=HOW are for some of several; may be repeated",
     "auto|copy|none|aac|opus|flac|mp3", true,
     [](Command& c, const std::string& v) { parse_sound(c.options.output, v); },
     [](const Options& o) { return show_sound(o.output); }},
    {"subtitles", "", "HOW", stream_group, "copy or none", "copy|none", true, parse_subtitles,
     [](const Options& o) { return std::string((o.output.kinds & kind::subtitles) == 0 ? "none" : ""); }},
    {"metadata", "", "KEY=VALUE", stream_group,
     "a tag of the file, such as title=Holidays; without a value it is removed; may be repeated", "", true,
     parse_metadata, [](const Options& o) { return show_pairs(o.output.metadata); },
     [](const Options& o) -> const Pairs& { return o.output.metadata; }},
    {"strip", "", "WHAT", stream_group,
     "leave out gps (places), metadata (all tags), or all (attachments, covers and data, too)", "gps|metadata|all",
     true, [](Command& c, const std::string& v) { c.options.output.strip = choose("strip", v, strip_choices); },
     [](const Options& o) { return name_of(o.output.strip, strip_choices, Strip::nothing); }},
    {"video-tag", "", "TAG", stream_group,
     "the container's name for the video's codec, four letters; hvc1 for HEVC in mp4 and mov if not given",
     "hvc1|hev1|avc1|avc3", true, parse_video_tag, [](const Options& o) { return o.output.video_tag; }},
    {"two-pass", "", "", stream_group,
     "with --bitrate: the encoder looks at all pictures first, and shares the bits out better", "", true,
     [](Command& c, const std::string& v) { c.options.output.two_pass = is_on(v); },
     [](const Options& o) { return std::string(o.output.two_pass ? "true" : ""); }},
    {"muxer-option", "", "KEY=VALUE", stream_group, "private option of the container's writer; may be repeated", "",
     true, [](Command& c, const std::string& v) { add_pair("muxer-option", c.options.output.muxer_options, v); },
     [](const Options& o) { return show_pairs(o.output.muxer_options); },
     [](const Options& o) -> const Pairs& { return o.output.muxer_options; }},
};

}  // namespace

std::span<const OptionDef> stream_options() {
    return stream_rows;
}

}  // namespace vfilter
