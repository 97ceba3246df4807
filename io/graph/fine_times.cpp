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

#include "config/lavfi/graph_reader.h"

namespace vfilter {

namespace {

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
bool counts_ticks(const lavfi::GraphFilter& filter) {
    if (filter.name == "setpts" || filter.name == "drawtext") {  // whose %{pts} is in seconds
        return false;
    }
    bool counts = false;
    with_words(filter.arguments, [&counts](const std::string& word) {
        counts = counts || word.ends_with("pts") || word.ends_with("PTS") || word == "intb" || word == "timebase";
        return word;
    });
    return counts;
}

// Arguments of a setpts, "PTS/2", in ticks of which `factor` are one of those that it is about; "" where it has other
// options, too.
std::string in_finer_ticks(const lavfi::GraphFilter& filter, std::int64_t factor) {
    constexpr std::array<std::string_view, 4> times{"PTS", "STARTPTS", "PREV_INPTS", "PREV_OUTPTS"};
    const std::string expression = lavfi::first_value(filter, "expr").value_or("");
    // What would have to be escaped is in no expression.
    if (lavfi::options_in(filter.arguments).size() != 1 || expression.empty() ||
        expression.find_first_of("':\\") != std::string::npos) {
        return "";
    }
    const std::string in_own_ticks = with_words(expression, [&](const std::string& word) {
        return word == "TB"                                        ? fmt::format("(TB*{})", factor)
               : std::ranges::find(times, word) != std::end(times) ? fmt::format("({}/{})", word, factor)
                                                                   : word;
    });
    return fmt::format("'round({}*({}))'", factor, in_own_ticks);
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
    for (const lavfi::GraphFilter& filter : lavfi::read_graph(graph).filters) {
        if (filter.name != "setpts") {
            if (behind && counts_ticks(filter)) {
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
        const std::string arguments = in_finer_ticks(filter, factor.num);
        if (factor.den != 1 || arguments.empty()) {
            return graph;
        }
        fine += graph.substr(copied, filter.begin - copied);
        fine += fmt::format("settb={}/{},", finer.num, finer.den);
        fine += graph.substr(filter.begin, filter.arguments_at - filter.begin) + arguments;
        copied = filter.end;
    }
    return number == clocks.size() ? fine + graph.substr(copied) : graph;
}

}  // namespace vfilter
