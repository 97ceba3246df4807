#include "config/help.h"

#include <fmt/format.h>

#include <vector>

#include "config/error.h"
#include "config/exit_texts.h"
#include "config/filter_texts.h"
#include "config/foreign_filters.h"
#include "config/help_topics.h"
#include "config/text_layout.h"
#include "filters/names.h"

namespace vfilter {

namespace {

// Columns at which explanations begin.
constexpr std::size_t topic_column = 14;
constexpr std::size_t argument_column = 14;
constexpr std::size_t word_column = 29;

// Those that most runs need.
constexpr std::string_view usual_options = "overwrite codec crf start duration region report";

std::string exit_code_rows() {
    std::string text = "Exit codes:\n";
    for (const ExitText& row : exit_texts) {
        text += fmt::format("  {:>3}  {}\n", static_cast<int>(row.code), row.text);
    }
    return text;
}

std::string general_help() {
    std::vector<std::string_view> filters;
    for (const FilterDef& def : filter_table()) {
        filters.push_back(def.name);
    }
    std::string text = fmt::format(
        "Usage: vfilter [options] INPUT OUTPUT\n\n{}\n"
        "  vfilter in.mp4 out.mp4 --gaussian 5\n"
        "  vfilter in.mp4 out.mp4 --sharpen 0.8 --crf 18 --start 1:30 --duration 20\n"
        "  vfilter in.mp4 out.mp4 --gaussian sigma=12:region=60%,10%,20%,30%\n\n"
        "Filters, run in the order given:\n{}\nOften needed:\n{}\n",
        wrapped(summary), wrapped(join(filters, ", "), 2), option_rows(usual_options));
    text += "More with --help TOPIC, --help FILTER or --help OPTION. The topics:\n";
    for (const HelpTopic& topic : help_topics()) {
        text += help_row(topic.name, topic.summary, topic_column);
    }
    return text;
}

std::string topic_help(const HelpTopic& topic) {
    std::string text = fmt::format("{}: {}\n", topic.name, topic.summary);
    if (!topic.text.empty()) {
        text += fmt::format("\n{}", wrapped(topic.text));
    }
    for (const std::string& rows : {option_rows(topic.options), topic.more != nullptr ? topic.more() : ""}) {
        text += rows.empty() ? "" : fmt::format("\n{}", rows);
    }
    return topic.name == "all" ? fmt::format("{}\n{}", text, exit_code_rows()) : text;
}

std::string argument_lines(const std::vector<ArgumentText>& arguments) {
    std::string text;
    for (const ArgumentText& argument : arguments) {
        const std::string limits = argument.limits();
        text += help_row(argument.name,
                         fmt::format("{}{}", argument.help, limits.empty() ? "" : fmt::format(" ({})", limits)),
                         argument_column);
        for (const auto& [word, meaning] : argument.words) {
            text += help_row(fmt::format("{:{}}{}", "", argument_column - 2, word), meaning, word_column);
        }
    }
    return text;
}

std::string filter_help(const FilterDef& def) {
    std::string text = wrapped(fmt::format("{}: {}", filter_head(def), def.help)) + '\n' + wrapped(def.formula, 2);
    if (!def.source.empty()) {
        text += wrapped(fmt::format("({})", def.source), 2);
    }
    if (const std::vector<ArgumentText> own = own_arguments(def); !own.empty()) {
        text += fmt::format("\nArguments, the first one without its name if you like:\n{}", argument_lines(own));
    }
    return text + fmt::format("\nArguments of every filter:\n{}\n{}", argument_lines(shared_arguments(&def)),
                              wrapped(example_line(def), 2));
}

}  // namespace

std::string help_text(const std::string& topic) {
    if (topic.empty()) {
        return general_help();
    }
    if (const HelpTopic* const found = find_topic(topic)) {
        return topic_help(*found);
    }
    if (const FilterDef* const def = find_filter(topic)) {
        return filter_help(*def);
    }
    if (std::string row = option_rows(topic); !row.empty()) {
        return row;
    }
    const std::string hint = foreign_filter_hint(topic);
    const std::string near = hint.empty() ? suggestion(topic, help_names()) : hint;
    throw Error(ExitCode::usage,
                fmt::format("no help on '{}'{}", shortened(topic), near.empty() ? "; --help lists the topics" : near));
}

std::string filter_list() {
    std::string text;
    for (const FilterDef& def : filter_table()) {
        text += fmt::format("{:<12}{}\n", def.name, def.help);
    }
    return text;
}

}  // namespace vfilter
