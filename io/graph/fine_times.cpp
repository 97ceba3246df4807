#include "io/graph/fine_times.h"

extern "C" {
#include <libavutil/mathematics.h>
}

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <numeric>

namespace vfilter {

namespace {

constexpr std::string_view blank_letters = " \n\t\r";

/// A filter of a graph, by the places in its text.
struct FilterPlace {
    std::size_t begin = 0;      // of its name
    std::size_t arguments = 0;  // behind the '=', or the end
    std::size_t end = 0;
};

// As av_get_token() finds it: quotes hold everything, and behind a backslash anything.
std::size_t end_of_token(std::string_view text, std::size_t at, std::string_view ends) {
    while (at < text.size() && ends.find(text[at]) == std::string_view::npos) {
        const char letter = text[at++];
        if (letter == '\\') {
            ++at;
        } else if (letter == '\'') {
            at = std::min(text.find('\'', at), text.size() - 1) + 1;
        }
    }
    return std::min(at, text.size());
}

// Behind blanks and labels.
std::size_t skip_labels(std::string_view text, std::size_t at) {
    for (;;) {
        at = std::min(text.find_first_not_of(blank_letters, at), text.size());
        if (at == text.size() || text[at] != '[') {
            return at;
        }
        at = std::min(end_of_token(text, at, "]") + 1, text.size());
    }
}

// Of a text that libavfilter has understood.
std::vector<FilterPlace> filters_in(std::string_view graph) {
    std::vector<FilterPlace> filters;
    std::size_t at = skip_labels(graph, 0);
    if (graph.substr(at).starts_with("sws_flags=")) {
        at = std::min(graph.find(';', at), graph.size() - 1) + 1;
    }
    while (at < graph.size()) {
        FilterPlace filter;
        filter.begin = skip_labels(graph, at);
        const std::size_t name_end = end_of_token(graph, filter.begin, "=,;[");
        const bool has_arguments = name_end < graph.size() && graph[name_end] == '=';
        filter.arguments = name_end + (has_arguments ? 1 : 0);
        filter.end = has_arguments ? end_of_token(graph, filter.arguments, "[],;") : name_end;
        filters.push_back(filter);
        at = skip_labels(graph, filter.end);
        at += at < graph.size() ? 1 : 0;  // the separator
    }
    return filters;
}

std::string_view name_of_filter(std::string_view graph, const FilterPlace& filter) {
    const std::string_view name = graph.substr(filter.begin, filter.arguments - filter.begin);
    return name.substr(0, name.find_first_of("=@ \n\t\r"));
}

// Each word of an expression as `other` has it: letters, digits and underscores are words.
template <typename Other>
std::string with_words(std::string_view text, Other other) {
    const auto is_part = [](unsigned char letter) { return std::isalnum(letter) != 0 || letter == '_'; };
    std::string made;
    for (auto at = text.begin(); at != text.end();) {
        const auto end = std::find_if_not(at, text.end(), is_part);
        made += end == at ? std::string(1, *at) : other(std::string(at, end));
        at = end == at ? at + 1 : end;
    }
    return made;
}

// Whether a filter's arguments speak of ticks: as times of its own, or of the clock that it is given.
bool counts_ticks(std::string_view graph, const FilterPlace& filter) {
    const std::string_view name = name_of_filter(graph, filter);
    if (name == "setpts" || name == "drawtext") {  // whose %{pts} is in seconds
        return false;
    }
    bool counts = false;
    with_words(graph.substr(filter.arguments, filter.end - filter.arguments), [&counts](const std::string& word) {
        counts = counts || word.ends_with("pts") || word.ends_with("PTS") || word == "intb" || word == "timebase";
        return word;
    });
    return counts;
}

// Behind "expr=", which may stand in quotes, or 0.
std::size_t end_of_key(std::string_view arguments) {
    constexpr std::string_view key = "expr";
    std::size_t at = std::min(arguments.find_first_not_of(blank_letters), arguments.size());
    at += arguments.substr(at).starts_with('\'') ? 1 : 0;
    if (!arguments.substr(at).starts_with(key)) {
        return 0;
    }
    at = std::min(arguments.find_first_not_of(blank_letters, at + key.size()), arguments.size());
    return arguments.substr(at).starts_with('=') ? at + 1 : 0;
}

// "PTS/2" in ticks of which `factor` are one of those that it is about; "" where it has other options, too.
std::string in_finer_ticks(std::string_view arguments, std::int64_t factor) {
    constexpr std::array<std::string_view, 4> times{"PTS", "STARTPTS", "PREV_INPTS", "PREV_OUTPTS"};
    if (arguments.find(':') != std::string_view::npos) {
        return "";
    }
    const std::size_t begin = end_of_key(arguments);
    const std::string in_own_ticks = with_words(arguments.substr(begin), [&](const std::string& word) {
        return word == "TB"                                        ? fmt::format("(TB*{})", factor)
               : std::ranges::find(times, word) != std::end(times) ? fmt::format("({}/{})", word, factor)
                                                                   : word;
    });
    return fmt::format("{}round({}*({}))", arguments.substr(0, begin), factor, in_own_ticks);
}

}  // namespace

AVRational finer_clock(AVRational clock) {
    constexpr double fine = 10'000;              // ticks a second
    constexpr std::int64_t usual = 90'000;       // of which rates from 24 to 60, also those of NTSC, are whole numbers
    constexpr std::int64_t finest = 10'000'000;  // what containers can still count in
    constexpr int otherwise = 4096;
    if (clock.num <= 0 || clock.den <= 0 || clock.den >= fine * clock.num) {
        return clock;
    }
    const std::int64_t common = std::lcm(std::int64_t{clock.den}, usual);
    return common <= finest ? AVRational{1, static_cast<int>(common)} : av_mul_q(clock, {1, otherwise});
}

std::string with_fine_times(const std::string& graph, const std::vector<AVRational>& clocks) {
    std::string fine;
    std::size_t copied = 0;
    std::size_t number = 0;
    bool behind = false;  // a setpts
    for (const FilterPlace& filter : filters_in(graph)) {
        if (name_of_filter(graph, filter) != "setpts") {
            if (behind && counts_ticks(graph, filter)) {
                return graph;
            }
            continue;
        }
        if (number == clocks.size()) {
            return graph;
        }
        behind = true;
        const AVRational clock = clocks[number++];
        const AVRational finer = finer_clock(clock);
        const AVRational factor = av_div_q(clock, finer);
        if (av_cmp_q(clock, finer) == 0) {
            continue;
        }
        const std::string arguments =
            in_finer_ticks(std::string_view(graph).substr(filter.arguments, filter.end - filter.arguments), factor.num);
        if (factor.den != 1 || filter.arguments == filter.end || arguments.empty()) {
            return graph;
        }
        fine += graph.substr(copied, filter.begin - copied);
        fine += fmt::format("settb={}/{},", finer.num, finer.den);
        fine += graph.substr(filter.begin, filter.arguments - filter.begin) + arguments;
        copied = filter.end;
    }
    return number == clocks.size() ? fine + graph.substr(copied) : graph;
}

}  // namespace vfilter
