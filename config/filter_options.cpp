// Filters and graphs of one run, as options and files add them.

#include <fmt/format.h>

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "config/command_line.h"
#include "config/error.h"
#include "config/foreign_filters.h"
#include "filters/names.h"

namespace vfilter {

std::vector<std::string_view> filter_names() {
    std::vector<std::string_view> names;
    for (const FilterDef& def : filter_table()) {
        names.push_back(def.name);
    }
    return names;
}

void add_filter(Options& options, const std::string& name, const std::string& arguments) {
    const FilterDef* const def = find_filter(name);
    if (def == nullptr && name == "vf") {
        throw Error(ExitCode::usage, "a graph of libavfilter's is an option of its own: --vf GRAPH (see --help vf)");
    }
    if (def == nullptr) {
        const std::vector<std::string_view> names = filter_names();
        const std::string hint = foreign_filter_hint(name);
        const std::string near = hint.empty() ? suggestion(name, names) : hint;
        throw Error(ExitCode::usage, fmt::format("unknown filter '{}'{}", shortened(name),
                                                 near.empty() ? "; there are " + join(names, ", ") : near));
    }
    if (options.filters.size() == max_filters) {
        throw Error(ExitCode::usage, fmt::format("more than {} filters", max_filters));
    }
    try {
        options.filters.push_back(parse_filter(*def, arguments));
    } catch (const std::invalid_argument& error) {
        throw Error(ExitCode::usage, error.what());
    }
}

void add_foreign_step(Options& options, const std::string& graph) {
    if (graph.find_first_not_of(" \t\r\n") == std::string::npos) {
        throw Error(ExitCode::usage, "--vf: the graph is empty (see --help vf)");
    }
    if (graph.size() > max_graph_length) {
        throw Error(ExitCode::usage, fmt::format("--vf: longer than {} characters", max_graph_length));
    }
    if (options.foreign.size() == max_foreign_steps) {
        throw Error(ExitCode::usage, fmt::format("--vf: given more than {} times", max_foreign_steps));
    }
    options.foreign.push_back({options.filters.size(), graph});
}

// A comma before a digit belongs to a region; any other begins the next filter.
void add_filter_chain(Options& options, const std::string& chain) {
    std::string_view rest = chain;
    for (;;) {
        std::size_t comma = rest.find(',');
        while (comma != std::string_view::npos && comma + 1 < rest.size() &&
               std::string_view("0123456789").find(rest[comma + 1]) != std::string_view::npos) {
            comma = rest.find(',', comma + 1);
        }
        const std::string_view one = rest.substr(0, comma);
        const std::size_t equals = one.find('=');
        const std::string arguments(equals == std::string_view::npos ? "" : one.substr(equals + 1));
        add_filter(options, std::string(one.substr(0, equals)), arguments);
        if (comma == std::string_view::npos) {
            return;
        }
        rest.remove_prefix(comma + 1);
    }
}

}  // namespace vfilter
