#include "io/graph/lavfi_graph.h"

#include <fmt/format.h>

#include <algorithm>

#include "config/lavfi/graph_reader.h"

namespace vfilter {

namespace {

bool lists(std::string_view options, std::string_view option) {
    while (!options.empty()) {
        const std::string_view one = options.substr(0, options.find('|'));
        if (one == option) {
            return true;
        }
        options.remove_prefix(std::min(options.size(), one.size() + 1));
    }
    return false;
}

bool is_name_letter(char letter) {
    return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') || (letter >= '0' && letter <= '9') ||
           letter == '_';
}

enum class Given { no, by_name, without_name };

// Whether arguments give a filter one of the options, or might: what has no name may be any, and a name that begins
// with a slash means a file in some versions.
Given gives(const std::string& arguments, std::string_view options) {
    for (const lavfi::FilterOption& option : lavfi::options_in(arguments)) {
        if (option.name.empty()) {
            return Given::without_name;
        }
        if (option.name.front() == '/' || lists(options, option.name)) {
            return Given::by_name;
        }
    }
    return Given::no;
}

/// Looks for filters of the table in a graph.
class Search {
public:
    explicit Search(std::string_view graph) {
        const lavfi::GraphText text = lavfi::read_graph(graph);
        for (const lavfi::GraphFilter& filter : text.filters) {
            note(filter);
        }
        if (!text.understood) {
            take_all_in(graph);
        }
    }

    [[nodiscard]] std::vector<Outward> found() const { return found_; }

private:
    void note(const lavfi::GraphFilter& filter) {
        const lavfi::Filter* const row = lavfi::row_of(filter.name);
        if (row == nullptr || (row->facts & lavfi::outward) == 0) {
            return;
        }
        const Given given = row->reaches_by.empty() ? Given::by_name : gives(filter.arguments, row->reaches_by);
        if (given != Given::no) {
            add(*row, given);
        }
    }

    // By names alone, wherever they stand.
    void take_all_in(std::string_view graph) {
        while (!graph.empty()) {
            const auto* const end = std::ranges::find_if_not(graph, is_name_letter);
            const std::string_view word = graph.substr(0, static_cast<std::size_t>(end - graph.begin()));
            if (const lavfi::Filter* const row = lavfi::row_of(word); lavfi::has(word, lavfi::outward)) {
                add(*row, Given::by_name);
            }
            graph.remove_prefix(std::min(graph.size(), word.size() + 1));
        }
    }

    void add(const lavfi::Filter& filter, Given given) {
        const bool guessed = given == Given::without_name;
        const auto before = std::ranges::find(found_, &filter, &Outward::filter);
        if (before == found_.end()) {
            found_.push_back({&filter, guessed});
        } else {
            before->guessed = before->guessed || guessed;
        }
    }

    std::vector<Outward> found_;
};

}  // namespace

std::vector<Outward> reach_of(std::string_view graph) {
    return Search(graph).found();
}

std::string overreach(std::string_view graph, const InputOptions& options) {
    for (const auto& [filter, guessed] : reach_of(graph)) {
        const bool files = (filter->facts & lavfi::files) != 0 && !options.allow_files;
        const bool libraries = (filter->facts & lavfi::libraries) != 0 && !options.allow_files;
        const bool network = (filter->facts & lavfi::network) != 0 && !options.allow_network;
        if (files || libraries || network) {
            return fmt::format("its filter '{}' can reach {}{}{}{}{}: that needs {}{}{}{}", filter->name,
                               files ? "files" : "", files && libraries ? " and " : "", libraries ? "libraries" : "",
                               files && network ? " and " : "", network ? "addresses" : "",
                               files || libraries ? "--allow-files" : "",
                               (files || libraries) && network ? " and " : "", network ? "--allow-network" : "",
                               guessed ? R"(, as an argument without a name may be a file's; a ':' that )"
                                         R"(belongs to a value is '\:' in quotes: text='10\:30')"
                                       : "");
        }
    }
    return "";
}

}  // namespace vfilter
