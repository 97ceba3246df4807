#include "config/option_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "config/command_line.h"
#include "config/error.h"
#include "config/option_readers.h"
#include "config/option_values.h"
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

constexpr std::string_view files = "Files";
constexpr std::string_view live = "Live input";
constexpr std::string_view encoding = "Encoding";
constexpr std::string_view part = "Part of the input";
constexpr std::string_view machine = "Machine";
constexpr std::string_view telling = "Progress and reports";
constexpr std::string_view other = "Other";

constexpr OptionDef table[] = {
    {"input", "i", "FILE", files, "input file, camera, screen or address, - for stdin; the first name does the same", "", true,
     [](Command& c, const std::string& v) { c.options.input.path = v; },
     [](const Options& o) { return o.input.path; }},
    {"output", "o", "FILE", files, "output file, - for stdout; the second name does the same", "", true,
     [](Command& c, const std::string& v) { c.options.output.path = v; },
     [](const Options& o) { return o.output.path; }},
    {"overwrite", "y", "", files, "replace the output if it exists", "", false,
     [](Command& c, const std::string&) { c.options.output.overwrite = Overwrite::yes; }, nullptr},
    {"no-overwrite", "n", "", files, "never replace an existing output", "", false,
     [](Command& c, const std::string&) { c.options.output.overwrite = Overwrite::no; }, nullptr},
    {"format", "", "NAME", files, "container of the output, by FFmpeg's name; null discards", "@formats", true,
     [](Command& c, const std::string& v) { c.options.output.format = v; },
     [](const Options& o) { return o.output.format; }},
    {"input-format", "", "NAME", files, "container of the input, where it cannot be told", "", true,
     [](Command& c, const std::string& v) { c.options.input.format = v; },
     [](const Options& o) { return o.input.format; }},
    {"framerate", "", "RATE", files, "pictures per second of a sequence: 25, 23.976, 30000/1001; 25 if not given", "", true,
     [](Command& c, const std::string& v) { c.options.input.framerate = parse_framerate(v); },
     [](const Options& o) { return o.input.framerate; }},
    {"start-number", "", "N", files, "number of the first picture that is written: 1 if not given", "", true,
     [](Command& c, const std::string& v) {
         c.options.output.start_number = ranged<std::int64_t>("start-number", v, 0, 1'000'000'000);
     },
     [](const Options& o) {
         return o.output.start_number == OutputOptions{}.start_number ? "" : fmt::format("{}", o.output.start_number);
     }},
    {"video-stream", "", "N|all", files, "which video is filtered where there are several: its number from 0, or all of them", "", true,
     [](Command& c, const std::string& v) {
         constexpr int max_index = 999;
         c.options.input.video_stream =
             v == "all" ? v : fmt::format("{}", ranged<int>("video-stream", v, 0, max_index));
         std::erase_if(c.options.output.choices, [&](const StreamChoice& choice) {  // another --streams video:N
             return choice.kind == kind::video && fmt::format("{}", choice.number) != v;
         });
     },
     [](const Options& o) { return o.input.video_stream; }},
    {"max-pixels", "", "N", files, "largest picture that is decoded, in pixels, or with an M in millions: 160M if not given", "",
     true, [](Command& c, const std::string& v) { c.options.input.max_pixels = parse_pixels(v); },
     [](const Options& o) {
         return o.input.max_pixels == default_max_pixels ? "" : fmt::format("{}", o.input.max_pixels);
     }},
    {"output-dir", "", "FOLDER", files, "filter all the files that are named, each into this folder", "", true,
     [](Command& c, const std::string& v) { c.options.batch.folder = v; },
     [](const Options& o) { return o.batch.folder; }},
    {"name", "", "PATTERN", files, "of many files: names of the outputs, {stem}.{ext} if not given, with {n} for a number; {stem}/%05d.png: pictures, a folder for each", "", true,
     [](Command& c, const std::string& v) { c.options.batch.name = v; },
     [](const Options& o) { return o.batch.name; }},
    {"skip-existing", "", "", files, "of many files: leave out those that an earlier run has finished", "", true,
     [](Command& c, const std::string& v) { c.options.batch.skip_existing = is_on(v); },
     [](const Options& o) { return std::string(o.batch.skip_existing ? "true" : ""); }},
    {"keep-going", "", "", files, "of many files: go on with the others after one has failed", "", true,
     [](Command& c, const std::string& v) { c.options.batch.keep_going = is_on(v); },
     [](const Options& o) { return std::string(o.batch.keep_going ? "true" : ""); }},
    {"jobs", "", "N", files, "of many files: how many to filter at once, sharing the threads; 1 if not given", "", true,
     [](Command& c, const std::string& v) { c.options.batch.jobs = ranged<int>("jobs", v, 1, 256); },
     [](const Options& o) { return o.batch.jobs != 1 ? fmt::format("{}", o.batch.jobs) : ""; }},
    {"config", "", "FILE", files, "read options from a TOML file; the command line goes on from there", "", false, nullptr,
     nullptr},

    {"live", "", "", live, "treat the input as a camera: at its own pace, the newest picture counts", "", true,
     [](Command& c, const std::string& v) { c.options.input.live = is_on(v); },
     [](const Options& o) { return std::string(o.input.live ? "true" : ""); }},
    {"camera-size", "", "WxH", live, "size of a camera's or screen's pictures", "", true,
     [](Command& c, const std::string& v) { c.options.input.camera_size = parse_size("camera-size", v); },
     [](const Options& o) { return o.input.camera_size; }},
    {"camera-fps", "", "N", live, "pictures per second of a camera or screen", "", true,
     [](Command& c, const std::string& v) {
         c.options.input.camera_fps = ranged<double>("camera-fps", v, 0.1, 1000);
     },
     [](const Options& o) { return o.input.camera_fps ? fmt::format("{}", *o.input.camera_fps) : ""; }},
    {"audio-device", "", "NAME", live, "sound beside a camera or screen: default, alsa:NAME, pulse:NAME", "default", true,
     [](Command& c, const std::string& v) { c.options.input.audio_device = v; },
     [](const Options& o) { return o.input.audio_device; }},
    {"allow-network", "", "", live, "let input or output be an address: rtsp, rtmp, srt, udp, http", "", true,
     [](Command& c, const std::string& v) { c.options.input.allow_network = is_on(v); },
     [](const Options& o) { return std::string(o.input.allow_network ? "true" : ""); }},
    {"allow-files", "", "", live, "let the filters of lavfi:GRAPH and --vf read and write files, and load libraries", "", true,
     [](Command& c, const std::string& v) { c.options.input.allow_files = is_on(v); },
     [](const Options& o) { return std::string(o.input.allow_files ? "true" : ""); }},
    {"reconnect", "", "N", live, "open a live input or an address that was lost again, N times", "", true,
     [](Command& c, const std::string& v) { c.options.input.reconnect = ranged<int>("reconnect", v, 0, 1'000'000); },
     [](const Options& o) { return o.input.reconnect != 0 ? fmt::format("{}", o.input.reconnect) : ""; }},
    {"timeout", "", "SECONDS", live, "give up a live input, address or pipe from which nothing comes for so long; 0 is never",
     "", true,
     [](Command& c, const std::string& v) { c.options.input.timeout = ranged<double>("timeout", v, 0, 86400); },
     [](const Options& o) { return o.input.timeout != 0 ? fmt::format("{}", o.input.timeout) : ""; }},
    {"input-option", "", "KEY=VALUE", live, "private option of the input's format, device or protocol; may be repeated",
     "", true,
     [](Command& c, const std::string& v) {
         add_pair("input-option", c.options.input.input_options, v);
     },
     [](const Options& o) { return show_lines(texts_of(o.input.input_options)); },
     [](const Options& o) { return texts_of(o.input.input_options); }},

    {"codec", "", "NAME", encoding, "encoder or codec; H.264 for mp4, mkv and mov, VP9 for webm if not given", "@encoders", true,
     choose_codec,
     [](const Options& o) { return o.output.codec; }},
    {"crf", "", "N", encoding, "constant quality, in the encoder's scale; if not given 23 of H.264, 28 of HEVC, 31 of VP9, 32 of AV1", "", true,
     [](Command& c, const std::string& v) { c.options.output.crf = ranged<double>("crf", v, 0, 100); },
     [](const Options& o) { return o.output.crf ? fmt::format("{}", *o.output.crf) : ""; }},
    {"bitrate", "", "RATE", encoding, "bits per second: 2500k, 8M", "", true,
     [](Command& c, const std::string& v) { c.options.output.bitrate = parse_bitrate("bitrate", v); },
     [](const Options& o) { return o.output.bitrate ? fmt::format("{}", *o.output.bitrate) : ""; }},
    {"preset", "", "NAME", encoding, "options from a preset of --list presets; any other name is the encoder's preset",
     "@presets|ultrafast|superfast|veryfast|faster|fast|medium|slow|slower|veryslow", true,
     [](Command& c, const std::string& v) {
         c.options.output.preset = v;
         c.file_encoder.preset.clear();
     },
     [](const Options& o) { return o.output.preset; }},
    {"pix-fmt", "", "NAME", encoding, "pixel format of the output, by FFmpeg's name; the input's if not given", "@pixel-formats", true,
     [](Command& c, const std::string& v) { c.options.output.pix_fmt = v; },
     [](const Options& o) { return o.output.pix_fmt; }},
    {"encoder-option", "", "KEY=VALUE", encoding, "private option of the encoder; may be repeated", "", true,
     [](Command& c, const std::string& v) {
         add_pair("encoder-option", c.options.output.encoder_options, v);
     },
     [](const Options& o) { return show_lines(texts_of(o.output.encoder_options)); },
     [](const Options& o) { return texts_of(o.output.encoder_options); }},

    {"encoders", "", "N[:PICTURES]", encoding,
     "N encoders in parallel, each with parts of PICTURES pictures, for machines with many cores", "", true,
     [](Command& c, const std::string& v) { parse_encoders(c.options.output, v); },
     [](const Options& o) { return show_encoders(o.output); }},

    {"start", "", "TIME", part,
     "leave out what comes before: seconds, [hh:]mm:ss.xxx, frames as 120f, or where chapter:2 begins", "", true,
     [](Command& c, const std::string& v) { c.options.input.start = parse_place("start", v); },
     [](const Options& o) { return show_position(o.input.start); }},
    {"end", "", "TIME", part, "leave out what comes after this time; with chapter:4, after that chapter", "", true,
     [](Command& c, const std::string& v) { c.options.input.end = parse_place("end", v); },
     [](const Options& o) { return show_position(o.input.end); }},
    {"duration", "", "TIME", part, "length of the wanted part, counted from --start", "", true,
     [](Command& c, const std::string& v) { c.options.input.duration = parse_position("duration", v); },
     [](const Options& o) { return show_position(o.input.duration); }},
    {"frames", "", "N", part, "take at most N frames", "", true,
     [](Command& c, const std::string& v) {
         c.options.input.frames = ranged<std::int64_t>("frames", v, 1, std::int64_t{1} << 40);
     },
     [](const Options& o) { return o.input.frames ? fmt::format("{}", *o.input.frames) : ""; }},
    {"crop", "", "auto", part, "find black bars all along the part and cut them away; for fixed numbers use --vf "
                               "crop=W:H:X:Y", "auto", true,
     parse_crop, [](const Options& o) { return std::string(o.auto_crop ? "auto" : ""); }},
    {"strict", "", "", part, "stop at the first damaged packet or frame", "", true,
     [](Command& c, const std::string& v) { c.options.input.strict = is_on(v); },
     [](const Options& o) { return std::string(o.input.strict ? "true" : ""); }},

    {"device", "", "NAME", machine, "auto, cpu, cuda, cuda:N, several as cuda:0,cuda:1, or all GPUs; only auto falls back", "auto|cpu|cuda|all", true,
     parse_device, [](const Options& o) { return o.device == "auto" ? "" : o.device; }},
    {"decode", "", "WHERE", machine, "auto, cpu or gpu; auto takes the GPU that filters where it is not slower",
     "auto|cpu|gpu", true,
     [](Command& c, const std::string& v) {
         if (v != "auto" && v != "cpu" && v != "gpu") {
             refuse("decode", fmt::format("'{}' is none of auto, cpu, gpu", shortened(v)));
         }
         c.options.decode = v;
     },
     [](const Options& o) { return o.decode == "auto" ? "" : o.decode; }},
    {"threads", "", "N", machine, "threads for each of decoder, filters and encoder; 0: one per core, 1.5 per core for x264", "", true,
     [](Command& c, const std::string& v) { c.options.threads = ranged<int>("threads", v, 0, 1024); },
     [](const Options& o) { return o.threads != 0 ? fmt::format("{}", o.threads) : ""; }},
    {"gpu-streams", "", "N", machine, "pictures on the GPU at once, each in a stream of its own; 0 chooses", "", true,
     [](Command& c, const std::string& v) { c.options.streams = ranged<int>("gpu-streams", v, 0, 16); },
     [](const Options& o) { return o.streams != 0 ? fmt::format("{}", o.streams) : ""; }},
    {"stall-timeout", "", "SECONDS", machine, "end a run in which no stage makes progress for so long; 0 never, 60 if not given",
     "", true,
     [](Command& c, const std::string& v) { c.options.stall_timeout = ranged<double>("stall-timeout", v, 0, 1e6); },
     [](const Options& o) { return o.stall_timeout == Options{}.stall_timeout ? "" : fmt::format("{}", o.stall_timeout); }},
    {"max-latency", "", "MS", machine, "live: drop pictures that would be ready more than MS milliseconds after they came", "", true,
     [](Command& c, const std::string& v) { c.options.max_latency = ranged<double>("max-latency", v, 1, 60000); },
     [](const Options& o) { return o.max_latency ? fmt::format("{}", *o.max_latency) : ""; }},
    {"verify", "", "", machine, "filter every 50th decoded picture again, in plain loops and in double precision, and "
                                "compare; decoder and encoder are not verified (that the file holds what was sent is checked "
                                "always)", "", true,
     [](Command& c, const std::string& v) { c.options.verify = is_on(v); },
     [](const Options& o) { return std::string(o.verify ? "true" : ""); }},

    {"preview", "", "", telling, "show what is filtered in a window; without OUTPUT a file is played at its own pace", "", true,
     [](Command& c, const std::string& v) { c.options.preview = is_on(v); },
     [](const Options& o) { return std::string(o.preview ? "true" : ""); }},
    {"progress", "", "KIND", telling, "auto, bar, plain, json or none, on stderr", "auto|bar|plain|json|none", true,
     [](Command& c, const std::string& v) { c.options.progress = choose("progress", v, progress_choices); },
     [](const Options& o) { return name_of(o.progress, progress_choices, Progress::automatic); }},
    {"stats", "", "[text|json]", telling, "time, frames and waits of each stage: text on stderr, json on stdout",
     "text|json", true,
     [](Command& c, const std::string& v) { c.options.stats = choose("stats", v, stats_choices); },
     [](const Options& o) {
         return std::string(o.stats == StatsFormat::json ? "json" : o.stats == StatsFormat::text ? "text" : "");
     }},
    {"report", "", "FILE", telling, "write the outcome as JSON", "", true,
     [](Command& c, const std::string& v) { c.options.report = v; }, [](const Options& o) { return o.report; }},
    {"trace", "", "FILE", telling, "write what each stage did when, for Perfetto or chrome://tracing", "", true,
     [](Command& c, const std::string& v) { c.options.trace = v; }, [](const Options& o) { return o.trace; }},
    {"log-level", "", "LEVEL", telling, "debug, info, warning, error or quiet", "debug|info|warning|error|quiet", true,
     [](Command& c, const std::string& v) { c.options.log_level = choose("log-level", v, log_choices); },
     [](const Options& o) { return name_of(o.log_level, log_choices, LogLevel::info); }},
    {"quiet", "q", "", telling, "say nothing but errors", "", false,
     [](Command& c, const std::string&) {
         c.options.log_level = LogLevel::error;
         c.options.progress = Progress::none;
     },
     nullptr},

    {"region", "", "X,Y,W,H", other, "region of all filters without a region or mask of their own, in pixels or percent", "", false,
     [](Command& c, const std::string& v) {
         if (!c.region.everywhere()) {
             throw Error(ExitCode::usage, "--region: given twice: several places are one value, A+B");
         }
         try {
             parse_place(v, c.region);
         } catch (const RegionError& error) {
             throw Error(ExitCode::usage, fmt::format("--{}", error.what()));
         }
     },
     nullptr},
    {"dither", "", "", other, "dither=on for every filter that can and does not set it: what would be rounded becomes a "
                              "fine pattern; 16 bits refuse it", "", false,
     [](Command& c, const std::string&) { c.dither = true; }, nullptr},
    {"vf", "", "GRAPH", other, "a step made by FFmpeg's libavfilter, in its place among the filters: \"bwdif,scale=1280:-2\" (--help vf)", "",
     false, [](Command& c, const std::string& v) { add_foreign_step(c.options, v); }, nullptr},
    {"filters", "", "CHAIN", other, "several filters in one text: \"gaussian=5,box=3\"", "", false, nullptr, nullptr},
    {"list", "", "WHAT", other, "list filters, presets, devices, encoders, formats, pixel-formats or cameras",
     list_names, false, parse_list, nullptr},
    {"print-config", "", "", other, "print the options as a configuration file", "", false,
     [](Command& c, const std::string&) { c.action = Action::print_config; }, nullptr},
    {"mend", "", "", other, "make the .part that a killed run has left of an mp4 or mov playable: --mend FILE.part NEW.mp4", "",
     false, [](Command& c, const std::string&) { c.action = Action::mend; }, nullptr},
    {"doctor", "", "", other, "what this machine and this build can do", "", false,
     [](Command& c, const std::string&) { c.action = Action::doctor; }, nullptr},
    {"help", "h", "[TOPIC]", other, "short help, or help on a topic, a filter or an option; all is everything", "",
     false, nullptr, nullptr},
    {"complete", "", "WORD...", other, "print what can come next, for the completion of shells", "", false, nullptr, nullptr},
    {"version", "", "", other, "version and libraries", "", false,
     [](Command& c, const std::string&) { c.action = Action::version; }, nullptr},
};

}  // namespace

// Rows of one group stand together; those of other files go before this one's part.
std::span<const OptionDef> option_table() {
    static const std::vector<OptionDef> rows = [] {
        std::vector<OptionDef> all(std::begin(table), std::end(table));
        const auto place = std::ranges::find(all, part, &OptionDef::group);
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
