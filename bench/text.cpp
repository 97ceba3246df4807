#include "bench/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace vfilter::bench {

namespace {

constexpr std::string_view no_number = "–";
constexpr char32_t replacement = 0xFFFD;

struct Character {
    char32_t code = replacement;
    std::size_t bytes = 1;
};

// What begins at `at`; a byte that begins nothing valid is a replacement of its own.
Character character_at(std::string_view text, std::size_t at) {
    struct Form {
        unsigned mask, lead;
        std::size_t bytes;
        char32_t lowest;  // shorter forms would do for less
    };
    constexpr Form forms[] = {
        {0x80, 0x00, 1, 0}, {0xE0, 0xC0, 2, 0x80}, {0xF0, 0xE0, 3, 0x800}, {0xF8, 0xF0, 4, 0x10000}};
    const unsigned first = static_cast<unsigned char>(text[at]);
    for (const Form& form : forms) {
        if ((first & form.mask) != form.lead || at + form.bytes > text.size()) {
            continue;
        }
        char32_t code = first & ~form.mask;
        for (std::size_t i = 1; i < form.bytes; ++i) {
            const unsigned next = static_cast<unsigned char>(text[at + i]);
            if ((next & 0xC0U) != 0x80) {
                return {};
            }
            code = code << 6U | (next & 0x3FU);
        }
        const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
        return code < form.lowest || surrogate || code > 0x10FFFF ? Character{} : Character{code, form.bytes};
    }
    return {};
}

std::vector<Character> characters(std::string_view text) {
    std::vector<Character> result;
    for (std::size_t at = 0; at < text.size(); at += result.back().bytes) {
        result.push_back(character_at(text, at));
    }
    return result;
}

struct Range {
    char32_t first, last;
};

bool within(char32_t code, const auto& ranges) {
    return std::any_of(std::begin(ranges), std::end(ranges),
                       [&](const Range& range) { return range.first <= code && code <= range.last; });
}

// Marks that stand above or below the letter before them, and joiners.
constexpr Range without_width[] = {{0x0300, 0x036F}, {0x200B, 0x200F}, {0x20D0, 0x20FF}, {0xFE00, 0xFE0F}};
// East Asian scripts and pictures: two columns.
constexpr Range of_double_width[] = {{0x1100, 0x115F}, {0x2E80, 0xA4CF}, {0xAC00, 0xD7A3},   {0xF900, 0xFAFF},
                                     {0xFE30, 0xFE6F}, {0xFF00, 0xFF60}, {0x1F300, 0x1FAFF}, {0x20000, 0x3FFFD}};

std::size_t columns_of(char32_t code) {
    return within(code, without_width) ? 0 : within(code, of_double_width) ? 2 : 1;
}

void separate_thousands(std::string& text) {
    for (std::size_t i = std::min(text.find('.'), text.size()); i > 3; i -= 3) {
        text.insert(i - 3, 1, ',');
    }
}

// The part that is at most `columns` wide, in bytes.
std::size_t fitting(std::string_view text, std::size_t columns) {
    std::size_t bytes = 0;
    for (const Character& character : characters(text)) {
        const std::size_t width = columns_of(character.code);
        if (width > columns) {
            break;
        }
        columns -= width;
        bytes += character.bytes;
    }
    return bytes;
}

}  // namespace

std::string number_text(double value, int digits) {
    if (!std::isfinite(value)) {
        return std::string(no_number);
    }
    if (value == 0) {
        return "0";
    }
    digits = std::clamp(digits, 1, 15);
    std::string scientific = fmt::format("{:.{}e}", value, digits - 1);
    // Taken from the rounded number: 9.996 has two digits before the point once it is 10.0.
    const std::size_t mark = scientific.find('e') + 1;
    int exponent = 0;
    std::from_chars(scientific.data() + mark + (scientific[mark] == '+' ? 1 : 0), scientific.data() + scientific.size(),
                    exponent);
    if (exponent < -4 || exponent > 14) {
        return scientific;
    }
    std::string text = fmt::format("{:.{}f}", std::abs(value), std::max(0, digits - 1 - exponent));
    separate_thousands(text);
    return value < 0 ? "-" + text : text;
}

std::string tick_text(double value) {
    struct Prefix {
        double factor;
        std::string_view name;
    };
    constexpr Prefix prefixes[] = {{1e12, "T"}, {1e9, "G"}, {1e6, "M"}};
    for (const Prefix& prefix : prefixes) {
        if (std::abs(value) >= prefix.factor && std::abs(value) < 1000 * prefix.factor) {
            return fmt::format("{:.4g}{}", value / prefix.factor, prefix.name);
        }
    }
    std::string text = fmt::format("{:.6g}", std::abs(value));
    if (text.find('e') == std::string::npos) {
        separate_thousands(text);
    }
    return value < 0 ? "-" + text : text;
}

std::string spread_text(const Spread& spread, int digits) {
    const double percent =
        100 * std::max(spread.highest - spread.median, spread.median - spread.lowest) / spread.median;
    if (spread.runs < 2 || !std::isfinite(percent)) {
        return "";
    }
    if (std::abs(percent) > 20) {
        return fmt::format("{}–{}", number_text(spread.lowest, digits), number_text(spread.highest, digits));
    }
    return fmt::format("±{:.{}f} %", std::abs(percent), std::abs(percent) < 10 ? 1 : 0);
}

