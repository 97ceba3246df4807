#include "config/command_text.h"

#include <fmt/format.h>

#include <string_view>

#include "config/option_table.h"

namespace vfilter {

namespace {

// Words with a leading dash would be read as options; - itself is a name.
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
        if (def.value.values != nullptr) {
            for (const std::string& value : def.value.values(options)) {
                rest += option_text(def.name, value);
            }
            continue;
        }
        const std::string value = def.in_config() ? def.value.show(options) : "";
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
    // After the names: a filter without arguments would take the next word for its own.
    for_each_step(
        options.filters, options.foreign, [&](const std::string& graph) { rest += option_text("vf", graph); },
        [&](const FilterSpec& filter) {
            const std::string arguments = to_string(filter);
            rest +=
                arguments.empty() ? fmt::format(" --{}", filter.def->name) : option_text(filter.def->name, arguments);
        });
    return "vfilter" + names + rest;
}

}  // namespace vfilter
