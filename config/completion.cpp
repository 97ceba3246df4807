#include "config/completion.h"

#include <fmt/format.h>

#include <algorithm>

#include "config/ffmpeg_words.h"
#include "config/filter_texts.h"
#include "config/help_topics.h"
#include "config/option_table.h"
#include "config/option_values.h"

namespace vfilter {

namespace {

class Completer {
public:
    Completer(std::span<const std::string> typed, const ListOf& list_of)
        : before_(typed.first(typed.size() - 1)), current_(typed.back()), list_of_(list_of) {}

    Completion make();

private:
    void offer(std::string_view word, std::string_view description) {
        if (word.starts_with(current_)) {
            result_.words.push_back({std::string(word), std::string(description)});
        }
    }
    void offer_options();
    void offer_values(const OptionDef& def, std::string_view prefix);
    void offer_list(const std::string& what, std::string_view prefix);
    void offer_arguments(const FilterDef& def, std::string_view prefix);
    bool offer_after(const std::string& option);
    bool offer_after_equals();

    std::span<const std::string> before_;
    std::string_view current_;
    const ListOf& list_of_;
    Completion result_;
};

void Completer::offer_options() {
    for (const FilterDef& def : filter_table()) {
        offer(fmt::format("--{}", def.name), def.help);
    }
    for (const OptionDef& def : option_table()) {
        offer(fmt::format("--{}", def.name), def.help);
    }
    for (const FfmpegWord& row : ffmpeg_words()) {
        for (const std::string_view word : parts_of(row.words, ' ')) {
            const bool numbered = word.ends_with(":N");
            const std::string typed = numbered ? std::string(word.substr(0, word.size() - 1)) + "0" : std::string(word);
            if (!row.refused && find_ffmpeg_word(typed) != nullptr && !current_.starts_with("--")) {
                offer(typed, row.help);
            }
        }
    }
}

void Completer::offer_list(const std::string& what, std::string_view prefix) {
    const std::string text = list_of_(what);
    for (const std::string_view line : parts_of(text, '\n')) {
        const std::size_t end = line.find(' ');
        const std::size_t rest = line.find_first_not_of(' ', end);
        if (!line.empty()) {
            offer(fmt::format("{}{}", prefix, line.substr(0, end)),
                  rest == std::string_view::npos ? "" : line.substr(rest));
        }
    }
}

void Completer::offer_values(const OptionDef& def, std::string_view prefix) {
    if (def.name == "help") {
        for (const HelpTopic& topic : help_topics()) {
            offer(fmt::format("{}{}", prefix, topic.name), topic.summary);
        }
        for (const FilterDef& filter : filter_table()) {
            offer(fmt::format("{}{}", prefix, filter.name), filter.help);
        }
        return;
    }
    for (const std::string_view choice : parts_of(def.choices, '|')) {
        if (choice.starts_with('@')) {
            offer_list(std::string(choice.substr(1)), prefix);
        } else if (!choice.empty()) {
            offer(fmt::format("{}{}", prefix, choice), "");
        }
    }
    result_.files = result_.files || def.argument == "FILE" || def.argument == "DIR" || def.argument == "FOLDER";
}

// 9:sigma=2:bor
void Completer::offer_arguments(const FilterDef& def, std::string_view prefix) {
    std::vector<ArgumentText> arguments = own_arguments(def);
    for (ArgumentText& shared : shared_arguments(&def)) {
        arguments.push_back(std::move(shared));
    }
    const std::string_view text = current_.substr(prefix.size());
    const std::size_t colon = text.rfind(':');
    const std::size_t begin = colon == std::string_view::npos ? 0 : colon + 1;
    const std::string stem = fmt::format("{}{}", prefix, text.substr(0, begin));
    const std::string_view last = text.substr(begin);
    const std::size_t equals = last.find('=');
    for (const ArgumentText& argument : arguments) {
        if (equals == std::string_view::npos) {
            const bool given =
                fmt::format(":{}", text.substr(0, begin)).find(fmt::format(":{}=", argument.name)) != std::string::npos;
            if (!given) {
                offer(fmt::format("{}{}=", stem, argument.name), argument.help);
            }
            continue;
        }
        if (argument.name != last.substr(0, equals)) {
            continue;
        }
        const std::string key = fmt::format("{}{}=", stem, argument.name);
        for (const auto& [word, meaning] : argument.words) {
            offer(fmt::format("{}{}", key, word), meaning);
        }
        const bool words = argument.unit.empty() && argument.range.find(',') != std::string::npos;
        for (std::string_view word : parts_of(words ? std::string_view(argument.range) : std::string_view(), ',')) {
            word.remove_prefix(word.starts_with(' ') ? 1 : 0);
            if (!word.empty()) {
                offer(fmt::format("{}{}", key, word), "");
            }
        }
        if (argument.name == "alpha" || argument.name == "dither") {
            offer(key + "on", "");
            offer(key + "off", "");
        }
    }
}

// Whether the word before is one whose value comes now.
bool Completer::offer_after(const std::string& option) {
    const FilterDef* const filter =
        option.starts_with("--") ? find_filter(std::string_view(option).substr(2)) : nullptr;
    if (filter != nullptr) {
        if (!current_.starts_with('-')) {
            offer_arguments(*filter, "");
        }
        return filter->needs_arguments() && !current_.starts_with('-');
    }
    const FfmpegWord* const word = find_ffmpeg_word(option);
    const bool direct = word != nullptr && word->value == "{}";
    if (word != nullptr && !direct) {
        return !word->argument.empty();  // of which nothing is known
    }
    const auto names_it = [&](const OptionDef& def) {
        return option == fmt::format("--{}", def.name) ||
               (!def.short_name.empty() && option == fmt::format("-{}", def.short_name)) ||
               (direct && word->option == def.name);
    };
    const auto def = std::ranges::find_if(option_table(), names_it);
    if (def == option_table().end() || def->argument.empty()) {
        return false;
    }
    const bool optional = def->argument.starts_with('[');
    if (!optional || !current_.starts_with('-')) {
        offer_values(*def, "");
    }
    return !optional;
}

// --codec=lib
bool Completer::offer_after_equals() {
    const std::size_t equals = current_.find('=');
    if (!current_.starts_with("--") || equals == std::string_view::npos) {
        return false;
    }
    const std::string_view name = current_.substr(2, equals - 2);
    if (const FilterDef* const filter = find_filter(name)) {
        offer_arguments(*filter, current_.substr(0, equals + 1));
    } else if (const OptionDef* const def = find_option(name)) {
        offer_values(*def, current_.substr(0, equals + 1));
        result_.files = false;  // the shells complete files as whole words
    }
    return true;
}

Completion Completer::make() {
    if (std::ranges::find(before_, "--") != before_.end()) {
        result_.files = true;
        return std::move(result_);
    }
    if (offer_after_equals() || (!before_.empty() && offer_after(before_.back()))) {
        return std::move(result_);
    }
    if (current_.starts_with('-')) {
        offer_options();
    } else {
        result_.files = true;
    }
    return std::move(result_);
}

}  // namespace

Completion complete(std::span<const std::string> typed, const ListOf& list_of) {
    const std::string nothing;
    return Completer(typed.empty() ? std::span(&nothing, 1) : typed, list_of).make();
}

std::string completion_lines(const Completion& completion) {
    std::string text = completion.files ? ":files\n" : "";
    for (const Completion::Word& word : completion.words) {
        text += fmt::format("{}\t{}\n", word.word, word.description);
    }
    return text;
}

}  // namespace vfilter
