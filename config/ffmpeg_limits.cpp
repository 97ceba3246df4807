#include "config/ffmpeg_limits.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string_view>
#include <vector>

#include "config/error.h"
#include "config/ffmpeg_graph.h"
#include "config/ffmpeg_translation.h"
#include "config/option_table.h"
#include "config/option_values.h"

namespace vfilter::ffmpeg_words_detail {

namespace {

// Endings of names, and formats, of pictures without anything beside them.
constexpr std::string_view silent_formats[] = {
    "apng", "avif",     "bmp", "dpx",  "exr", "gif",  "image2", "image2pipe", "j2k", "jls", "jp2",
    "jpeg", "jpg",      "jxl", "null", "pam", "pbm",  "pcx",    "pfm",        "pgm", "png", "ppm",
    "qoi",  "rawvideo", "sgi", "tga",  "tif", "tiff", "webp",   "xbm",        "xwd", "y4m", "yuv4mpegpipe"};

bool is_silent_format(std::string_view name) {
    return std::ranges::find(silent_formats, name) != std::end(silent_formats);
}

constexpr std::string_view silent_inputs[] = {"--input=lavfi:", "--input=x11grab:", "--input=/dev/"};

// By the name of the input or of the output; a filter's value is none.
bool is_silent_name(std::string_view word) {
    if (std::ranges::any_of(silent_inputs, [&](std::string_view input) { return word.starts_with(input); })) {
        return word.find("[out1") == std::string_view::npos;  // a second output of a graph, which may be sound
    }
    const bool named = !word.starts_with("--") || word.starts_with("--input=") || word.starts_with("--output=");
    const bool value = !word.starts_with('-') && word.find_first_of(":=") != std::string_view::npos;
    const std::size_t dot = word.rfind('.');
    return named && !value && dot != std::string_view::npos && is_silent_format(word.substr(dot + 1));
}

// Whether there can be nothing in the output but pictures.
bool is_silent(const Translation& to) {
    constexpr std::string_view format = "--format=";
    const auto tells = [&](const std::string& word) {
        return is_silent_name(word) ||
               (word.starts_with(format) && is_silent_format(std::string_view(word).substr(format.size())));
    };
    const bool sound = !to.sound.none && to.keeps("audio");
    const bool subtitles = !to.streams.no_subtitles && to.keeps("subtitles");
    const bool device = std::ranges::any_of(
        to.words, [](const std::string& word) { return word.starts_with("--audio-device"); });  // beside a camera
    return (!sound && !subtitles) || (!device && std::ranges::any_of(to.words, tells));
}

/// An end of the input.
struct Bound {
    std::string option;  ///< of ours: duration or end
    std::string text;
};

[[noreturn]] void refuse_limit(std::string_view word, std::string_view why) {
    Word row = *find_ffmpeg_word(word);
    row.words = word;
    refuse(row, why);
}

// Seconds from where the input's part begins.
double length_of(const Translation& to, const Bound& bound) {
    const Position position = parse_position(bound.option, bound.text);
    const bool counted = bound.option == "end" && !to.part.start.empty();
    const Position start = counted ? parse_position("start", to.part.start) : Position{};
    if (position.frames || start.frames) {
        refuse_limit("-t",
                     "where several limits are given, each has to be a time and not a number of frames, so that "
                     "the shortest can be found");
    }
    return position.value - start.value;
}

void add_shortest(Translation& to, const std::vector<Bound>& bounds) {
    if (bounds.empty()) {
        return;
    }
    // One by itself may be in frames, which cannot be compared.
    const auto shortest =
        bounds.size() == 1 ? bounds.begin()
                           : std::ranges::min_element(bounds, {}, [&](const Bound& one) { return length_of(to, one); });
    to.add(shortest->option, shortest->text);
}

// Of -t and -to ffmpeg takes -t. Before -i it counts from -ss there, or from 0.
std::optional<Bound> bound_of_input(const Translation& to) {
    const FfmpegLimits& limits = to.part.input;
    const bool from_zero = !to.part.start.empty() && !to.part.start_before_input;
    return !limits.duration.empty() ? std::optional(Bound{from_zero ? "end" : "duration", limits.duration})
           : !limits.end.empty()    ? std::optional(Bound{"end", limits.end})
                                    : std::nullopt;
}

// Behind -i it counts from where the output begins, and -to from 0, to which -ss before -i moves that.
std::optional<Bound> bound_of_output(const Translation& to) {
    const FfmpegLimits& limits = to.part.output;
    return !limits.duration.empty() ? std::optional(Bound{"duration", limits.duration})
           : !limits.end.empty()    ? std::optional(Bound{to.part.start_before_input ? "duration" : "end", limits.end})
                                    : std::nullopt;
}

std::optional<double> seconds_of(std::string_view option, const std::string& text) {
    const Position position = parse_position(option, text);
    return position.frames ? std::nullopt : std::optional(position.value);
}

// Seconds from where the graph's times begin; nothing of frames.
std::optional<double> seconds_until(const Translation& to, const Bound& bound) {
    std::optional<double> seconds = seconds_of(bound.option, bound.text);
    if (seconds && bound.option == "end" && !to.part.start.empty()) {
        const std::optional<double> start = seconds_of("start", to.part.start);
        seconds = start ? std::optional(*seconds - *start) : std::nullopt;
    }
    return seconds;
}

// Where the graph changes times or wants to see what comes behind, before the rate is made.
void trim_times(Translation& to, const Bound& bound, GraphEffect effect) {
    const std::string_view word = to.part.output.duration.empty() ? "-to" : "-t";
    if (!is_silent(to)) {
        refuse_limit(word,
                     effect == GraphEffect::times
                         ? "after -i it limits the output, whose times this -vf changes but not those of sound and "
                           "subtitles: add -an -sn, or put -t before -i (--duration TIME) to limit the input"
                         : "after -i ffmpeg cuts the result of this -vf, which also uses pictures after that time, and "
                           "sound and subtitles would not end there: add -an -sn, or put -t before -i (--duration "
                           "TIME), where the filters see nothing after it");
    }
    const Position position = parse_position(bound.option, bound.text);
    to.last.insert(to.last.begin(),
                   fmt::format("--vf=trim={}={}", position.frames ? "end_frame" : "end", fixed_digits(position.value)));
}

// Seconds that so many pictures take at -r; nothing where that is no number.
std::optional<double> seconds_of_frames(const Translation& to) {
    const std::size_t slash = to.part.rate.find('/');
    double count = 0;
    double over = 0;
    double under = 1;
    const bool read =
        parse_number(to.part.frames, count) && parse_number(std::string_view(to.part.rate).substr(0, slash), over) &&
        (slash == std::string::npos || parse_number(std::string_view(to.part.rate).substr(slash + 1), under));
    return read && count > 0 && over > 0 && under > 0 ? std::optional(count * under / over) : std::nullopt;
}

// Pictures of the output: those that leave the last step. The input's part is as long as they are where that is known.
void trim_frames(Translation& to, GraphEffect effect, std::vector<Bound>& bounds) {
    std::optional<double> length = effect == GraphEffect::times ? std::nullopt : seconds_of_frames(to);
    const bool alike = !to.graph || ends_alike(*to.graph, length);
    if (effect == GraphEffect::none && to.part.rate.empty() && alike) {
        to.add("frames", to.part.frames);
        return;
    }
    length = alike ? length : std::nullopt;
    const bool silent = is_silent(to);
    if (!silent && !length) {
        refuse_limit("-frames:v",
                     "after -i it counts output pictures, whose number or times this -vf changes or which it "
                     "makes from later ones, and sound and subtitles would not end with them: add -an -sn, or use "
                     "--frames N to count input pictures");
    }
    if (!silent) {
        bounds.push_back({"duration", fmt::format("{}", *length)});
    }
    const auto frames = ranged<std::int64_t>("frames", to.part.frames, 1, std::int64_t{1} << 40);
    to.last.push_back(fmt::format("--vf=trim=end_frame={}", frames));
}

// ffmpeg filters all of the sound, and what is behind -i cuts the result.
void check_sound_limits(const Translation& to) {
    if (!to.sound.graph) {
        return;
    }
    const std::string_view begins = !to.part.start.empty() && !to.part.start_before_input ? "-ss" : "";
    const FfmpegLimits& limits = to.part.output;
    const std::string_view ends = !limits.duration.empty() ? "-t" : !limits.end.empty() ? "-to" : "";
    if (!begins.empty() || (!ends.empty() && !follows_sound(*to.sound.graph))) {
        refuse_limit(begins.empty() ? ends : begins,
                     "after -i ffmpeg cuts what this -af has made, here it cuts what it is given: write it before -i");
    }
}

}  // namespace

void finish_limits(Translation& to) {
    const GraphEffect effect = to.graph ? effect_of_graph(*to.graph) : GraphEffect::none;
    const bool late = !to.part.start.empty() && !to.part.start_before_input;
    if (late && effect == GraphEffect::times) {
        refuse_limit("-ss", "after -i it is a time of the output, which this -vf changes: write it before -i");
    }
    if (late && to.graph && !begins_alike(*to.graph, seconds_of("start", to.part.start))) {
        refuse_limit("-ss",
                     looks_at_time(*to.graph)
                         ? "after -i ffmpeg leaves out what this -vf has made, whose times and numbers are those of "
                           "the whole input: write it before -i, where they begin with 0 as they do here"
                         : "after -i ffmpeg leaves out what this -vf has made, also of what comes before that time: "
                           "write it before -i, where the filters see nothing before it, as here");
    }
    check_sound_limits(to);
    std::vector<Bound> bounds;
    const std::optional<Bound> of_input = bound_of_input(to);
    if (to.inputs.count > 1 && (of_input || (!to.part.start.empty() && to.part.start_before_input))) {
        refuse_limit(
            !of_input                   ? "-ss"
            : of_input->option == "end" ? "-to"
                                        : "-t",
            "before the first of several -i it is about that file alone, and here it would be about all: write "
            "it behind the last -i");
    }
    if (of_input) {
        bounds.push_back(*of_input);
    }
    if (const std::optional<Bound> bound = bound_of_output(to); bound) {
        // What is heard and read is to end there, too.
        const auto same_end = is_silent(to) ? ends_alike : ends_nearly_alike;
        const bool same = !to.graph || same_end(*to.graph, seconds_until(to, *bound));
        if (effect == GraphEffect::times || !same) {
            trim_times(to, *bound, effect);
        } else {
            bounds.push_back(*bound);
        }
    }
    if (!to.part.frames.empty()) {
        trim_frames(to, effect, bounds);
    }
    add_shortest(to, bounds);
}

}  // namespace vfilter::ffmpeg_words_detail