CellText cell_text(const Cell& cell, int digits) {
    if (const auto* const text = std::get_if<std::string>(&cell)) {
        return {clean(*text), ""};
    }
    if (const auto* const number = std::get_if<double>(&cell)) {
        return {number_text(*number, digits), ""};
    }
    if (const auto* const spread = std::get_if<Spread>(&cell)) {
        return {number_text(spread->median, digits), spread_text(*spread, digits)};
    }
    return {};
}

bool is_numeric(const Table& table, std::size_t column) {
    return std::any_of(table.rows.begin(), table.rows.end(), [&](const Row& row) {
        return column < row.cells.size() &&
               (std::holds_alternative<double>(row.cells[column]) || std::holds_alternative<Spread>(row.cells[column]));
    });
}

int shown_digits(const Table& table, std::size_t column) {
    const bool whole = std::all_of(table.rows.begin(), table.rows.end(), [&](const Row& row) {
        if (column >= row.cells.size() || std::holds_alternative<Spread>(row.cells[column])) {
            return column >= row.cells.size();
        }
        const auto* const number = std::get_if<double>(&row.cells[column]);
        return number == nullptr || !std::isfinite(*number) || *number == std::floor(*number);
    });
    return whole ? 1 : table.columns[column].digits;
}

PromiseText promise_text(const Promise& promise) {
    PromiseText text;
    for (int digits = 3; digits <= 9; ++digits) {
        text = {number_text(promise.measured, digits), tick_text(promise.limit)};
        if (promise.kept() || number_text(promise.limit, digits) != text.measured) {
            break;
        }
    }
    return text;
}

std::string clean(std::string_view text) {
    std::string result;
    std::size_t at = 0;
    for (const Character& character : characters(text)) {
        const char32_t code = character.code;
        const bool control = (code < 0x20 && code != '\n' && code != '\t') || (code >= 0x7F && code < 0xA0);
        if (control || code == replacement || code == 0xFFFE || code == 0xFFFF) {
            result += "\xEF\xBF\xBD";
        } else {
            result += text.substr(at, character.bytes);
        }
        at += character.bytes;
    }
    return result;
}

std::string escaped(std::string_view text) {
    std::string result;
    for (const char letter : clean(text)) {
        switch (letter) {
            case '&':
                result += "&amp;";
                break;
            case '<':
                result += "&lt;";
                break;
            case '>':
                result += "&gt;";
                break;
            case '"':
                result += "&quot;";
                break;
            case '\'':
                result += "&#39;";
                break;
            default:
                result += letter;
        }
    }
    return result;
}

std::size_t columns_of(std::string_view text) {
    std::size_t columns = 0;
    for (const Character& character : characters(text)) {
        columns += columns_of(character.code);
    }
    return columns;
}

double width_of(std::string_view text) {
    // Of DejaVu Sans, which is wider than what most systems take: what fits with it fits with others.
    struct Letters {
        std::string_view letters;
        double width;
    };
    constexpr Letters widths[] = {{"ijl'|", 0.28}, {" .,:;!ftr()[]-/", 0.39}, {"mwMW%@", 0.93}};
    double width = 0;
    for (const Character& character : characters(text)) {
        double one = 0.63 * static_cast<double>(columns_of(character.code));
        for (const Letters& row : widths) {
            if (character.code < 0x80 &&
                row.letters.find(static_cast<char>(character.code)) != std::string_view::npos) {
                one = row.width;
            }
        }
        width += one;
    }
    return width;
}

std::string shortened(std::string_view text, std::size_t columns) {
    if (columns_of(text) <= columns) {
        return std::string(text);
    }
    return columns == 0 ? "" : std::string(text.substr(0, fitting(text, columns - 1))) + "…";
}

std::vector<std::string> wrapped(std::string_view text, std::size_t columns) {
    columns = std::max<std::size_t>(columns, 2);  // the widest character fits
    std::vector<std::string> lines(1);
    const auto is_space = [](char letter) { return letter == ' ' || letter == '\t' || letter == '\n'; };
    for (std::size_t at = 0; at < text.size();) {
        if (is_space(text[at])) {
            ++at;
            continue;
        }
        const auto end = std::find_if(text.begin() + static_cast<std::ptrdiff_t>(at), text.end(), is_space);
        std::string_view word = text.substr(at, static_cast<std::size_t>(end - text.begin()) - at);
        at += word.size();
        if (!lines.back().empty() && columns_of(lines.back()) + 1 + columns_of(word) > columns) {
            lines.emplace_back();
        }
        lines.back() += lines.back().empty() ? "" : " ";
        while (columns_of(word) > columns) {
            const std::size_t bytes = fitting(word, columns);
            lines.back() += word.substr(0, bytes);
            lines.emplace_back();
            word.remove_prefix(bytes);
        }
        lines.back() += word;
    }
    return lines;
}

}  // namespace vfilter::bench
