#include "config/command_line.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <set>
#include <utility>
#include <vector>

#include "config/configuration.h"
#include "config/error.h"
#include "config/ffmpeg_words.h"
#include "config/lavfi/graph_reader.h"
#include "config/option_values.h"
#include "config/prepared_arguments.h"
#include "config/presets.h"
#include "config/unknown_option.h"
#include "filters/names.h"

namespace vfilter {

namespace {

// On the command line a preset file goes before an encoder's preset of that name. In files the name is always the
// encoder's, so that no file includes another.
void apply_preset(Command& command, const OptionDef& def, const std::string& name) {
    if (const std::optional<std::string> file = find_preset(name)) {
        command.options.config_files.push_back(*file);
        read_configuration(*file, command);
    } else if (is_shipped_preset(name)) {
        throw Error(
            ExitCode::usage,
            fmt::format("--preset {0}: this preset comes with vfilter, but {0}.toml is in share/vfilter/presets "
                        "neither beside the program nor beside its folder",
                        name));
    } else {
        apply_value(command, def, name);
    }
}

// Of two on the command line the first one would be forgotten. That of a file is replaced. `typed` are the options that
// have stood there before.
void apply_once(Command& command, const OptionDef& def, const std::string& value, std::set<std::string_view>& typed) {
    constexpr std::array<std::string_view, 3> single{"input", "output", "output-dir"};
    const bool again = !typed.insert(def.name).second;
    if (again && std::ranges::find(single, def.name) != single.end()) {
        throw Error(ExitCode::usage,
                    fmt::format("--{}: given twice, the second time with '{}'{}", def.name, shortened(value),
                                def.name == "input" ? "; --append FILE follows the input, --add FILE "
                                                      "is sound and subtitles beside it, and "
                                                      "--output-dir FOLDER takes many inputs"
                                                    : ""));
    }
    const std::string& before = command.options.output.sound_graph;
    const bool joined = again && def.name == "af" && !value.empty() && !before.empty();
    if (joined && (lavfi::read_graph(before).labelled || lavfi::read_graph(value).labelled)) {
        throw Error(ExitCode::usage,
                    "--af: given twice, and a graph with labels cannot be joined to another one: one is enough for "
                    "several filters");
    }
    apply_value(command, def, joined ? fmt::format("{},{}", before, value) : value);
}

void add_options(CLI::App& app, Command& command, std::set<std::string_view>& typed) {
    for (const OptionDef& def : option_table()) {
        if (def.value.apply == nullptr) {
            continue;
        }
        const std::string flags =
            fmt::format("{}--{}", def.short_name.empty() ? "" : fmt::format("-{},", def.short_name), def.name);
        CLI::Option* option = nullptr;
        if (def.argument.empty()) {
            option = app.add_flag_callback(flags, [&command, &def] { def.apply(command, ""); });
        } else {
            option = app.add_option_function<std::string>(flags, [&command, &def, &typed](const std::string& value) {
                if (def.name == "preset") {
                    apply_preset(command, def, value);
                } else {
                    apply_once(command, def, value, typed);
                }
            });
        }
        option->trigger_on_parse();
    }
    for (const FilterDef& def : filter_table()) {
        app.add_option_function<std::string>(fmt::format("--{}", def.name),
                                             [&command, &def](const std::string& value) {
                                                 add_filter(command.options, std::string(def.name),
                                                            value == no_arguments ? "" : value);
                                             })
            ->trigger_on_parse();
    }
    app.add_option_function<std::string>(
           "--filters", [&command](const std::string& value) { add_filter_chain(command.options, value); })
        ->trigger_on_parse();
}

// What the user typed beside --mend must be of some use there.
void check_mend(const CLI::App& app) {
    constexpr std::array<std::string_view, 5> used{"mend", "overwrite", "no-overwrite", "log-level", "quiet"};
    for (const CLI::Option* const option : app.get_options()) {
        if (option->count() == 0 || option->get_lnames().empty()) {
            continue;
        }
        if (const std::string& name = option->get_lnames().front(); std::ranges::find(used, name) == used.end()) {
            throw Error(ExitCode::usage, fmt::format("--mend: --{} is not for it, as it copies what is there: it takes "
                                                     "the two names, -y, -n and --log-level",
                                                     name));
        }
    }
}

// Whether it is written as an option, and there is none of that name.
bool is_unknown(const std::string& argument) {
    constexpr std::size_t dashes = 2;
    const std::string_view name = std::string_view(argument).substr(0, argument.find('='));
    return name.starts_with("--") && find_option(name.substr(dashes)) == nullptr &&
           find_filter(name.substr(dashes)) == nullptr;
}

// "fr_*.png" of fr_001.png and fr_002.png, which a shell has made of that; "" of names that are no series of pictures.
std::string series_of(std::string_view one, std::string_view next) {
    constexpr std::string_view digits = "0123456789";
    constexpr std::string_view pictures = "png jpg jpeg tif tiff bmp webp ppm pgm pnm dpx exr tga jp2 jxl avif";
    const std::size_t dot = one.rfind('.');
    const std::size_t last = one.find_last_of(digits, dot);
    if (dot == std::string_view::npos || last == std::string_view::npos || !has_word(pictures, one.substr(dot + 1))) {
        return "";
    }
    const std::size_t first = one.find_last_not_of(digits, last) + 1;  // 0 where nothing stands before it
    const std::string_view head = one.substr(0, first);
    const std::string_view tail = one.substr(last + 1);
    const bool alike =
        next.size() > first + tail.size() && next.starts_with(head) && next.ends_with(tail) &&
        next.substr(first, next.size() - first - tail.size()).find_first_not_of(digits) == std::string_view::npos;
    return alike ? fmt::format("{}*{}", head, tail) : "";
}

// What a name that is one too many may be about.
std::string hint_of_names(const std::vector<std::string>& names, std::span<const std::string> arguments) {
    if (const std::string series = names.size() > 1 ? series_of(names[0], names[1]) : ""; !series.empty()) {
        return fmt::format("in quotes '{}' is a series of pictures, which is one input", series);
    }
    const auto quiet = std::ranges::adjacent_find(arguments, [](const std::string& word, const std::string& next) {
        double number = 0;
        return word == "-q" && parse_number(next, number);
    });
    if (quiet != arguments.end()) {
        return fmt::format("-q is --quiet; a quality is --crf {}", *std::next(quiet));
    }
    return names.back().find("{stem}") != std::string::npos
               ? "--output-dir FOLDER takes many inputs, and --name '{stem}/%05d.png' behind it names their pictures"
               : "there is one input and one output; --output-dir FOLDER takes many inputs";
}

void take_names(Command& command, std::vector<std::string> names, std::span<const std::string> arguments) {
    if (BatchOptions& batch = command.options.batch; !batch.folder.empty()) {
        if (!command.options.input.path.empty()) {
            names.insert(names.begin(), command.options.input.path);
        }
        batch.inputs.insert(batch.inputs.end(), names.begin(), names.end());
        return;
    }
    if (!command.options.batch.inputs.empty()) {
        throw Error(ExitCode::usage, "a configuration file's list of inputs is for --output-dir, which is missing");
    }
    const std::vector<std::string> given = names;
    for (std::string* const target : {&command.options.input.path, &command.options.output.path}) {
        if (target->empty() && !names.empty()) {
            *target = names.front();
            names.erase(names.begin());
        }
    }
    if (!names.empty()) {
        throw Error(ExitCode::usage,
                    fmt::format("'{}' is one name too many: {}", names.front(), hint_of_names(given, arguments)));
    }
}

void apply_region(Command& command) {
    if (!command.region.everywhere() && command.options.filters.empty()) {
        throw Error(ExitCode::usage, "--region: there is no filter to apply there; add one, such as --gaussian 9");
    }
    for (FilterSpec& filter : command.options.filters) {
        if (filter.region.everywhere()) {
            filter.region.rectangles = command.region.rectangles;
            filter.region.tracks = command.region.tracks;
        }
    }
}

void apply_dither(Command& command) {
    bool any = !command.dither;
    for (FilterSpec& filter : command.options.filters) {
        if (command.dither && !filter.dither && filter.def->dithering != Dithering::none) {
            filter.dither = true;
        }
        any = any || filter.effective_dither();
    }
    if (!any) {
        throw Error(ExitCode::usage, "--dither: there is no filter that rounds its results");
    }
}

void check_batch(const Options& options) {
    const auto refuse = [](const char* why) { throw Error(ExitCode::usage, fmt::format("--output-dir: {}", why)); };
    if (options.batch.inputs.empty()) {
        refuse("no input: vfilter [options] INPUT... --output-dir FOLDER (see --help)");
    }
    if (!options.output.path.empty()) {
        refuse("--output cannot be given with many inputs; --name PATTERN names the outputs");
    }
    if (options.output.format == "null") {
        refuse("there is nothing to put into it with --format null");
    }
    if (!options.input.added.empty()) {
        refuse("--add is for one input: each of many would get the same sound and subtitles");
    }
    if (!options.input.appended.empty()) {
        refuse("--append is for one input: each of many would be followed by the same files");
    }
    if (options.preview || !options.trace.empty() || options.stats == StatsFormat::json) {
        refuse("--preview, --trace and --stats json are for one file; --report has those of all");
    }
}

bool is_standard_output(const std::string& path) {
    return path == "-" || path == "/dev/stdout" || path == "/dev/fd/1" || path == "/proc/self/fd/1";
}

// It takes one thing: what comes behind a video would be a part of it.
void check_standard_output(const Options& options) {
    struct Wish {
        bool wants;
        const char* name;
    };
    const std::array wishes{
        Wish{options.output.format != "null" && is_standard_output(options.output.path), "the output"},
        Wish{options.stats == StatsFormat::json, "--stats json"}, Wish{is_standard_output(options.report), "--report"}};
    std::string names;
    int count = 0;
    for (const Wish& wish : wishes) {
        names += wish.wants ? fmt::format("{}{}", names.empty() ? "" : " and ", wish.name) : "";
        count += wish.wants ? 1 : 0;
    }
    if (count > 1) {
        throw Error(ExitCode::usage,
                    fmt::format("{} cannot share standard output; --report FILE writes to a file", names));
    }
}

// What can be said before the input is known.
void check_part(const InputOptions& input) {
    const std::optional<Position>& start = input.start;
    const std::optional<Position>& end = input.end;
    if (start && end && start->frames == end->frames && start->chapter == end->chapter &&
        (end->chapter ? end->value < start->value : end->value <= start->value)) {
        throw Error(ExitCode::usage, "--end is not after --start");
    }
    if ((end && end->value == 0) || (input.duration && input.duration->value == 0)) {
        throw Error(ExitCode::usage, "--end and --duration must be more than 0");
    }
    if (end && input.duration) {
        throw Error(ExitCode::usage, "--end and --duration exclude each other");
    }
}

void check_run(const Command& command) {
    const Options& options = command.options;
    if (command.action == Action::mend && (options.input.path.empty() || options.output.path.empty())) {
        throw Error(ExitCode::usage, "--mend: two names are needed, of the .part and of the new file");
    }
    if (command.action != Action::run) {
        return;
    }
    if (!options.batch.folder.empty()) {
        check_batch(options);
    } else if (const BatchOptions& batch = options.batch;
               batch.skip_existing || batch.keep_going || batch.jobs != 1 || !batch.name.empty()) {
        throw Error(ExitCode::usage,
                    "--name, --skip-existing, --keep-going and --jobs are for many files, which --output-dir asks for");
    }
    if (options.input.path.empty() && options.batch.folder.empty()) {
        throw Error(ExitCode::usage, "no input: vfilter [options] INPUT OUTPUT (see --help)");
    }
    if (!options.records() && !options.preview && options.batch.folder.empty()) {
        throw Error(ExitCode::usage, "no output: vfilter [options] INPUT OUTPUT, or --preview (see --help)");
    }
    if (options.output.crf && options.output.bitrate) {
        throw Error(ExitCode::usage, "--crf and --bitrate exclude each other");
    }
    if (!options.output.sound_graph.empty() && options.output.sound.mode == SoundOptions::Mode::copy) {
        throw Error(ExitCode::usage,
                    "--af and --audio copy exclude each other, as filtered sound has to be encoded; leave out "
                    "--audio copy or name a codec");
    }
    check_standard_output(options);
    check_part(options.input);
}

}  // namespace

Command parse_command_line(std::span<const char* const> arguments) {
    Command command;
    if (!arguments.empty() && std::string_view(arguments.front()) == "--complete") {
        command.action = Action::complete;
        command.typed.assign(arguments.begin() + 1, arguments.end());
        return command;
    }
    if (std::optional<std::string> topic = help_topic_of(arguments)) {
        command.action = Action::help;
        command.topic = std::move(*topic);
        return command;
    }
    PreparedArguments prepared = prepare_arguments(without_ffmpeg_words(arguments));
    if (!prepared.missing.empty()) {
        throw Error(ExitCode::usage, prepared.missing);
    }
    for (const std::string& file : prepared.configs) {
        command.options.config_files.push_back(file);
        read_configuration(file, command);
    }
    CLI::App app;
    app.set_help_flag();
    app.allow_extras();
    std::vector<std::string> names;
    app.add_option("names", names);
    std::set<std::string_view> typed;
    add_options(app, command, typed);
    const auto marked = std::ranges::find(prepared.arguments, "--");
    for (auto argument = prepared.arguments.begin(); argument != marked; ++argument) {
        const std::string& text = *argument;
        // CLI11 would read -10 as a name and -yz as two options.
        if (is_dashed_name(text)) {
            const bool value = argument != prepared.arguments.begin() && is_unknown(*std::prev(argument));
            refuse_unknown(value ? *std::prev(argument) : text);
        }
    }
    try {
        std::vector<std::string> reversed(prepared.arguments.rbegin(), prepared.arguments.rend());
        app.parse(std::move(reversed));
    } catch (const CLI::ArgumentMismatch& error) {
        const std::string_view text = error.what();
        const std::size_t begin = std::min(text.find_first_not_of('-'), text.size());
        const OptionDef* const def = find_option(text.substr(begin, text.find(':') - begin));
        throw Error(ExitCode::usage, def != nullptr ? without_value(*def) : std::string(text));
    } catch (const CLI::ParseError& error) {
        throw Error(ExitCode::usage, error.what());
    }
    for (const std::string& extra : app.remaining()) {
        if (extra.size() > 1 && extra.front() == '-' && extra != "--") {
            refuse_unknown(extra);
        }
    }
    if (command.action == Action::mend) {
        check_mend(app);
    }
    take_names(command, names, prepared.arguments);
    apply_region(command);
    apply_dither(command);
    check_run(command);
    command.options.sums = !command.options.report.empty();
    return command;
}

}  // namespace vfilter
