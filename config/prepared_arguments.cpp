#include "config/prepared_arguments.h"

#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <system_error>

#include "config/error.h"
#include "config/help.h"
#include "filters/filters.h"
#include "filters/names.h"

namespace vfilter {

namespace {

// The filter that an option such as "--sobel" names, or null.
const FilterDef* filter_option(const std::string& argument) {
    return argument.starts_with("--") ? find_filter(std::string_view(argument).substr(2)) : nullptr;
}

// What the filter needs, as its row says, and that the word after it is none of that.
std::string what_is_missing(const FilterDef& def, const std::string& next) {
    FilterSpec bare;
    bare.def = &def;
    bare.values.resize(def.parameters.size());
    const std::string stands_there =
        next.empty() || next.starts_with('-') ? "" : fmt::format(", and '{}' is none", shortened(next));
    return fmt::format("--{}: {}{} (see --help {})", def.name, def.check(bare), stands_there, def.name);
}

bool is_file(const std::string& name) {
    std::error_code error;
    return std::filesystem::exists(name, error);
}

// Of a word behind --stats that means one of its kinds: the sentence that says so, "" for any other.
std::string mistyped_kind(const std::string& next) {
    constexpr std::array<std::string_view, 2> kinds{"text", "json"};
    const bool name = next.find_first_of("./%*") != std::string::npos || next.starts_with('-');
    return name || next.empty() || nearest_name(next, kinds).empty() || is_file(next)
               ? ""
               : fmt::format("--stats: '{}' is none of text, json{}", shortened(next), suggestion(next, kinds));
}

// Of "--report=", behind which a script's variable was not set, the option's name, "" for any other word. CLI11 would
// take the next word for its value.
std::string_view name_of_empty(std::string_view argument) {
    if (!argument.starts_with("--") || argument.find('=') != argument.size() - 1) {
        return "";
    }
    const std::string_view name = argument.substr(2, argument.size() - 3);
    const OptionDef* const option = find_option(name);
    return find_filter(name) != nullptr || (option != nullptr && !option->argument.empty()) ? name : "";
}

}  // namespace

std::string without_value(const OptionDef& def) {
    return fmt::format("--{}: its {} is missing (see --help {})", def.name, def.argument, def.name);
}

bool is_dashed_name(const std::string& word) {
    return word.size() > 2 && word.front() == '-' && word[1] != '-';
}

std::optional<std::string> help_topic_of(std::span<const char* const> arguments) {
    constexpr std::string_view with_topic = "--help=";
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const std::string_view argument = arguments[i];
        if (argument == "--") {
            break;
        }
        if (argument == "--help" || argument == "-h") {
            const std::string next = i + 1 < arguments.size() ? arguments[i + 1] : "";
            return next.starts_with('-') && !has_help(next) ? "" : next;
        }
        if (argument.starts_with(with_topic)) {
            return std::string(argument.substr(with_topic.size()));
        }
    }
    return std::nullopt;
}

PreparedArguments prepare_arguments(std::span<const std::string> arguments) {
    PreparedArguments result;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const std::string& argument = arguments[i];
        const std::string next = i + 1 < arguments.size() ? arguments[i + 1] : "";
        if (argument == "--") {
            result.arguments.insert(result.arguments.end(), arguments.begin() + static_cast<std::ptrdiff_t>(i),
                                    arguments.end());
            break;
        }
        if (const std::string_view name = name_of_empty(argument); !name.empty()) {
            if (result.missing.empty()) {
                result.missing = fmt::format("--{}: the value is empty (see --help {})", name, name);
            }
        } else if (const FilterDef* const def = filter_option(argument)) {
            const bool there = i + 1 < arguments.size() && !next.starts_with("--");
            // Where arguments may be left out, a slip is not to become a file's name.
            const bool slip = !def->needs_arguments() && !def->parameters.empty() && looks_like_mistyped_number(next) &&
                              !is_file(next);
            const bool taken = there && (looks_like_arguments(*def, next) || slip);
            if (!taken && def->needs_arguments() && result.missing.empty()) {
                result.missing = what_is_missing(*def, next);
            }
            result.arguments.push_back(fmt::format("{}={}", argument, taken ? next : no_arguments));
            i += taken ? 1 : 0;
        } else if (argument == "--stats") {
            const bool taken = next == "text" || next == "json";
            if (!taken && result.missing.empty()) {
                result.missing = mistyped_kind(next);
            }
            result.arguments.push_back("--stats=" + (taken ? next : "text"));
            i += taken ? 1 : 0;
        } else if (argument == "--config") {
            if (i + 1 == arguments.size()) {
                throw Error(ExitCode::usage, without_value(*find_option("config")));
            }
            result.configs.push_back(next);
            ++i;
        } else if ((argument == "-o" || argument == "-i") && is_dashed_name(next)) {
            result.arguments.push_back((argument == "-o" ? "--output=" : "--input=") + next);
            ++i;
        } else if (argument == "--add" && is_dashed_name(next)) {
            result.arguments.push_back("--add=" + next);  // a file that begins earlier
            ++i;
        } else if (argument.starts_with("--config=")) {
            result.configs.push_back(argument.substr(std::string_view("--config=").size()));
        } else {
            result.arguments.push_back(argument);
        }
    }
    return result;
}

}  // namespace vfilter
