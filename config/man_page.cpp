#include <fmt/format.h>

#include <algorithm>

#include "config/exit_texts.h"
#include "config/ffmpeg_words.h"
#include "config/filter_texts.h"
#include "config/help.h"
#include "config/help_topics.h"
#include "config/text_layout.h"

namespace vfilter {

namespace {

// Text for roff: a leading dot would be a request, a backslash an escape, and - a hyphen instead of a minus.
std::string roff(std::string_view text) {
    std::string result;
    for (const char letter : text) {
        // A quotation mark would group the arguments of a macro.
        result += letter == '\\' ? "\\e" : letter == '-' ? "\\-" : letter == '"' ? "\\(dq" : std::string(1, letter);
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

// As it stands, line by line.
std::string roff_lines(std::string_view text) {
    std::string result = ".nf\n";
    while (!text.empty()) {
        const std::string_view line = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(line.size() + 1, text.size()));
        result += roff(line) + '\n';
    }
    return result + ".fi\n";
}

}  // namespace

std::string man_page() {
    std::string text = fmt::format(
        ".TH VFILTER 1\n.SH NAME\nvfilter \\- filter a video and keep everything else in it\n.SH SYNOPSIS\n.B vfilter\n"
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
    text += ".SH ARGUMENTS OF ALL FILTERS\n" + roff_arguments(shared_arguments(nullptr));
    std::string_view section;
    for (const OptionDef& def : option_table()) {
        if (def.group != section) {
            section = def.group;
            text += fmt::format(".SH {}\n", section == option_group::other ? "OTHER OPTIONS" : roff(section));
        }
        const std::string head = option_head(def);
        text += fmt::format(".TP\n.B {}\n{}\n", roff(head.substr(head.find('-'))), roff(def.help));
    }
    for (const HelpTopic& topic : help_topics()) {
        if (!topic.text.empty()) {
            text += fmt::format(".SH {}\n", roff(topic.summary)) + roff_lines(wrapped(topic.text));
        }
    }
    text += ".SH FFMPEG\n" + roff_lines(ffmpeg_word_rows());
    text += ".SH EXIT STATUS\n";
    for (const ExitText& row : exit_texts) {
        text += fmt::format(".TP\n.B {}\n{}\n", static_cast<int>(row.code), roff(row.text));
    }
    return text;
}

}  // namespace vfilter
