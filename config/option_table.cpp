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
     "input file, camera, screen or address, or - for stdin; same as the first positional argument", "",
     text<at_input, &InputOptions::path>()},
    {"output", "o", "FILE", option_group::files, "output file, or - for stdout; same as the second positional argument",
     "", text<at_output, &OutputOptions::path>()},
    {"overwrite", "y", "", option_group::files, "replace the output if it exists", "",
     own<set_overwrite<Overwrite::yes>>()},
    {"no-overwrite", "n", "", option_group::files, "never replace an existing output", "",
     own<set_overwrite<Overwrite::no>>()},
    {"format", "", "NAME", option_group::files, "output container, by its FFmpeg name; null discards the output",
     "@formats", text<at_output, &OutputOptions::format>()},
    {"input-format", "", "NAME", option_group::files, "input container, where it cannot be detected", "",
     text<at_input, &InputOptions::format>()},
    {"framerate", "", "RATE", option_group::files,
     "pictures per second of a picture sequence, such as 25, 23.976 or 30000/1001; default 25", "",
     made_by<parse_framerate, at_input, &InputOptions::framerate>()},
    {"start-number", "", "N", option_group::files, "number of the first picture written; default 1", "",
     number<0, 1'000'000'000, at_output, &OutputOptions::start_number>()},
    {"video-stream", "", "N|all", option_group::files,
     "which of several videos to filter: its number, counted from 0, or all", "",
     own<choose_video, shown<at_input, &InputOptions::video_stream>>()},
    {"max-pixels", "", "N", option_group::files,
     "size of the largest picture to decode, in pixels, or in millions with an M; default 160M", "",
     made_by<parse_pixels, at_input, &InputOptions::max_pixels>()},
    {"output-dir", "", "FOLDER", option_group::files, "filter every file named, and write each result into this folder",
     "", text<at_batch, &BatchOptions::folder>()},
    {"name", "", "PATTERN", option_group::files,
     "with --output-dir: pattern of the output names, with {n} for a number; default {stem}.{ext}; "
     "{stem}/%05d.png writes pictures, in a folder for each file",
     "", text<at_batch, &BatchOptions::name>()},
    {"skip-existing", "", "", option_group::files, "with --output-dir: skip files that an earlier run has finished", "",
     flag<at_batch, &BatchOptions::skip_existing>()},
    {"keep-going", "", "", option_group::files, "with --output-dir: continue with the other files after one has failed",
     "", flag<at_batch, &BatchOptions::keep_going>()},
    {"jobs", "", "N", option_group::files,
     "with --output-dir: number of files to filter at once, sharing the threads; default 1", "",
     number<1, 256, at_batch, &BatchOptions::jobs>()},
    {"config",
     "",
     "FILE",
     option_group::files,
     "read options from a TOML file; the command line adds to or overrides them",
     "",
     {}},

    {"live", "", "", option_group::live,
     "treat the input as a camera: read it at its own pace; the newest picture wins", "",
     flag<at_input, &InputOptions::live>()},
    {"camera-size", "", "WxH", option_group::live, "size of the pictures of a camera or screen", "",
     made_by<parse_size, at_input, &InputOptions::camera_size>()},
    {"camera-fps", "", "N", option_group::live, "pictures per second of a camera or screen", "",
     made_by<parse_camera_rate, at_input, &InputOptions::camera_fps>()},
    {"audio-device", "", "NAME", option_group::live,
     "record sound along with a camera or screen: default, alsa:NAME or pulse:NAME", "default",
     text<at_input, &InputOptions::audio_device>()},
    {"allow-network", "", "", option_group::live, "allow addresses as input or output: rtsp, rtmp, srt, udp, http", "",
     flag<at_input, &InputOptions::allow_network>()},
    {"allow-files", "", "", option_group::live,
     "let filters (lavfi:GRAPH, --vf) and --input-option reach other files and load libraries", "",
     flag<at_input, &InputOptions::allow_files>()},
    {"reconnect", "", "N", option_group::live, "reopen a live input or an address that was lost, up to N times", "",
     number<0, 1'000'000, at_input, &InputOptions::reconnect>()},
    {"timeout", "", "SECONDS", option_group::live,
     "give up on a live input, address or pipe that delivers nothing for this long; 0 means never", "",
     number<0, 86400, at_input, &InputOptions::timeout>()},
    {"input-option", "", "KEY=VALUE", option_group::live,
     "option of the input's format, device or protocol, by its FFmpeg name; may be repeated", "",
     pairs<at_input, &InputOptions::input_options>()},

    {"codec", "", "NAME", option_group::encoding, "encoder or codec; default H.264 for mp4, mkv and mov, VP9 for webm",
     "@encoders", own<choose_codec, shown<at_output, &OutputOptions::codec>>()},
    {"crf", "", "N", option_group::encoding, crf_help.view(), "", number<0, 100, at_output, &OutputOptions::crf>()},
    {"bitrate", "", "RATE", option_group::encoding, "bits per second, such as 2500k or 8M", "",
     made_by<parse_bitrate, at_output, &OutputOptions::bitrate>()},
    {"preset", "", "NAME", option_group::encoding,
     "apply a preset of --list presets; any other name is the encoder's preset",
     "@presets|ultrafast|superfast|veryfast|faster|fast|medium|slow|slower|veryslow",
     own<choose_preset, shown<at_output, &OutputOptions::preset>>()},
    {"pix-fmt", "", "NAME", option_group::encoding, "output pixel format, by its FFmpeg name; default: the input's",
     "@pixel-formats", text<at_output, &OutputOptions::pix_fmt>()},
    {"encoder-option", "", "KEY=VALUE", option_group::encoding,
     "option of the encoder, by its FFmpeg name; may be repeated", "",
     pairs<at_output, &OutputOptions::encoder_options>()},

    {"encoders", "", "N[:PICTURES]", option_group::encoding,
     "run N encoders in parallel, each on parts of PICTURES pictures, for machines with many cores", "",
     own<parse_encoders, show_encoders>()},

    {"start", "", "TIME", option_group::part,
     "skip to this point: seconds, [hh:]mm:ss.xxx, frames as 120f, or the start of chapter:2", "",
     place<parse_place, &InputOptions::start>()},
    {"end", "", "TIME", option_group::part, "end at this point; chapter:4 is the end of chapter 4", "",
     place<parse_place, &InputOptions::end>()},
    {"duration", "", "TIME", option_group::part, "length of the part to filter, counted from --start", "",
     place<parse_position, &InputOptions::duration>()},
    {"frames", "", "N", option_group::part, "filter at most N frames", "",
     number<1, std::int64_t{1} << 40, at_input, &InputOptions::frames>()},
    {"crop", "", "auto", option_group::part,
     "find black bars throughout the part and remove them; to crop by numbers, use --vf crop=W:H:X:Y", "auto",
     own<parse_crop, show_crop>()},
    {"strict", "", "", option_group::part, "stop at the first damaged packet or frame", "",
     flag<at_input, &InputOptions::strict>()},

    {"device", "", "NAME", option_group::machine,
     "auto, cpu, cuda, cuda:N, several such as cuda:0,cuda:1, or all for all GPUs; only auto falls back to "
     "the CPU",
     "auto|cpu|cuda|all", own<parse_device, shown<&Options::device>>()},
    {"decode", "", "WHERE", option_group::machine,
     "auto, cpu or gpu; auto decodes on the GPU that filters, unless that is slower", "auto|cpu|gpu",
     own<parse_decode, shown<&Options::decode>>()},
    {"threads", "", "N", option_group::machine,
     "number of threads each for decoder, filters and encoder; 0 means one per core, 1.5 per core for x264", "",
     number<0, 1024, &Options::threads>()},
    {"gpu-streams", "", "N", option_group::machine,
     "number of pictures on the GPU at once, each in a CUDA stream of its own; 0 means automatic", "",
     number<0, 16, &Options::streams>()},
    {"stall-timeout", "", "SECONDS", option_group::machine,
     "end the run if no stage makes progress for this long; 0 means never; default 60", "",
     number<0, 1'000'000, &Options::stall_timeout>()},
    {"max-latency", "", "MS", option_group::machine,
     "live: drop pictures that would be ready more than MS milliseconds after they arrived", "",
     number<1, 60000, &Options::max_latency>()},
    {"verify", "", "", option_group::machine,
     "filter every 50th decoded picture again, in plain loops and in double precision, and compare the "
     "results; the decoder and encoder are not verified (whether the file holds what was written is always "
     "checked)",
     "", flag<&Options::verify>()},

    {"preview", "", "", option_group::telling,
     "show the filtered pictures in a window; without OUTPUT, a file plays at its own pace", "",
     flag<&Options::preview>()},
    {"progress", "", "KIND", option_group::telling, "how to show progress on stderr: auto, bar, plain, json or none",
     "auto|bar|plain|json|none", word<progress_choices, &Options::progress>()},
    {"stats", "", "[text|json]", option_group::telling,
     "print time, frames and waits of each stage: text to stderr, json to stdout", "text|json",
     own<parse_stats, show_stats>()},
    {"report", "", "FILE", option_group::telling, "write a report of the run as JSON", "", text<&Options::report>()},
    {"trace", "", "FILE", option_group::telling,
     "write a timeline of what each stage did, for Perfetto or chrome://tracing", "", text<&Options::trace>()},
    {"log-level", "", "LEVEL", option_group::telling, "verbosity of messages: debug, info, warning, error or quiet",
     "debug|info|warning|error|quiet", word<log_choices, &Options::log_level>()},
    {"quiet", "q", "", option_group::telling, "print nothing but errors", "", own<be_quiet>()},

    {"region", "", "X,Y,W,H", option_group::other,
     "region for all filters without a region or mask of their own, in pixels or percent", "", own<parse_region>()},
    {"dither", "", "", option_group::other,
     "set dither=on for every filter that supports it and does not set it: what would be rounded off becomes "
     "a fine pattern; refused at 16 bits",
     "", own<dither_all>()},
    {"vf", "", "GRAPH", option_group::other,
     "run a graph of FFmpeg's libavfilter at this place among the filters: \"bwdif,scale=1280:-2\" (--help vf)", "",
     own<add_graph>()},
    {"filters", "", "CHAIN", option_group::other, "several filters in one string: \"gaussian=5,box=3\"", "", {}},
    {"list", "", "WHAT", option_group::other,
     "list filters, presets, devices, encoders, formats, pixel-formats or cameras", list_names, own<parse_list>()},
    {"print-config", "", "", option_group::other, "print the options as a configuration file", "",
     own<set_action<Action::print_config>>()},
    {"mend", "", "", option_group::other,
     "make a playable file of the .part that a killed run left of an mp4 or mov: --mend FILE.part NEW.mp4", "",
     own<set_action<Action::mend>>()},
    {"doctor", "", "", option_group::other, "print what this machine and this build can do", "",
     own<set_action<Action::doctor>>()},
    {"help",
     "h",
     "[TOPIC]",
     option_group::other,
     "print short help, or help on a topic, a filter or an option; all prints everything",
     "",
     {}},
    {"complete", "", "WORD...", option_group::other, "print what can come next, for shell completion", "", {}},
    {"version", "", "", option_group::other, "print the versions of vfilter and its libraries", "",
     own<set_action<Action::version>>()},
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
