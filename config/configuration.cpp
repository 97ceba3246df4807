#include "config/configuration.h"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>
#include <utility>
#include <vector>

#include "config/command_line.h"
#include "config/error.h"
#include "config/printable.h"
#include "config/toml_nesting.h"
#include "filters/names.h"

namespace vfilter {

namespace {

constexpr std::size_t max_file_size = 1 << 20;  // bytes
// More than any filter has. Arguments are tried one by one to find a wrong one.
constexpr std::size_t max_arguments = 64;

[[noreturn]] void refuse_at(const std::string& path, const toml::source_region& where, const std::string& what) {
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
    refuse_at(path, node.source(), fmt::format("'{}' must be a text, a number or true/false", key));
}

// What stands elsewhere than among the keys of a file: where, or "".
std::string elsewhere(std::string_view key) {
    if (key == "vf" || find_filter(key) != nullptr) {
        return fmt::format("'{0}' is a filter, which a file has as [[filter]] with name = \"{0}\"{1}", key,
                           key == "vf" ? " and a graph" : "");
    }
    if (key == "region" || key == "dither") {
        return fmt::format("'{}' is an argument of each [[filter]] in a file", key);
    }
    if (key == "filters") {
        return "'filters' are [[filter]], one for each, in a file";
    }
    if (key == "quiet") {
        return "'quiet' is log-level = \"error\" and progress = \"none\" in a file";
    }
    return find_option(key) != nullptr ? fmt::format("'{}' stands on the command line alone", key) : "";
}

void apply(const std::string& path, Command& command, std::string_view key, const toml::node& node) {
    std::vector<std::string_view> names{"filter"};
    for (const OptionDef& def : option_table()) {
        if (def.in_config()) {
            names.push_back(def.name);
        }
    }
    const OptionDef* const def = find_option(key);
    if (def == nullptr || !def->in_config()) {
        const std::string place = elsewhere(key);
        refuse_at(path, node.source(),
                  !place.empty() ? place : fmt::format("unknown key '{}'{}", shortened(key), suggestion(key, names)));
    }
    if (const auto* const inputs = node.as_array(); inputs != nullptr && key == "input") {
        command.options.batch.inputs.clear();
        for (const toml::node& name : *inputs) {
            command.options.batch.inputs.push_back(text_of(path, key, name));
        }
        return;
    }
    const auto one = [&](const toml::node& value) {
        const std::string text = text_of(path, key, value);
        if (def->argument.empty() && !value.is_boolean()) {
            refuse_at(path, value.source(), fmt::format("'{}' is true or false", key));
        }
        try {
            apply_value(command, *def, text);
        } catch (const Error& error) {
            refuse_at(path, value.source(), error.what());
        }
    };
    if (const auto* const list = node.as_array(); list != nullptr && def->value.values != nullptr) {
        for (const toml::node& value : *list) {
            one(value);
        }
        return;
    }
    one(node);
}

/// An argument of a filter that may be a TOML list: what joins the numbers of a row, and the rows.
struct ListForm {
    std::string_view key;
    std::string_view between_numbers;
    std::string_view between_rows;
    std::string_view after_rows;  ///< marks a list of one list as one row
};
constexpr ListForm list_forms[] = {{"matrix", " ", "; ", ";"}, {"region", ",", "+", ""}};

std::string joined(const std::string& path, std::string_view key, const toml::array& row, std::string_view between) {
    std::string text;
    for (const toml::node& value : row) {
        text += fmt::format("{}{}", text.empty() ? "" : between, text_of(path, key, value));
    }
    return text;
}

// A list of numbers is one row. Lists in it, and texts of several numbers, are rows themselves.
std::string list_text(const std::string& path, const ListForm& form, const toml::array& list) {
    const bool rows = std::any_of(list.begin(), list.end(), [](const toml::node& value) {
        const auto* const text = value.as_string();
        return value.is_array() || (text != nullptr && text->get().find_first_of(" \t,;+") != std::string::npos);
    });
    if (!rows) {
        return joined(path, form.key, list, form.between_numbers);
    }
    std::string text;
    for (const toml::node& value : list) {
        const toml::array* const row = value.as_array();
        text += fmt::format(
            "{}{}", text.empty() ? "" : form.between_rows,
            row != nullptr ? joined(path, form.key, *row, form.between_numbers) : text_of(path, form.key, value));
    }
    return text + (list.front().is_array() ? std::string(form.after_rows) : "");
}

std::string argument_text(const std::string& path, std::string_view key, const toml::node& node) {
    const auto* const form = std::ranges::find(list_forms, key, &ListForm::key);
    if (const toml::array* const list = node.as_array(); list != nullptr && form != std::end(list_forms)) {
        return list_text(path, *form, *list);
    }
    if (const auto* const flag = node.as_boolean()) {
        return flag->get() ? "yes" : "no";  // both switches and choices take these words
    }
    return text_of(path, key, node);
}

// "" if a filter takes the arguments, else why not.
std::string refusal(const std::string& name, const std::string& arguments) {
    try {
        Options scratch;
        add_filter(scratch, name, arguments);
        return "";
    } catch (const Error& error) {
        return error.what();
    }
}

// A step of --vf: its graph is a text of libavfilter's, and nothing else belongs to it.
void apply_foreign_step(const std::string& path, Command& command, const toml::table& table) {
    const auto* const graph = table.get_as<std::string>("graph");
    if (graph == nullptr) {
        refuse_at(path, table.source(), "a [[filter]] with the name 'vf' needs a graph, which is a text");
    }
    for (const auto& [key, value] : table) {
        if (key.str() != "name" && key.str() != "graph") {
            refuse_at(path, value.source(),
                      fmt::format("'vf' has no argument '{}', only a graph", shortened(key.str())));
        }
    }
    try {
        add_foreign_step(command.options, graph->get());
    } catch (const Error& error) {
        refuse_at(path, table.get("graph")->source(), error.what());
    }
}

void apply_filter(const std::string& path, Command& command, const toml::table& table) {
    const auto* const name = table.get_as<std::string>("name");
    if (name == nullptr) {
        refuse_at(path, table.source(), "a [[filter]] needs a name");
    }
    if (name->get() == "vf") {
        apply_foreign_step(path, command, table);
        return;
    }
    if (table.size() > max_arguments + 1) {
        refuse_at(path, table.source(), fmt::format("a filter has at most {} arguments", max_arguments));
    }
    std::string arguments;
    std::vector<std::pair<std::string, const toml::node*>> beginnings;
    for (const auto& [key, value] : table) {
        if (key.str() == "name") {
            continue;
        }
        const std::string text = argument_text(path, key.str(), value);
        if (key.str().find_first_of(":=") != std::string_view::npos || text.find(':') != std::string::npos) {
            refuse_at(path, value.source(),
                      fmt::format("'{}': ':' ends an argument of a filter, and can be in no name or value", key.str()));
        }
        arguments += fmt::format("{}{}={}", arguments.empty() ? "" : ":", key.str(), text);
        beginnings.emplace_back(arguments, &value);
    }
    const std::string wrong = refusal(name->get(), arguments);
    if (wrong.empty()) {
        try {
            add_filter(command.options, name->get(), arguments);
        } catch (const Error& error) {
            refuse_at(path, table.get("name")->source(), error.what());
        }
        return;
    }
    // The place of the error: the name, if the same is wrong without these arguments (unknown, or something missing);
    // otherwise the first argument with which it appears.
    const toml::node* guilty = table.get("name");
    if (refusal(name->get(), "alpha=on") != wrong) {
        const auto first = std::ranges::find_if(
            beginnings, [&](const auto& beginning) { return refusal(name->get(), beginning.first) == wrong; });
        guilty = first == beginnings.end() ? guilty : first->second;
    }
    refuse_at(path, guilty->source(), wrong);
}

// A basic string with escapes: TOML's other kinds cannot hold every text. TOML is UTF-8, file names need not be.
std::string toml_text(const std::string& text) {
    std::string quoted = "\"";
    for (const char letter : text) {
        if (letter == '"' || letter == '\\') {
            quoted += '\\';
        }
        const auto code = static_cast<unsigned char>(letter);
        quoted += code < 0x20 || code == 0x7f ? fmt::format("\\u{:04X}", code) : std::string(1, letter);
    }
    quoted += '"';
    try {
        static_cast<void>(toml::parse("text = " + quoted));
    } catch (const toml::parse_error&) {
        throw Error(ExitCode::usage, fmt::format("{} is not UTF-8, and cannot stand in a configuration file", quoted));
    }
    return with_escapes(quoted);
}

bool is_toml_number(const std::string& text) {
    try {
        return toml::parse("number = " + text)["number"].is_number();
    } catch (const toml::parse_error&) {
        return false;
    }
}

// Numbers without quotes, as a person would write them. What takes a number may take a word, too.
std::string argument_value(const FilterDef& def, std::string_view key, const std::string& text) {
    const auto parameter = std::ranges::find(def.parameters, key, &Parameter::name);
    const bool numeric = parameter != def.parameters.end() && parameter->choices.empty() && !parameter->colour;
    return numeric && is_toml_number(text) ? text : toml_text(text);
}

std::string filter_table_text(const FilterSpec& filter) {
    std::string text = fmt::format("\n[[filter]]\nname = {}\n", toml_text(std::string(filter.def->name)));
    std::istringstream arguments(to_string(filter));
    for (std::string argument; std::getline(arguments, argument, ':');) {
        const std::size_t equals = argument.find('=');
        const std::string key = argument.substr(0, equals);
        text += fmt::format("{} = {}\n", key, argument_value(*filter.def, key, argument.substr(equals + 1)));
    }
    return text;
}

std::string list_of_texts(std::string_view key, const std::vector<std::string>& texts) {
    std::string list;
    for (const std::string& each : texts) {
        list += (list.empty() ? "" : ", ") + toml_text(each);
    }
    return fmt::format("{} = [{}]\n", key, list);
}

struct Entry {
    std::string_view key;
    const toml::node* node;
};

// A table has its keys by the alphabet, while of two that say something of the same the later one counts.
std::vector<Entry> entries_as_they_stand(const toml::table& table) {
    std::vector<Entry> entries;
    for (const auto& [key, node] : table) {
        entries.push_back({key.str(), &node});
    }
    std::ranges::stable_sort(entries, [](const Entry& one, const Entry& other) {
        const toml::source_position& first = one.node->source().begin;
        const toml::source_position& second = other.node->source().begin;
        return std::pair(first.line, first.column) < std::pair(second.line, second.column);
    });
    return entries;
}

// Does not ask for the size: a pipe has none.
std::string read_text(const std::string& path) {
    std::error_code error;
    errno = 0;
    std::ifstream file(path, std::ios::binary);
    const int reason = errno;
    if (!file || std::filesystem::is_directory(path, error)) {
        throw Error(ExitCode::usage, fmt::format("{}: configuration cannot be read: {}", path,
                                                 file          ? "it is a folder"
                                                 : reason != 0 ? std::generic_category().message(reason)
                                                               : "unknown reason"));
    }
    std::string text(max_file_size + 1, '\0');
    file.read(text.data(), static_cast<std::streamsize>(text.size()));
    text.resize(static_cast<std::size_t>(file.gcount()));
    if (file.bad()) {
        throw Error(ExitCode::usage, fmt::format("{}: configuration cannot be read to its end", path));
    }
    if (text.size() > max_file_size) {
        throw Error(ExitCode::usage, fmt::format("{}: larger than 1 MiB, which no configuration is", path));
    }
    return text;
}

}  // namespace

void read_configuration(const std::string& path, Command& command) {
    const std::string text = read_text(path);
    if (const std::optional<TomlNesting> deep = find_deep_nesting(text)) {
        throw Error(ExitCode::usage, fmt::format("{}:{}:{}: {}", path, deep->line, deep->column, deep->what));
    }
    toml::table table;
    try {
        table = toml::parse(text, path);
    } catch (const toml::parse_error& wrong) {
        refuse_at(path, wrong.source(), std::string(wrong.description()));
    }
    const OutputOptions& output = command.options.output;
    const Pairs before = output.encoder_options;
    for (const Entry& entry : entries_as_they_stand(table)) {
        if (entry.key != "filter") {
            apply(path, command, entry.key, *entry.node);
            continue;
        }
        const toml::array* const filters = entry.node->as_array();
        if (filters == nullptr || !filters->is_array_of_tables()) {
            refuse_at(path, entry.node->source(), "filters are written as [[filter]]");
        }
        for (const toml::node& filter : *filters) {
            apply_filter(path, command, *filter.as_table());
        }
    }
    if (table.contains("codec")) {
        Pairs own = output.encoder_options;
        std::erase_if(own, [&](const auto& pair) { return std::ranges::find(before, pair) != before.end(); });
        command.file_encoder = {output.codec, table.contains("preset") ? output.preset : "", std::move(own)};
    }
}

std::string write_configuration(const Options& options) {
    std::string text;
    for (const OptionDef& def : option_table()) {
        if (def.name == "input" && !options.batch.inputs.empty()) {
            text += list_of_texts(def.name, options.batch.inputs);
            continue;
        }
        const std::string value = def.in_config() ? def.value.show(options) : "";
        if (value.empty()) {
            continue;
        }
        if (def.value.values != nullptr) {
            text += list_of_texts(def.name, def.value.values(options));
        } else {
            text += fmt::format("{} = {}\n", def.name, def.argument.empty() ? value : toml_text(value));
        }
    }
    for_each_step(
        options.filters, options.foreign,
        [&](const std::string& graph) {
            text += fmt::format("\n[[filter]]\nname = \"vf\"\ngraph = {}\n", toml_text(graph));
        },
        [&](const FilterSpec& filter) { text += filter_table_text(filter); });
    return text;
}

}  // namespace vfilter
