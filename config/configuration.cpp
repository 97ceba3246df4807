#include "config/configuration.h"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <vector>

#include "config/command_line.h"
#include "config/error.h"
#include "kernels/names.h"

namespace vfilter {

namespace {

constexpr std::uintmax_t largest_file = 1 << 20;

[[noreturn]] void refuse(const std::string& path, const toml::source_region& where, const std::string& what) {
    throw Error(ExitCode::usage, fmt::format("{}:{}:{}: {}", path, where.begin.line, where.begin.column, what));
}

std::string text_of(const std::string& path, std::string_view key, const toml::node& node) {
    if (const auto* const text = node.as_string()) {
        return text->get();
    }
    if (const auto* const whole = node.as_integer()) {
        return fmt::format("{}", whole->get());
    }
    if (const auto* const real = node.as_floating_point()) {
        return fmt::format("{}", real->get());
    }
    if (const auto* const flag = node.as_boolean()) {
        return flag->get() ? "true" : "false";
    }
    refuse(path, node.source(), fmt::format("'{}' must be a text, a number or true/false", key));
}

void apply(const std::string& path, Command& command, std::string_view key, const toml::node& node) {
    std::vector<std::string_view> names{"filter"};
    for (const OptionDef& def : option_table()) {
        if (def.in_config) {
            names.push_back(def.name);
        }
    }
    const OptionDef* const def = find_option(key);
    if (def == nullptr || !def->in_config) {
        refuse(path, node.source(), fmt::format("unknown key '{}'{}", key, suggestion(key, names)));
    }
    const auto one = [&](const toml::node& value) {
        const std::string text = text_of(path, key, value);
        if (def->argument.empty() && !value.is_boolean()) {
            refuse(path, value.source(), fmt::format("'{}' is true or false", key));
        }
        if (def->argument.empty() && text == "false") {
            return;
        }
        try {
            def->apply(command, text);
        } catch (const Error& error) {
            refuse(path, value.source(), error.what());
        }
    };
    if (const auto* const list = node.as_array(); list != nullptr && key == "encoder-option") {
        for (const toml::node& value : *list) {
            one(value);
        }
        return;
    }
    one(node);
}

void apply_filter(const std::string& path, Command& command, const toml::table& table) {
    const auto* const name = table.get_as<std::string>("name");
    if (name == nullptr) {
        refuse(path, table.source(), "a [[filter]] needs a name");
    }
    std::string arguments;
    for (const auto& [key, value] : table) {
        if (key.str() != "name") {
            arguments +=
                fmt::format("{}{}={}", arguments.empty() ? "" : ":", key.str(), text_of(path, key.str(), value));
        }
    }
    try {
        add_filter(command.options, name->get(), arguments);
    } catch (const Error& error) {
        refuse(path, table.source(), error.what());
    }
}

std::string toml_text(const std::string& text) {
    std::ostringstream out;
    out << toml::value<std::string>(text);
    return out.str();
}

}  // namespace

void read_configuration(const std::string& path, Command& command) {
    std::error_code error;
    if (const auto size = std::filesystem::file_size(path, error); !error && size > largest_file) {
        throw Error(ExitCode::usage, fmt::format("{}: larger than 1 MiB, which no configuration is", path));
    }
    std::ifstream file(path, std::ios::binary);
    if (!file || std::filesystem::is_directory(path, error)) {
        throw Error(ExitCode::usage, fmt::format("{}: configuration cannot be read", path));
    }
    toml::table table;
    try {
        table = toml::parse(file, path);
    } catch (const toml::parse_error& wrong) {
        refuse(path, wrong.source(), std::string(wrong.description()));
    }
    for (const auto& [key, node] : table) {
        if (key.str() != "filter") {
            apply(path, command, key.str(), node);
            continue;
        }
        const toml::array* const filters = node.as_array();
        if (filters == nullptr || !filters->is_array_of_tables()) {
            refuse(path, node.source(), "filters are written as [[filter]]");
        }
        for (const toml::node& filter : *filters) {
            apply_filter(path, command, *filter.as_table());
        }
    }
}

std::string write_configuration(const Options& options) {
    std::string text;
    for (const OptionDef& def : option_table()) {
        const std::string value = def.in_config ? def.show(options) : "";
        if (value.empty()) {
            continue;
        }
        if (def.name == "encoder-option") {
            std::string list;
            std::istringstream lines(value);
            for (std::string line; std::getline(lines, line);) {
                list += (list.empty() ? "" : ", ") + toml_text(line);
            }
            text += fmt::format("{} = [{}]\n", def.name, list);
        } else {
            text += fmt::format("{} = {}\n", def.name, def.argument.empty() ? value : toml_text(value));
        }
    }
    for (const FilterSpec& filter : options.filters) {
        text += fmt::format("\n[[filter]]\nname = {}\n", toml_text(std::string(filter.def->name)));
        std::istringstream arguments(to_string(filter));
        for (std::string argument; std::getline(arguments, argument, ':');) {
            const std::size_t equals = argument.find('=');
            text += fmt::format("{} = {}\n", argument.substr(0, equals), toml_text(argument.substr(equals + 1)));
        }
    }
    return text;
}

}  // namespace vfilter
