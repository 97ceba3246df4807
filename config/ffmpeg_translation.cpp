#include "config/ffmpeg_translation.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <string_view>
#include <utility>

#include "config/error.h"
#include "config/file_names.h"
#include "config/lavfi/graph_reader.h"
#include "config/option_table.h"
#include "config/option_values.h"
#include "filters/filters.h"
#include "filters/names.h"

namespace vfilter {

void FfmpegTranslation::add(std::string_view option, std::string_view value) {
    words.push_back(value.empty() ? fmt::format("--{}", option) : fmt::format("--{}={}", option, value));
}

namespace ffmpeg_words_detail {

[[noreturn]] void refuse(const Word& row, std::string_view why) {
    throw Error(ExitCode::usage, fmt::format("{}: {}", row.words, why));
}

std::string with_value(std::string_view form, const std::string& value) {
    const std::size_t place = form.find("{}");
    return place == std::string_view::npos
               ? std::string(form)
               : fmt::format("{}{}{}", form.substr(0, place), value, form.substr(place + 2));
}

void take_start(Translation& to, const Word& row, const std::string& value) {
    if (!to.part.start.empty() && to.name != to.name_before_start) {
        refuse(row, fmt::format("given a second time behind {}: a run has one output", shortened(to.name)));
    }
    to.name_before_start = to.name;
    if (!std::exchange(to.part.start, time_of(row, value)).empty()) {
        refuse(row, "given twice, which ffmpeg adds up: give their sum once");
    }
    to.part.start_before_input = to.before_input;
    to.add(row.option, to.part.start);
}

void take_duration(Translation& to, const Word& row, const std::string& value) {
    (to.before_input ? to.part.input : to.part.output).duration = time_of(row, value);
}

void take_end(Translation& to, const Word& row, const std::string& value) {
    (to.before_input ? to.part.input : to.part.output).end = time_of(row, value);
}

void take_frames(Translation& to, const Word& row, const std::string& value) {
    if (to.before_input) {
        to.add(row.option, value);
    } else {
        to.part.frames = value;
    }
}

void take_format(Translation& to, const Word& row, const std::string& value) {
    if (to.before_input) {
        refuse_foreign_device(row, value);
        to.inputs.format = value;
    } else {
        to.add(row.option, value);
    }
}

void take_rate(Translation& to, const Word& row, const std::string& value) {
    if (to.before_input) {
        to.pictures.rate = value;
    } else {
        to.part.rate = value;
        take_last(to, row, value);
    }
}

void take_size(Translation& to, const Word& row, const std::string& value) {
    if (to.before_input) {
        to.pictures.size = value;
        to.pictures.size_word = row;
    } else {
        take_last(to, row, value);
    }
}

void take_input_size(Translation& to, const Word& row, const std::string& value) {
    if (to.before_input) {
        to.pictures.size = value;
        to.pictures.size_word = row;
    } else {
        to.add(row.option, value);
    }
}

void take_sample_format(Translation& to, const Word& row, const std::string& value) {
    if (to.before_input) {
        to.pictures.sample_format = value;
    } else if (row.option.empty()) {
        refuse(row, "it is for raw input, and stands before -i");
    } else {
        to.add(row.option, value);
    }
}

void take_codec(Translation& to, const Word& row, const std::string& value) {
    if (to.before_input) {
        if (value != "rawvideo") {
            refuse(row, decoder_word);
        }
        to.pictures.raw_codec = row;
        return;
    }
    to.copies_video = value == "copy" ? std::optional(row) : std::nullopt;  // of several the last one counts
    if (!to.copies_video) {
        to.add(row.option, value);
    }
}

void take_all_codecs(Translation& to, const Word& row, const std::string& value) {
    if (value != "copy") {
        const bool number = !value.empty() && value.front() >= '0' && value.front() <= '9';  // HandBrake's -c 2-4
        refuse(row, number ? "-c:v names a codec; chapters are --start chapter:2 --end chapter:4"
                           : "-c:v names the video's codec, -c:a that of the sound");
    }
    to.copies_video = row;
}

// "-profile:v" is the option profile.
void take_own_option(Translation& to, const Word& row, const std::string& value) {
    const std::string_view name = row.words.substr(1, row.words.find(':') - 1);
    to.add(row.option, fmt::format("{}={}", name, value));
}

void take_input_option(Translation& to, const Word& row, const std::string& value) {
    if (!to.before_input) {
        refuse(row, "after -i it is about the output: --muxer-option KEY=VALUE");
    }
    take_own_option(to, row, value);
}

void take_last(Translation& to, const Word& row, const std::string& value) {
    to.last.push_back(fmt::format("--{}={}", row.option, with_value(row.value, value)));
}

void take_graph(Translation& to, const Word& row, const std::string& value) {
    if (std::exchange(to.graph, value)) {
        refuse(row,
               "given twice, where ffmpeg uses only the last: keep one, or use --vf, which may be repeated "
               "and adds up");
    }
    to.add(row.option, value);
}

void take_sync(Translation& /*to*/, const Word& row, const std::string& value) {
    constexpr std::string_view kept[] = {"passthrough", "vfr", "auto", "0", "2", "-1"};
    if (std::ranges::find(kept, value) == std::end(kept)) {
        refuse(row, fmt::format("'{}': each picture keeps its time; --vf fps=RATE makes the rate constant",
                                shortened(value)));
    }
}

void take_pattern(Translation& /*to*/, const Word& row, const std::string& value) {
    if (value != "glob" && value != "sequence") {
        refuse(row, fmt::format("'{}' is none of glob, sequence", shortened(value)));
    }
}

// ffmpeg's libvpx and libaom limit the rate unless it is 0, which --crf does by itself.
void take_bitrate(Translation& to, const Word& row, const std::string& value) {
    if (value != "0") {
        to.add(row.option, value);
    }
}

void take_metadata(Translation& to, const Word& row, const std::string& value) {
    if (value != "-1" && value != "0") {
        refuse(row, "tags are the input's (0), or left out: -1, as --strip metadata does");
    }
    if (value == "-1") {
        to.add(row.option, row.value);
    }
}

void take_chapters(Translation& /*to*/, const Word& row, const std::string& value) {
    if (value != "0") {
        refuse(row, "chapters are those of the input; --strip metadata leaves out their titles");
    }
}

void take_no_turning(Translation& to, const Word& row, const std::string& /*value*/) {
    to.keeps_turn = row;
}

void take_no_question(Translation& to, const Word& /*row*/, const std::string& /*value*/) {
    to.asks = false;
}

namespace {

constexpr std::string_view graph_word = "--vf=";

// Of "--vf=GRAPH", whether one filter comes after another: such graphs are joined by a comma.
bool is_linear(std::string_view word) {
    return !lavfi::read_graph(word.substr(graph_word.size())).labelled;
}

bool names_filters(std::string_view word) {
    constexpr std::array<std::string_view, 4> others{"vf", "filters", "preset", "config"};
    const std::string_view name = word.starts_with("--") ? word.substr(2, word.find('=') - 2) : std::string_view();
    return find_filter(name) != nullptr || std::ranges::find(others, name) != others.end();
}

// What -r, -s and -frames:v add is one graph with -vf, as it is for ffmpeg: formats are chosen for all of it together.
void join_graphs(Translation& to) {
    std::vector<std::string> joined;
    for (const std::string& word : to.last) {
        const bool goes_on = !joined.empty() && word.starts_with(graph_word) && joined.back().starts_with(graph_word) &&
                             is_linear(word) && is_linear(joined.back());
        if (goes_on) {
            joined.back() += "," + word.substr(graph_word.size());
        } else {
            joined.push_back(word);
        }
    }
    to.last = std::move(joined);
    const auto graph =
        to.graph ? std::ranges::find(to.words, fmt::format("{}{}", graph_word, *to.graph)) : to.words.end();
    if (graph == to.words.end() || to.last.empty() || !to.last.front().starts_with(graph_word) || !is_linear(*graph) ||
        !is_linear(to.last.front()) || std::any_of(graph + 1, to.words.end(), names_filters)) {
        return;
    }
    *graph += "," + to.last.front().substr(graph_word.size());
    to.last.erase(to.last.begin());
}

// What depends on words anywhere.
void finish(Translation& to) {
    if (to.copies_video) {
        refuse(*to.copies_video,
               "the video is always decoded and encoded; --codec ffv1 keeps every bit of its pictures");
    }
    if (!to.inputs.later.empty()) {
        refuse(*find_ffmpeg_word("-itsoffset"), "no -i comes after it");
    }
    finish_limits(to);
    finish_streams(to);
    const bool answered = std::ranges::any_of(
        to.words, [](const std::string& word) { return word == "--overwrite" || word == "--no-overwrite"; });
    if (!to.asks && !answered) {
        to.add("no-overwrite", "");
    }
    join_graphs(to);
    to.words.insert(to.words.end(), to.last.begin(), to.last.end());
    if (to.keeps_turn && std::ranges::any_of(to.words, [](const std::string& word) {
            return word == "--vf" || word.starts_with("--vf=");
        })) {
        refuse(*to.keeps_turn,
               "it cannot be combined with --vf, whose filters always get the pictures turned as they are "
               "shown");
    }
}

}  // namespace

}  // namespace ffmpeg_words_detail

namespace {

// Whether a word may stand between two -i: it says when the second begins, or is about the run.
bool is_of_next_input(const FfmpegWord& row) {
    constexpr std::array<std::string_view, 6> of_run{"add",          "input",     "overwrite",
                                                     "no-overwrite", "log-level", "progress"};
    const bool always = row.option.empty() && row.argument.empty() && !row.refused;
    return always || std::ranges::find(of_run, row.option) != of_run.end();
}

}  // namespace

std::vector<std::string> without_ffmpeg_words(std::span<const char* const> arguments) {
    using namespace ffmpeg_words_detail;
    const std::vector<std::string> given(arguments.begin(), arguments.end());
    const auto marked = std::ranges::find(given, "--");
    const auto input = std::find(given.begin(), marked, "-i");
    auto last_input = input;
    for (auto next = input; next != marked; next = std::find(next + 1, marked, "-i")) {
        last_input = next;
    }
    Translation to;
    auto at = given.begin();
    for (; at != marked; ++at) {
        const FfmpegWord* const known = find_ffmpeg_word(*at);
        if (known == nullptr) {
            // Behind ffmpeg's -i a name is meant as ffmpeg means it.
            const bool name = input != marked && !at->starts_with('-');
            to.words.push_back(name ? output_name(*at) : *at);
            const OptionDef* const def = at->starts_with("--") ? find_option(std::string_view(*at).substr(2)) : nullptr;
            // Its value may look like a word of ffmpeg's. Values in brackets may be left out.
            const bool valued = *at == "-o" || (def != nullptr && !def->argument.empty() && def->argument[0] != '[');
            if (valued && at + 1 != marked) {
                to.words.push_back(*++at);
            } else if (!at->starts_with('-') && (at == given.begin() || !std::prev(at)->starts_with("--"))) {
                to.name = *at;  // and no value of a filter
            }
            continue;
        }
        FfmpegWord row = *known;
        row.words = *at;  // what is told names the word that was typed
        to.before_input = input != marked && at < input;
        if (input != marked && at > input && at < last_input && !is_of_next_input(row)) {
            if (row.option == "format") {
                refuse_foreign_device(row, *std::next(at));  // which is -i at the latest
            }
            refuse(row,
                   "between two -i it is about the file of the second one: only -itsoffset is understood there, and "
                   "what is about the output stands behind them");
        }
        if (row.refused) {
            const bool turns =
                at->starts_with("-metadata:s") && at + 1 != marked && std::next(at)->starts_with("rotate=");
            refuse(row, turns ? std::string(rotation_is_no_tag) : with_value(row.help, *at));
        }
        if (to.before_input && !row.before_input.empty()) {
            refuse(row, row.before_input);
        }
        std::string value;
        if (!row.argument.empty()) {
            if (at + 1 == marked) {
                refuse(row, fmt::format("{} is missing", row.argument));
            }
            value = *++at;
            if (value.empty()) {
                refuse(row, fmt::format("{} is empty", row.argument));
            }
        }
        if (row.special != nullptr) {
            row.special(to, row, value);
        } else if (!row.option.empty()) {
            to.add(row.option, with_value(row.value, value));
        }
    }
    finish(to);
    to.words.insert(to.words.end(), at, given.end());
    return std::move(to.words);
}

}  // namespace vfilter
