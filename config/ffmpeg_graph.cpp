#include "config/ffmpeg_graph.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <string>
#include <vector>

#include "config/lavfi/facts.h"
#include "config/option_values.h"

namespace vfilter {

namespace {

// What expressions call times and numbers.
constexpr std::string_view timed_words[] = {
    "N",      "PTS", "T",     "n",          "prev_pts", "prev_selected_n", "prev_selected_pts", "prev_selected_t",
    "prev_t", "pts", "scene", "selected_n", "t"};

// Options that are names and texts.
constexpr std::string_view literal_options[] = {
    "charenc",  "cover",    "datapath",    "expansion", "f",          "file",     "filename", "font",    "fontcolor",
    "fontfile", "fontsdir", "force_style", "input",     "labels",     "language", "model",    "object",  "path",
    "plot",     "preset",   "psfile",      "result",    "stats_file", "text",     "textfile", "timecode"};

GraphEffect effect_of(const lavfi::GraphFilter& filter) {
    return lavfi::has(filter.name, lavfi::times)     ? GraphEffect::times
           : lavfi::has(filter.name, lavfi::numbers) ? GraphEffect::numbers
                                                     : GraphEffect::none;
}

// Times that begin with 0.
bool begins_with_zero(const lavfi::GraphFilter& filter) {
    return filter.name == "setpts" && lavfi::first_value(filter, "expr") == "PTS-STARTPTS";
}

// As far as libavfilter would understand it. It refuses a filter without a name.
std::vector<lavfi::GraphFilter> filters_of(std::string_view graph) {
    std::vector<lavfi::GraphFilter> filters = lavfi::read_graph(graph).filters;
    std::erase_if(filters, [](const lavfi::GraphFilter& filter) { return filter.name.empty(); });
    return filters;
}

// Whether a word for which `wanted` is true stands by itself in an option's value; beside a dot it is a file's name.
template <typename Wanted>
bool has_own_word(std::string_view value, Wanted wanted) {
    const auto is_part = [](unsigned char letter) { return std::isalnum(letter) != 0 || letter == '_'; };
    for (auto at = value.begin(); at != value.end();) {
        const auto begin = std::find_if(at, value.end(), is_part);
        const auto end = std::find_if_not(begin, value.end(), is_part);
        const std::string_view word(begin, end);
        const bool named = (end != value.end() && *end == '.') || (begin != value.begin() && *std::prev(begin) == '.');
        if (!named && wanted(word)) {
            return true;
        }
        at = end;
    }
    return false;
}

bool has_timed_word(std::string_view value) {
    return has_own_word(
        value, [](std::string_view word) { return std::ranges::find(timed_words, word) != std::end(timed_words); });
}

// Whether one of its options depends on the time or the number of a picture.
bool has_timed_option(const lavfi::GraphFilter& filter) {
    bool first = lavfi::has(filter.name, lavfi::names_file);
    for (const lavfi::FilterOption& option : lavfi::options_in(filter.arguments)) {
        const bool literal =
            option.name.empty() ? first : std::ranges::find(literal_options, option.name) != std::end(literal_options);
        // Texts have expressions within %{}.
        if ((!literal || option.value.find("%{") != std::string::npos) && has_timed_word(option.value)) {
            return true;
        }
        first = false;
    }
    return false;
}

/// Of which pictures one is made.
enum class MadeOf { own, earlier, next, later };

MadeOf made_of(const lavfi::GraphFilter& filter) {
    const lavfi::Filter* const row = lavfi::row_of(filter.name);
    const auto means_later = [row](std::string_view word) { return has_word(row->later_with, word); };
    if (row == nullptr || (!row->later_with.empty() && has_own_word(filter.arguments, means_later))) {
        return MadeOf::later;
    }
    return (row->facts & lavfi::of_one) != 0 || begins_with_zero(filter) ? MadeOf::own
           : (row->facts & lavfi::of_earlier) != 0                       ? MadeOf::earlier
           : (row->facts & lavfi::of_next) != 0                          ? MadeOf::next
                                                                         : MadeOf::later;
}

// Of "fps=10", "fps=fps=30000/1001" and "fps"; nothing of others.
std::optional<double> rate_of(const lavfi::GraphFilter& filter) {
    const std::vector<lavfi::FilterOption> options = lavfi::options_in(filter.arguments);
    if (filter.name != "fps" || options.size() > 1) {
        return std::nullopt;
    }
    const std::string text = options.empty() ? "25" : lavfi::first_value(filter, "fps").value_or("");
    const std::string_view value = text;
    const std::size_t slash = value.find('/');
    double over = 0;
    double under = 1;
    const bool read = parse_number(value.substr(0, slash), over) &&
                      (slash == std::string_view::npos || parse_number(value.substr(slash + 1), under));
    return read && over > 0 && under > 0 ? std::optional(over / under) : std::nullopt;
}

constexpr double whole_enough = 1e-6;

}  // namespace

bool follows_sound(std::string_view graph) {
    return std::ranges::all_of(
        filters_of(graph), [](const lavfi::GraphFilter& filter) { return lavfi::has(filter.name, lavfi::follows); });
}

GraphEffect effect_of_graph(std::string_view graph) {
    GraphEffect effect = GraphEffect::none;
    for (const lavfi::GraphFilter& filter : filters_of(graph)) {
        // Times begin with 0 as it is: only what was left out before moves them.
        const bool moves = effect != GraphEffect::none || !begins_with_zero(filter);
        effect = moves ? std::max(effect, effect_of(filter)) : effect;
    }
    return effect;
}

bool begins_alike(std::string_view graph, std::optional<double> start) {
    const auto alike = [start](const lavfi::GraphFilter& filter) {
        const std::optional<double> rate = rate_of(filter);
        const double places = start.value_or(0) * rate.value_or(0);
        // Places of a new rate are the same where one of them is there.
        const bool place = rate && start && std::abs(places - std::round(places)) < whole_enough;
        return place || made_of(filter) == MadeOf::own;
    };
    return std::ranges::all_of(filters_of(graph), alike) && !looks_at_time(graph);
}

namespace {

bool ends_like(std::string_view graph, std::optional<double> length, MadeOf latest) {
    return std::ranges::all_of(filters_of(graph), [=](const lavfi::GraphFilter& filter) {
        const std::optional<double> rate = rate_of(filter);
        const double places = length.value_or(0) * rate.value_or(0);
        const double over = places - std::floor(places + whole_enough);
        // It rounds: up to the middle between two of its places a picture would be wanted that comes behind that.
        const bool place = rate && length && (over < whole_enough || over >= 0.5);
        return place || made_of(filter) <= latest;
    });
}

}  // namespace

bool ends_alike(std::string_view graph, std::optional<double> length) {
    return ends_like(graph, length, MadeOf::earlier);
}

bool ends_nearly_alike(std::string_view graph, std::optional<double> length) {
    return ends_like(graph, length, MadeOf::next);
}

bool looks_at_time(std::string_view graph) {
    return std::ranges::any_of(filters_of(graph), [](const lavfi::GraphFilter& filter) {
        return lavfi::has(filter.name, lavfi::timed) || lavfi::value_of(filter, "enable") ||
               (effect_of(filter) != GraphEffect::times && has_timed_option(filter));
    });
}

}  // namespace vfilter
