#include "config/help.h"

#include <fmt/format.h>

#include <vector>

#include "config/error.h"
#include "config/filter_texts.h"
#include "config/option_table.h"
#include "filters/names.h"

namespace vfilter {

namespace {

constexpr std::string_view summary =
    "Decodes a video, filters every picture, and writes it again with every stream, timestamp and tag.";

struct ExitText {
    ExitCode code;
    std::string_view text;
};

constexpr ExitText exit_texts[] = {
    {ExitCode::finished, "finished: all frames, trailer written, renamed"},
    {ExitCode::internal, "internal error"},
    {ExitCode::usage, "bad usage or configuration; nothing was opened"},
    {ExitCode::input, "input cannot be opened, or holds no decodable video"},
    {ExitCode::output, "output cannot be written"},
    {ExitCode::damaged, "finished, but part of the input was damaged"},
    {ExitCode::device, "the requested device is missing or unusable"},
    {ExitCode::device_lost, "the device was lost in the middle"},
    {ExitCode::encoder, "the encoder refused or failed"},
    {ExitCode::interrupted, "stopped by SIGINT: the file up to there is finished and in place"},
    {ExitCode::terminated, "stopped by SIGTERM: the same"},
};

std::string option_head(const OptionDef& def) {
    return fmt::format("{}--{}{}{}", def.short_name.empty() ? "    " : fmt::format("-{}, ", def.short_name), def.name,
                       def.argument.empty() ? "" : " ", def.argument);
}

std::string general_help() {
    std::string text =
        fmt::format("Usage: vfilter [options] INPUT OUTPUT\n\n{}\n\n  vfilter in.mp4 out.mp4 --gaussian 5\n", summary);
    text += "\nFilters, run in the order given (--help FILTER for one of them):\n";
    for (const FilterDef& def : filter_table()) {
        text += fmt::format("  {:<28}{}\n", fmt::format("    {}", filter_head(def)), def.help);
    }
    std::string_view group;
    for (const OptionDef& def : option_table()) {
        if (def.group != group) {
            group = def.group;
            text += fmt::format("\n{}:\n", group);
        }
        const std::string head = option_head(def);
        text += fmt::format("  {:<28}{}{}\n", head, head.size() >= 28 ? " " : "", def.help);
    }
    text += "\nExit codes:\n";
    for (const ExitText& row : exit_texts) {
        text += fmt::format("  {:>3}  {}\n", static_cast<int>(row.code), row.text);
    }
    return text;
}

std::string argument_lines(const std::vector<ArgumentText>& arguments) {
    std::string text;
    for (const ArgumentText& argument : arguments) {
        const std::string limits = argument.limits();
        text += fmt::format("  {:<12}{}{}\n", argument.name, argument.help,
                            limits.empty() ? "" : fmt::format(" ({})", limits));
        for (const auto& [word, meaning] : argument.words) {
            text += fmt::format("  {:<12}  {:<13}{}\n", "", word, meaning);
        }
    }
    return text;
}

std::string filter_help(const FilterDef& def) {
    std::string text = fmt::format("{}: {}\n\n  {}\n", filter_head(def), def.help, def.formula);
    if (!def.source.empty()) {
        text += fmt::format("  ({})\n", def.source);
    }
    if (const std::vector<ArgumentText> own = own_arguments(def); !own.empty()) {
        text += fmt::format("\nArguments, the first one without its name if you like:\n{}", argument_lines(own));
    }
    return text + fmt::format("\nArguments of every filter:\n{}\n  {}\n", argument_lines(shared_arguments(&def)),
                              example_line(def));
}

// Text for roff: a leading dot would be a request, a backslash an escape, and - a hyphen instead of a minus.
std::string roff(std::string_view text) {
    std::string result;
    for (const char letter : text) {
        result += letter == '\\' ? "\\e" : letter == '-' ? "\\-" : std::string(1, letter);
    }
    return result.starts_with('.') || result.starts_with('\'') ? "\\&" + result : result;
}

std::string roff_arguments(const std::vector<ArgumentText>& arguments) {
    std::string text;
    for (const ArgumentText& argument : arguments) {
        const std::string limits = argument.limits();
        text += fmt::format(".br\n{}\n", roff(fmt::format("{}: {}{}", argument.name, argument.help,
                                                          limits.empty() ? "" : fmt::format(" ({})", limits))));
        for (const auto& [word, meaning] : argument.words) {
            text += fmt::format(".br\n{}\n", roff(fmt::format("    {}: {}", word, meaning)));
        }
    }
    return text;
}

}  // namespace

std::string help_text(const std::string& topic) {
    if (topic.empty()) {
        return general_help();
    }
    if (const FilterDef* const def = find_filter(topic)) {
        return filter_help(*def);
    }
    std::vector<std::string_view> names;
    for (const FilterDef& def : filter_table()) {
        names.push_back(def.name);
    }
    const std::string near = suggestion(topic, names);
    throw Error(ExitCode::usage,
                fmt::format("no filter '{}'{}", topic, near.empty() ? "; there are " + join(names, ", ") : near));
}

std::string filter_list() {
    std::string text;
    for (const FilterDef& def : filter_table()) {
        text += fmt::format("{:<12}{}\n", def.name, def.help);
    }
    return text;
}

std::string man_page() {
    std::string text = fmt::format(
        ".TH VFILTER 1\n.SH NAME\nvfilter \\- filter a video without losing anything of it\n.SH SYNOPSIS\n.B vfilter\n"
        "[options] INPUT OUTPUT\n.SH DESCRIPTION\n{}\n",
        roff(summary));
    text += ".SH FILTERS\nFilters run in the order given.\n";
    for (const FilterDef& def : filter_table()) {
        text += fmt::format(".TP\n.B {}\n{}: {}\n", roff(filter_head(def)), roff(def.help), roff(def.formula));
        if (!def.source.empty()) {
            text += fmt::format(".br\n{}\n", roff(fmt::format("({})", def.source)));
        }
        text += roff_arguments(own_arguments(def)) + fmt::format(".br\n.I {}\n", roff(example_line(def)));
    }
    text += ".SH ARGUMENTS OF EVERY FILTER\n" + roff_arguments(shared_arguments(nullptr));
    std::string_view group;
    for (const OptionDef& def : option_table()) {
        if (def.group != group) {
            group = def.group;
            text += fmt::format(".SH {}\n", group == "Other" ? "OTHER OPTIONS" : roff(group));
        }
        const std::string head = option_head(def);
        text += fmt::format(".TP\n.B {}\n{}\n", roff(head.substr(head.find('-'))), roff(def.help));
    }
    text += ".SH EXIT STATUS\n";
    for (const ExitText& row : exit_texts) {
        text += fmt::format(".TP\n.B {}\n{}\n", static_cast<int>(row.code), roff(row.text));
    }
    return text;
}

std::string bash_completion() {
    std::string words;
    std::string cases;
    for (const OptionDef& def : option_table()) {
        words += fmt::format(" --{}", def.name);
        if (!def.choices.empty()) {
            std::string choices(def.choices);
            for (char& letter : choices) {
                letter = letter == '|' ? ' ' : letter;
            }
            if (def.name == "preset") {
                choices += " $(vfilter --list presets 2>/dev/null | cut -d ' ' -f 1)";  // the user's own, too
            }
            cases += fmt::format("        --{}) COMPREPLY=($(compgen -W \"{}\" -- \"$current\")); return ;;\n",
                                 def.name, choices);
        }
    }
    std::string filters;
    for (const FilterDef& def : filter_table()) {
        words += fmt::format(" --{}", def.name);
        filters += fmt::format("{}{}", filters.empty() ? "" : " ", def.name);
    }
    cases += fmt::format("        --help) COMPREPLY=($(compgen -W \"{}\" -- \"$current\")); return ;;\n", filters);
    return fmt::format(
        "# bash completion of vfilter, made from its option table\n"
        "_vfilter() {{\n"
        "    local current=${{COMP_WORDS[COMP_CWORD]}}\n"
        "    case ${{COMP_WORDS[COMP_CWORD-1]}} in\n{}    esac\n"
        "    if [[ $current == -* ]]; then\n"
        "        COMPREPLY=($(compgen -W \"{}\" -- \"$current\"))\n"
        "    else\n"
        "        COMPREPLY=($(compgen -f -- \"$current\"))\n"
        "    fi\n"
        "}}\n"
        "complete -o filenames -F _vfilter vfilter\n",
        cases, words.substr(1));
}

}  // namespace vfilter
