#include "config/option_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "config/command_line.h"
#include "config/error.h"
#include "config/option_fields.h"
#include "config/option_readers.h"
#include "config/option_values.h"
#include "config/quality_texts.h"
#include "config/stream_options.h"
#include "filters/names.h"

namespace vfilter {

namespace {

constexpr std::array<Choice<Progress>, 5> progress_choices{{{"auto", Progress::automatic},
                                                            {"bar", Progress::bar},
                                                            {"plain", Progress::plain},
                                                            {"json", Progress::json},
                                                            {"none", Progress::none}}};
constexpr std::array<Choice<StatsFormat>, 3> stats_choices{
    {{"", StatsFormat::text}, {"text", StatsFormat::text}, {"json", StatsFormat::json}}};
constexpr std::array<Choice<LogLevel>, 5> log_choices{{{"debug", LogLevel::debug},
                                                       {"info", LogLevel::info},
                                                       {"warning", LogLevel::warning},
                                                       {"error", LogLevel::error},
                                                       {"quiet", LogLevel::quiet}}};

void parse_list(Command& command, const std::string& text) {
    const std::vector<std::string_view> names = parts_of(list_names, '|');
    if (std::ranges::find(names, text) == names.end()) {
        refuse_word("list", text, names);
    }
    command.action = Action::list;
    command.topic = text;
}

template <Overwrite what>
void set_overwrite(Command& c, const std::string& /*text*/) {
    c.options.output.overwrite = what;
}

template <Action what>
void set_action(Command& c, const std::string& /*text*/) {
    c.action = what;
}

void choose_video(Command& c, const std::string& text) {
    constexpr int max_index = 999;
    c.options.input.video_stream =
        text == "all" ? text : fmt::format("{}", ranged<int>("video-stream", text, 0, max_index));
    std::erase_if(c.options.output.choices, [&](const StreamChoice& choice) {  // another --streams video:N
        return choice.kind == kind::video && fmt::format("{}", choice.number) != text;
    });
}

double parse_camera_rate(std::string_view option, const std::string& text) {
    return ranged<double>(option, text, 0.1, 1000);
}

void choose_preset(Command& c, const std::string& name) {
    c.options.output.preset = name;
    c.file_encoder.preset.clear();
}

// A place or a length, as `read` takes it.
template <Position (*read)(std::string_view, const std::string&), auto member>
constexpr OptionValue place() {
    return {[](Command& c, std::string_view option, const std::string& text) {
                c.options.input.*member = read(option, text);
            },
            [](const Options& options) { return show_position(options.input.*member); }};
}

std::string show_crop(const Options& options) {
    return options.auto_crop ? "auto" : "";
}

void parse_decode(Command& c, const std::string& where) {
    if (where != "auto" && where != "cpu" && where != "gpu") {
        refuse("decode", fmt::format("'{}' is none of auto, cpu, gpu", shortened(where)));
    }
    c.options.decode = where;
}

void parse_stats(Command& c, const std::string& format) {
    c.options.stats = choose("stats", format, stats_choices);
}

std::string show_stats(const Options& options) {
    return options.stats == StatsFormat::json ? "json" : options.stats == StatsFormat::text ? "text" : "";
}

void be_quiet(Command& c, const std::string& /*text*/) {
    c.options.log_level = LogLevel::error;
    c.options.progress = Progress::none;
}

void parse_region(Command& c, const std::string& text) {
    if (!c.region.everywhere()) {
        throw Error(ExitCode::usage, "--region: given twice: several places are one value, A+B");
    }
    try {
        parse_place(text, c.region);
    } catch (const RegionError& error) {
        throw Error(ExitCode::usage, fmt::format("--{}", error.what()));
    }
}

void dither_all(Command& c, const std::string& /*text*/) {
    c.dither = true;
}

void add_graph(Command& c, const std::string& graph) {
    add_foreign_step(c.options, graph);
}

constexpr OptionDef table[] = {
    {"input", "i", "FILE", option_group::files,
     "input file, camera, screen or address, - for stdin; the first name does the same", "",
     text<at_input, &InputOptions::path>()},
    {"output", "o", "FILE", option_group::files, "output file, - for stdout; the second name does the same", "",
     text<at_output, &OutputOptions::path>()},
    {"overwrite", "y", "", option_group::files, "replace the output if it exists", "",
     own<set_overwrite<Overwrite::yes>>()},
    {"no-overwrite", "n", "", option_group::files, "never replace an existing output", "",
     own<set_overwrite<Overwrite::no>>()},
    {"format", "", "NAME", option_group::files, "container of the output, by FFmpeg's name; null discards", "@formats",
     text<at_output, &OutputOptions::format>()},
    {"input-format", "", "NAME", option_group::files, "container of the input, where it cannot be told", "",
     text<at_input, &InputOptions::format>()},
    {"framerate", "", "RATE", option_group::files,
     "pictures per second of a sequence: 25, 23.976, 30000/1001; 25 if not given", "",
     made_by<parse_framerate, at_input, &InputOptions::framerate>()},
    {"start-number", "", "N", option_group::files, "number of the first picture that is written: 1 if not given", "",
     number<0, 1'000'000'000, at_output, &OutputOptions::start_number>()},
    {"video-stream", "", "N|all", option_group::files,
     "which video is filtered where there are several: its number from 0, or all of them", "",
     own<choose_video, shown<at_input, &InputOptions::video_stream>>()},
    {"max-pixels", "", "N", option_group::files,
     "largest picture that is decoded, in pixels, or with an M in millions: 160M if not given", "",
     made_by<parse_pixels, at_input, &InputOptions::max_pixels>()},
    {"output-dir", "", "FOLDER", option_group::files, "filter all the files that are named, each into this folder", "",
     text<at_batch, &BatchOptions::folder>()},
    {"name", "", "PATTERN", option_group::files,
     "of many files: names of the outputs, {stem}.{ext} if not given, with {n} for a number; {stem}/%05d.png: "
     "pictures, a folder for each",
     "", text<at_batch, &BatchOptions::name>()},
    {"skip-existing", "", "", option_group::files, "of many files: leave out those that an earlier run has finished",
     "", flag<at_batch, &BatchOptions::skip_existing>()},
    {"keep-going", "", "", option_group::files, "of many files: go on with the others after one has failed", "",
     flag<at_batch, &BatchOptions::keep_going>()},
    {"jobs", "", "N", option_group::files,
     "of many files: how many to filter at once, sharing the threads; 1 if not given", "",
     number<1, 256, at_batch, &BatchOptions::jobs>()},
    {"config",
     "",
     "FILE",
     option_group::files,
     "read options from a TOML file; the command line goes on from there",
     "",
     {}},

    {"live", "", "", option_group::live, "treat the input as a camera: at its own pace, the newest picture counts", "",
     flag<at_input, &InputOptions::live>()},
    {"camera-size", "", "WxH", option_group::live, "size of a camera's or screen's pictures", "",
     made_by<parse_size, at_input, &InputOptions::camera_size>()},
    {"camera-fps", "", "N", option_group::live, "pictures per second of a camera or screen", "",
     made_by<parse_camera_rate, at_input, &InputOptions::camera_fps>()},
    {"audio-device", "", "NAME", option_group::live, "sound beside a camera or screen: default, alsa:NAME, pulse:NAME",
     "default", text<at_input, &InputOptions::audio_device>()},
    {"allow-network", "", "", option_group::live, "let input or output be an address: rtsp, rtmp, srt, udp, http", "",
     flag<at_input, &InputOptions::allow_network>()},
    {"allow-files", "", "", option_group::live,
     "let the filters of lavfi:GRAPH and --vf read and write files, and load libraries", "",
     flag<at_input, &InputOptions::allow_files>()},
    {"reconnect", "", "N", option_group::live, "open a live input or an address that was lost again, N times", "",
     number<0, 1'000'000, at_input, &InputOptions::reconnect>()},
    {"timeout", "", "SECONDS", option_group::live,
     "give up a live input, address or pipe from which nothing comes for so long; 0 is never", "",
     number<0, 86400, at_input, &InputOptions::timeout>()},
    {"input-option", "", "KEY=VALUE", option_group::live,
     "private option of the input's format, device or protocol; may be repeated", "",
     pairs<at_input, &InputOptions::input_options>()},

    {"codec", "", "NAME", option_group::encoding,
     "encoder or codec; H.264 for mp4, mkv and mov, VP9 for webm if not given", "@encoders",
     own<choose_codec, shown<at_output, &OutputOptions::codec>>()},
    {"crf", "", "N", option_group::encoding, crf_help.view(), "", number<0, 100, at_output, &OutputOptions::crf>()},
    {"bitrate", "", "RATE", option_group::encoding, "bits per second: 2500k, 8M", "",
     made_by<parse_bitrate, at_output, &OutputOptions::bitrate>()},
    {"preset", "", "NAME", option_group::encoding,
     "options from a preset of --list presets; any other name is the encoder's preset",
     "@presets|ultrafast|superfast|veryfast|faster|fast|medium|slow|slower|veryslow",
     own<choose_preset, shown<at_output, &OutputOptions::preset>>()},
    {"pix-fmt", "", "NAME", option_group::encoding,
     "pixel format of the output, by FFmpeg's name; the input's if not given", "@pixel-formats",
     text<at_output, &OutputOptions::pix_fmt>()},
    {"encoder-option", "", "KEY=VALUE", option_group::encoding, "private option of the encoder; may be repeated", "",
     pairs<at_output, &OutputOptions::encoder_options>()},

    {"encoders", "", "N[:PICTURES]", option_group::encoding,
     "N encoders in parallel, each with parts of PICTURES pictures, for machines with many cores", "",
     own<parse_encoders, show_encoders>()},

    {"start", "", "TIME", option_group::part,
     "leave out what comes before: seconds, [hh:]mm:ss.xxx, frames as 120f, or where chapter:2 begins", "",
     place<parse_place, &InputOptions::start>()},
    {"end", "", "TIME", option_group::part, "leave out what comes after this time; with chapter:4, after that chapter",
     "", place<parse_place, &InputOptions::end>()},
    {"duration", "", "TIME", option_group::part, "length of the wanted part, counted from --start", "",
     place<parse_position, &InputOptions::duration>()},
    {"frames", "", "N", option_group::part, "take at most N frames", "",
     number<1, std::int64_t{1} << 40, at_input, &InputOptions::frames>()},
    {"crop", "", "auto", option_group::part,
     "find black bars all along the part and cut them away; for fixed numbers use --vf "
     "crop=W:H:X:Y",
     "auto", own<parse_crop, show_crop>()},
    {"strict", "", "", option_group::part, "stop at the first damaged packet or frame", "",
     flag<at_input, &InputOptions::strict>()},

    {"device", "", "NAME", option_group::machine,
     "auto, cpu, cuda, cuda:N, several as cuda:0,cuda:1, or all GPUs; only auto falls back", "auto|cpu|cuda|all",
     own<parse_device, shown<&Options::device>>()},
    {"decode", "", "WHERE", option_group::machine,
     "auto, cpu or gpu; auto takes the GPU that filters where it is not slower", "auto|cpu|gpu",
     own<parse_decode, shown<&Options::decode>>()},
    {"threads", "", "N", option_group::machine,
     "threads for each of decoder, filters and encoder; 0: one per core, 1.5 per core for x264", "",
     number<0, 1024, &Options::threads>()},
    {"gpu-streams", "", "N", option_group::machine,
     "pictures on the GPU at once, each in a stream of its own; 0 chooses", "", number<0, 16, &Options::streams>()},
    {"stall-timeout", "", "SECONDS", option_group::machine,
     "end a run in which no stage makes progress for so long; 0 never, 60 if not given", "",
     number<0, 1'000'000, &Options::stall_timeout>()},
    {"max-latency", "", "MS", option_group::machine,
     "live: drop pictures that would be ready more than MS milliseconds after they came", "",
     number<1, 60000, &Options::max_latency>()},
    {"verify", "", "", option_group::machine,
     "filter every 50th decoded picture again, in plain loops and in double precision, and "
     "compare; decoder and encoder are not verified (that the file holds what was sent is checked "
     "always)",
     "", flag<&Options::verify>()},

    {"preview", "", "", option_group::telling,
     "show what is filtered in a window; without OUTPUT a file is played at its own pace", "",
     flag<&Options::preview>()},
    {"progress", "", "KIND", option_group::telling, "auto, bar, plain, json or none, on stderr",
     "auto|bar|plain|json|none", word<progress_choices, &Options::progress>()},
    {"stats", "", "[text|json]", option_group::telling,
     "time, frames and waits of each stage: text on stderr, json on stdout", "text|json",
     own<parse_stats, show_stats>()},
    {"report", "", "FILE", option_group::telling, "write the outcome as JSON", "", text<&Options::report>()},
    {"trace", "", "FILE", option_group::telling, "write what each stage did when, for Perfetto or chrome://tracing", "",
     text<&Options::trace>()},
    {"log-level", "", "LEVEL", option_group::telling, "debug, info, warning, error or quiet",
     "debug|info|warning|error|quiet", word<log_choices, &Options::log_level>()},
    {"quiet", "q", "", option_group::telling, "say nothing but errors", "", own<be_quiet>()},

    {"region", "", "X,Y,W,H", option_group::other,
     "region of all filters without a region or mask of their own, in pixels or percent", "", own<parse_region>()},
    {"dither", "", "", option_group::other,
     "dither=on for every filter that can and does not set it: what would be rounded becomes a "
     "fine pattern; 16 bits refuse it",
     "", own<dither_all>()},
    {"vf", "", "GRAPH", option_group::other,
     "a step made by FFmpeg's libavfilter, in its place among the filters: \"bwdif,scale=1280:-2\" (--help vf)", "",
     own<add_graph>()},
    {"filters", "", "CHAIN", option_group::other, "several filters in one text: \"gaussian=5,box=3\"", "", {}},
    {"list", "", "WHAT", option_group::other,
     "list filters, presets, devices, encoders, formats, pixel-formats or cameras", list_names, own<parse_list>()},
    {"print-config", "", "", option_group::other, "print the options as a configuration file", "",
     own<set_action<Action::print_config>>()},
    {"mend", "", "", option_group::other,
     "make the .part that a killed run has left of an mp4 or mov playable: --mend FILE.part NEW.mp4", "",
     own<set_action<Action::mend>>()},
    {"doctor", "", "", option_group::other, "what this machine and this build can do", "",
     own<set_action<Action::doctor>>()},
    {"help",
     "h",
     "[TOPIC]",
     option_group::other,
     "short help, or help on a topic, a filter or an option; all is everything",
     "",
     {}},
    {"complete", "", "WORD...", option_group::other, "print what can come next, for the completion of shells", "", {}},
    {"version", "", "", option_group::other, "version and libraries", "", own<set_action<Action::version>>()},
};

}  // namespace

// Rows of one group stand together; those of other files go before this one's part.
std::span<const OptionDef> option_table() {
    static const std::vector<OptionDef> rows = [] {
        std::vector<OptionDef> all(std::begin(table), std::end(table));
        const auto place = std::ranges::find(all, option_group::part, &OptionDef::group);
        const std::span<const OptionDef> streams = stream_options();
        all.insert(place, streams.begin(), streams.end());
        return all;
    }();
    return rows;
}

void apply_value(Command& command, const OptionDef& def, const std::string& value) {
    if (value.empty() && !def.argument.empty()) {
        refuse(def.name, "the value is empty");
    }
    def.apply(command, value);
}

const OptionDef* find_option(std::string_view name) {
    const auto found = std::ranges::find(option_table(), name, &OptionDef::name);
    return found == option_table().end() ? nullptr : &*found;
}

Position parse_position(std::string_view option, const std::string& text) {
    const auto wrong = [&] {
        refuse(option, fmt::format("'{}' is neither seconds, [hh:]mm:ss.xxx nor frames such as 120f", shortened(text)));
    };
    if (text.starts_with("chapter:")) {
        refuse(option, fmt::format("'{}' is a place, which --start and --end alone take", shortened(text)));
    }
    Position position;
    if (text.ends_with('f')) {
        position.frames = true;
        std::int64_t count = 0;
        if (!parse_number(std::string_view(text).substr(0, text.size() - 1), count) || count < 0) {
            wrong();
        }
        position.value = static_cast<double>(count);
        return position;
    }
    std::string_view rest = text;
    for (int fields = 1;; ++fields) {
        const std::size_t colon = rest.find(':');
        double field = 0;
        if (fields > 3 || !parse_number(rest.substr(0, colon), field) || !std::isfinite(field) || field < 0) {
            wrong();
        }
        if (fields > 1 && field >= 60) {
            refuse(option, fmt::format("'{}' has {} behind a colon, where 59 is the most", shortened(text), field));
        }
        position.value = position.value * 60 + field;
        if (colon == std::string_view::npos) {
            return position;
        }
        rest.remove_prefix(colon + 1);
    }
}

}  // namespace vfilter
