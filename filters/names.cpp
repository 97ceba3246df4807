#include "filters/names.h"

#include <algorithm>
#include <vector>

namespace vfilter {

namespace {

// Optimal string alignment: insertions, deletions, substitutions and swaps of neighbours cost 1.
std::size_t edit_distance(std::string_view a, std::string_view b) {
    std::vector<std::vector<std::size_t>> cost(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
    for (std::size_t i = 0; i <= a.size(); ++i) {
        for (std::size_t j = 0; j <= b.size(); ++j) {
            if (i == 0 || j == 0) {
                cost[i][j] = i + j;
                continue;
            }
            const std::size_t change = a[i - 1] == b[j - 1] ? 0 : 1;
            cost[i][j] = std::min({cost[i - 1][j] + 1, cost[i][j - 1] + 1, cost[i - 1][j - 1] + change});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
                cost[i][j] = std::min(cost[i][j], cost[i - 2][j - 2] + 1);
            }
        }
    }
    return cost[a.size()][b.size()];
}

}  // namespace

std::string_view nearest_name(std::string_view typed, std::span<const std::string_view> names) {
    constexpr std::size_t max_typed = 64;  // no name is that long, and the cost is quadratic
    std::string_view best;
    std::size_t best_distance = std::max<std::size_t>(1, typed.size() / 3) + 1;
    for (const std::string_view name : names) {
        const std::size_t distance = typed.size() > max_typed ? best_distance : edit_distance(typed, name);
        const bool begins = typed.size() >= 3 && name.starts_with(typed);
        if (distance < best_distance || (begins && best.empty())) {
            best = name;
            best_distance = std::min(distance, best_distance);
        }
    }
    return best;
}

std::string suggestion(std::string_view typed, std::span<const std::string_view> names) {
    const std::string_view nearest = nearest_name(typed, names);
    return nearest.empty() ? "" : "; did you mean '" + std::string(nearest) + "'?";
}

std::string shortened(std::string_view typed) {
    constexpr std::size_t max_length = 80;
    if (typed.size() <= max_length) {
        return std::string(typed);
    }
    std::size_t end = max_length;
    while (end > 0 && (static_cast<unsigned char>(typed[end]) & 0xC0U) == 0x80U) {
        --end;  // not inside a UTF-8 character
    }
    return std::string(typed.substr(0, end)) + "...";
}

std::string listed(std::span<const std::string> names) {
    constexpr std::size_t most = 8;
    const std::span<const std::string> first = names.first(std::min(names.size(), most));
    const std::vector<std::string_view> shown(first.begin(), first.end());
    return join(shown, ", ") + (names.size() > most ? " and " + std::to_string(names.size() - most) + " more" : "");
}

std::string join(std::span<const std::string_view> names, std::string_view separator) {
    std::string text;
    for (const std::string_view name : names) {
        text += (text.empty() ? "" : std::string(separator)) + std::string(name);
    }
    return text;
}

}  // namespace vfilter
