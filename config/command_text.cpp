#include "config/command_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "config/option_table.h"

namespace vfilter {

namespace {

using Pairs = std::vector<std::pair<std::string, std::string>>;

// Options that may be repeated, whose `show` is for other eyes.
struct Repeated {
    std::string_view name;
    const Pairs& (*pairs)(const Options&);
};
constexpr Repeated repeated_options[] = {
    {"encoder-option", [](const Options& o) -> const Pairs& { return o.output.encoder_options; }},
    {"input-option", [](const Options& o) -> const Pairs& { return o.input.input_options; }},
};

// What begins with a dash would be taken for an option; - itself is a name.
bool looks_like_option(const std::string& value) {
    return value.size() > 1 && value.front() == '-';
}

std::string option_text(std::string_view name, const std::string& value) {
    return fmt::format(" --{}{}{}", name, looks_like_option(value) ? "=" : " ", shell_word(value));
}

}  // namespace

std::string command_line_of(const Options& options) {
    std::string names;
    std::string rest;
    for (const OptionDef& def : option_table()) {
        const auto* const repeated = std::ranges::find(repeated_options, def.name, &Repeated::name);
        if (repeated != std::end(repeated_options)) {
            for (const auto& [key, value] : repeated->pairs(options)) {
                rest += option_text(def.name, fmt::format("{}={}", key, value));
            }
            continue;
        }
        const std::string value = def.show != nullptr ? def.show(options) : "";
        if (value.empty()) {
            continue;
        }
        if ((def.name == "input" || def.name == "output") && !looks_like_option(value)) {
            names += " " + shell_word(value);
        } else if (def.argument.empty()) {
            rest += fmt::format(" --{}", def.name);
        } else {
            rest += option_text(def.name, value);
        }
    }
    switch (options.output.overwrite) {
        case Overwrite::yes:
            rest += " --overwrite";
            break;
        case Overwrite::no:
            rest += " --no-overwrite";
            break;
        case Overwrite::ask:
            break;
    }
    // After the names, as a filter without arguments takes what follows it for some.
    for (const FilterSpec& filter : options.filters) {
        const std::string arguments = to_string(filter);
        rest += arguments.empty() ? fmt::format(" --{}", filter.def->name) : option_text(filter.def->name, arguments);
    }
    return "vfilter" + names + rest;
}

}  // namespace vfilter
