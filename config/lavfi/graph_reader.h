#pragma once
// The text of a graph of libavfilter's, read as libavfilter does: chains, filters, labels and options, with quotes and
// escapes. tests/io/graph/lavfi_graph_test.cpp compares it with what libavfilter makes of the same texts.

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace vfilter::lavfi {

inline constexpr std::string_view blanks = " \n\t\r";

/// Goes along a text, which has to outlive it.
class TextReader {
public:
    explicit TextReader(std::string_view text) : text_(text.substr(0, text.find('\0'))) {}

    [[nodiscard]] std::size_t at() const { return at_; }
    [[nodiscard]] bool ended() const { return at_ == text_.size(); }
    /// The next letter; NUL at the end.
    [[nodiscard]] char next() const { return ended() ? '\0' : text_[at_]; }
    [[nodiscard]] std::string_view rest() const { return text_.substr(at_); }
    void skip(std::size_t letters) { at_ += std::min(letters, text_.size() - at_); }
    void skip_blanks() { skip(std::min(rest().find_first_not_of(blanks), text_.size())); }

    /// As libavutil's av_get_token(): up to one of the letters, which stays, without blanks around it. Quotes hold
    /// everything, behind a backslash stands anything, and both are taken off.
    std::string token(std::string_view ends) {
        skip_blanks();
        std::string made;
        std::size_t kept = 0;  // blanks that were quoted or escaped are no end
        while (!ended() && ends.find(text_[at_]) == std::string_view::npos) {
            const char letter = text_[at_++];
            if (letter == '\\' && !ended()) {
                made += text_[at_++];
                kept = made.size();
            } else if (letter == '\'') {
                const std::string_view quoted = rest().substr(0, rest().find('\''));
                made += quoted;
                skip(quoted.size());
                kept = ended() ? kept : made.size();
                skip(1);
            } else {
                made += letter;
            }
        }
        const std::size_t last = made.find_last_not_of(blanks);
        made.resize(std::max(kept, last == std::string::npos ? 0 : last + 1));
        return made;
    }

private:
    std::string_view text_;
    std::size_t at_ = 0;
};

/// A filter of a graph, and where it stands in the text.
struct GraphFilter {
    std::string name{};            ///< "yadif" of "yadif@x=1"
    std::string arguments{};       ///< "1"; without the graph's quotes and escapes, with those of the options
    std::size_t begin = 0;         ///< of its name
    std::size_t arguments_at = 0;  ///< behind the '=', or where the name ends
    std::size_t end = 0;
};

/// What a graph says.
struct GraphText {
    std::vector<GraphFilter> filters{};
    bool labelled = false;   ///< it is no plain row of filters, perhaps
    bool understood = true;  ///< false where libavfilter would not read on behind the filters that are here
};

/// Passes "[a][b]" and blanks, and notes that there are labels. False where one does not end.
inline bool skip_labels(TextReader& reader, bool& labelled) {
    reader.skip_blanks();
    while (reader.next() == '[') {
        labelled = true;
        reader.skip(1);
        reader.token("]");
        if (reader.ended()) {
            return false;
        }
        reader.skip(1);
        reader.skip_blanks();
    }
    return true;
}

/// The filters in the order of the text. What stands around separators is a filter, with the name "" if it is empty.
inline GraphText read_graph(std::string_view graph) {
    constexpr std::string_view settings = "sws_flags=";
    GraphText read;
    TextReader reader(graph);
    reader.skip_blanks();
    if (reader.rest().starts_with(settings)) {
        const std::size_t end = reader.rest().find(';');
        if (end == std::string_view::npos) {
            read.understood = false;
            return read;
        }
        reader.skip(end + 1);
    }
    for (;;) {
        if (!skip_labels(reader, read.labelled)) {
            read.understood = false;
            return read;
        }
        GraphFilter filter{.begin = reader.at()};
        const std::string name = reader.token("=,;[");
        filter.name = name.substr(0, name.find('@'));
        const bool has_arguments = reader.next() == '=';
        reader.skip(has_arguments ? 1 : 0);
        filter.arguments_at = reader.at();
        filter.arguments = has_arguments ? reader.token("[],;") : "";
        filter.end = reader.at();
        read.filters.push_back(std::move(filter));
        read.understood = skip_labels(reader, read.labelled);
        if (reader.next() != ',' && reader.next() != ';') {
            read.understood = read.understood && reader.ended();
            return read;
        }
        reader.skip(1);
    }
}

/// Names of a graph's filters, in its order; none where libavfilter would not understand the text.
inline std::vector<std::string> names_in(std::string_view graph) {
    GraphText read = read_graph(graph);
    std::vector<std::string> names;
    for (GraphFilter& filter : read.filters) {
        names.push_back(std::move(filter.name));
    }
    return read.understood ? names : std::vector<std::string>{};
}

inline bool names_filter(std::string_view graph, std::string_view filter) {
    const std::vector<std::string> names = names_in(graph);
    return std::ranges::find(names, filter) != names.end();
}

/// One of a filter's arguments.
struct FilterOption {
    std::string name;  ///< "" of "1", which means what stands at its place
    std::string value;
};

/// A filter's arguments, "x=1:y=2", as libavutil's av_opt_get_key_value() tells them apart.
inline std::vector<FilterOption> options_in(std::string_view arguments) {
    const auto is_part_of_name = [](char letter) {
        return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
               (letter >= '0' && letter <= '9') || std::string_view("-_/.").find(letter) != std::string_view::npos;
    };
    std::vector<FilterOption> options;
    TextReader reader(arguments);
    while (!reader.ended()) {
        TextReader behind_name = reader;
        behind_name.skip_blanks();
        const std::string_view rest = behind_name.rest();
        const auto* const end = std::ranges::find_if_not(rest, is_part_of_name);
        const std::string_view name = rest.substr(0, static_cast<std::size_t>(end - rest.begin()));
        behind_name.skip(name.size());
        behind_name.skip_blanks();
        const bool named = !name.empty() && behind_name.next() == '=';
        if (named) {
            behind_name.skip(1);
            reader = behind_name;
        }
        options.push_back({std::string(named ? name : ""), reader.token(":")});
        reader.skip(1);
    }
    return options;
}

/// The value of an option that is given by its name.
inline std::optional<std::string> value_of(const GraphFilter& filter, std::string_view option) {
    const std::vector<FilterOption> options = options_in(filter.arguments);
    const auto found = std::ranges::find(options, option, &FilterOption::name);
    return found == options.end() ? std::nullopt : std::optional(found->value);
}

/// And of a filter's first option, which people write with its name or without.
inline std::optional<std::string> first_value(const GraphFilter& filter, std::string_view option) {
    const std::vector<FilterOption> options = options_in(filter.arguments);
    return !options.empty() && options.front().name.empty() ? options.front().value : value_of(filter, option);
}

}  // namespace vfilter::lavfi
