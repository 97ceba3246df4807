#include "config/help.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "config/error.h"
#include "config/everyday_words.h"
#include "config/exit_texts.h"
#include "config/ffmpeg_words.h"
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

constexpr std::string_view exit_topic = "exit-codes";

// Those that most runs need.
constexpr std::string_view usual_options = "overwrite codec crf start duration region report";

// "crf" of "--crf".
std::string without_dashes(std::string_view word) {
    return std::string(word.substr(std::min(word.find_first_not_of('-'), word.size())));
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
        "Filters, run in the order given:\n{}\nCommon options:\n{}\n",
        wrapped(summary), wrapped(join(filters, ", "), 2), option_rows(usual_options));
    text += "For more, use --help TOPIC, --help FILTER or --help OPTION. The topics:\n";
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
    for (const std::string& rows : {option_rows(topic), topic.more != nullptr ? topic.more() : ""}) {
        text += rows.empty() ? "" : fmt::format("\n{}", rows);
    }
    return topic.name == "all" ? fmt::format("{}\n{}", text, find_topic(exit_topic)->more()) : text;
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
        text += fmt::format("\nArguments (the first one needs no name):\n{}", argument_lines(own));
    }
    return text + fmt::format("\nArguments of all filters:\n{}\n{}", argument_lines(shared_arguments(&def)),
                              wrapped(example_line(def), 2));
}

// What does here what a word of everyday's or of ffmpeg's asks for.
std::string help_on_foreign_word(const std::string& word) {
    std::string text;
    for (const std::string& spelling : spellings_of(word)) {
        text = text.empty() ? everyday_help(spelling) : text;
    }
    const std::string row = ffmpeg_word_row(fmt::format("-{}", word));
    return fmt::format("{}{}{}", wrapped(text), text.empty() || row.empty() ? "" : "\n", row);
}

// "" where there is none.
std::string help_on(const std::string& word) {
    constexpr std::array<std::string_view, 3> exit_words{"exit", "exit-code", "exit-status"};
    const bool exits = std::ranges::find(exit_words, word) != exit_words.end();
    if (const HelpTopic* const found = find_topic(exits ? exit_topic : std::string_view(word))) {
        return topic_help(*found);
    }
    if (const FilterDef* const def = find_filter(word)) {
        return filter_help(*def);
    }
    if (std::string row = option_rows(word); !row.empty()) {
        return row;
    }
    const auto by_letter = std::ranges::find(option_table(), word, &OptionDef::short_name);
    return by_letter != option_table().end() ? option_rows(by_letter->name) : help_on_foreign_word(word);
}

}  // namespace

bool has_help(std::string_view typed) {
    const std::string word = without_dashes(typed);
    return !word.empty() && !help_on(word).empty();
}

std::string help_text(const std::string& typed) {
    const std::string topic = without_dashes(typed);
    if (topic.empty()) {
        return general_help();
    }
    if (std::string text = help_on(topic); !text.empty()) {
        return text;
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
