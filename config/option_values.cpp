#include "config/option_values.h"

#include <array>
#include <charconv>
#include <cstddef>

#include "config/error.h"

namespace vfilter {

namespace {

constexpr std::size_t max_pairs = 1000;
constexpr std::size_t max_pair_length = 65536;

}  // namespace

void refuse(std::string_view option, const std::string& what) {
    throw Error(ExitCode::usage, fmt::format("--{}: {}", option, what));
}

void refuse_word(std::string_view option, std::string_view text, const std::vector<std::string_view>& names) {
    refuse(option, fmt::format("'{}' is none of {}{}", shortened(text), join(names, ", "), suggestion(text, names)));
}

std::vector<std::string_view> parts_of(std::string_view text, char separator) {
    std::vector<std::string_view> parts;
    for (;;) {
        const std::size_t end = text.find(separator);
        parts.push_back(text.substr(0, end));
        if (end == std::string_view::npos) {
            return parts;
        }
        text.remove_prefix(end + 1);
    }
}

bool has_word(std::string_view words, std::string_view word) {
    const std::vector<std::string_view> all = parts_of(words, ' ');
    return std::ranges::find(all, word) != all.end();
}

std::int64_t parse_bitrate(std::string_view option, const std::string& text) {
    double factor = 1;
    std::string digits = text;
    if (!digits.empty()) {
        const char unit = digits.back();
        factor = unit == 'k' || unit == 'K' ? 1e3 : unit == 'M' ? 1e6 : 1;
        if (factor != 1) {
            digits.pop_back();
        }
    }
    double value = 0;
    if (!parse_number(digits, value) || !(value * factor >= 1 && value * factor <= 1e12)) {
        refuse(option, fmt::format("'{}' is not a bit rate such as 2500k or 8M", shortened(text)));
    }
    return static_cast<std::int64_t>(value * factor);
}

std::string fixed_digits(double value) {
    constexpr std::size_t most = 400;  // of any double
    std::array<char, most> digits{};
    char* const end = std::to_chars(digits.data(), digits.data() + digits.size(), value, std::chars_format::fixed).ptr;
    return {digits.data(), end};
}

void add_pair(std::string_view option, Pairs& pairs, const std::string& text) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0) {
        refuse(option, fmt::format("'{}' is not of the form key=value", shortened(text)));
    }
    if (text.size() > max_pair_length) {
        refuse(option, fmt::format("'{}' is longer than {} characters", shortened(text), max_pair_length));
    }
    if (pairs.size() == max_pairs) {
        refuse(option, fmt::format("given more than {} times", max_pairs));
    }
    pairs.emplace_back(text.substr(0, equals), text.substr(equals + 1));
}

std::vector<std::string> texts_of(const Pairs& pairs) {
    std::vector<std::string> texts;
    for (const auto& [key, value] : pairs) {
        texts.push_back(fmt::format("{}={}", key, value));
    }
    return texts;
}

std::string show_lines(const std::vector<std::string>& values) {
    return fmt::format("{}", fmt::join(values, "\n"));
}

}  // namespace vfilter
