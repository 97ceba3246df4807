// A section of a report for a terminal.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "bench/report.h"
#include "config/printable.h"

namespace vfilter::bench {

namespace {

constexpr std::size_t text_width = 110;
constexpr std::size_t paragraph_width = text_width - 10;
constexpr std::size_t min_word_width = 16;  // to which a column of words may be narrowed
constexpr std::string_view gap = "  ";

using Lines = std::vector<std::string>;

// Characters: what is here has no letters that are two columns wide.
std::size_t columns_of(std::string_view text) {
    return static_cast<std::size_t>(
        std::ranges::count_if(text, [](char letter) { return (static_cast<unsigned char>(letter) & 0xC0U) != 0x80; }));
}

// The part that is at most `columns` wide, in bytes.
std::size_t fitting(std::string_view text, std::size_t columns) {
    std::size_t bytes = text.size();
    while (columns_of(text.substr(0, bytes)) > columns) {
        do {
            --bytes;
        } while ((static_cast<unsigned char>(text[bytes]) & 0xC0U) == 0x80);
    }
    return bytes;
}

// Lines of at most `columns`, broken between words, and within words that are longer. At least one line.
Lines wrapped(std::string_view text, std::size_t columns) {
    Lines lines(1);
    while (!text.empty()) {
        const std::size_t end = std::min(text.find(' '), text.size());
        std::string_view word = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        if (!lines.back().empty() && columns_of(lines.back()) + 1 + columns_of(word) > columns) {
            lines.emplace_back();
        }
        lines.back() += lines.back().empty() || word.empty() ? "" : " ";
        for (; columns_of(word) > columns; word.remove_prefix(fitting(word, columns))) {
            lines.back() += word.substr(0, fitting(word, columns));
            lines.emplace_back();
        }
        lines.back() += word;
    }
    return lines;
}

void add_paragraph(std::string& out, const std::string& text, std::string_view first, std::string_view next) {
    for (const std::string& line : wrapped(printable(text), paragraph_width - first.size())) {
        out += fmt::format("{}{}\n", first, line);
        first = next;
    }
}

struct CellText {
    int digits;
    bool with_spread;

    std::string operator()(std::monostate /*empty*/) const { return ""; }
    std::string operator()(const std::string& text) const { return printable(text); }
    std::string operator()(double number) const { return number_text(number, digits); }
    std::string operator()(const Spread& spread) const {
        const std::string apart = with_spread ? spread_text(spread, digits) : "";
        return number_text(spread.median, digits) + (apart.empty() ? "" : " " + apart);
    }
};

Cell cell_at(const Row& row, std::size_t column) {
    return column < row.cells.size() ? row.cells[column] : Cell();
}

// Where all are whole numbers, such as sizes, they have nothing after the point.
int shown_digits(const Table& table, std::size_t column) {
    const bool whole = std::ranges::all_of(table.rows, [&](const Row& row) {
        const Cell cell = cell_at(row, column);
        const auto* const number = std::get_if<double>(&cell);
        return !std::holds_alternative<Spread>(cell) && (number == nullptr || *number == std::floor(*number));
    });
    return whole ? 1 : table.columns[column].digits;
}

struct TextColumn {
    Lines cells;
    bool numeric = false;
    std::size_t width = 0;
    std::size_t min_width = min_word_width;  // numbers cannot be broken into lines
};

// As wide as the widest cell or word of the title: titles of several words go on several lines.
TextColumn column_of(const Table& table, std::size_t at, bool with_spread) {
    TextColumn column;
    const Column& source = table.columns[at];
    column.width = std::max<std::size_t>(8, columns_of(source.unit));
    for (std::string_view title = source.title; !title.empty();) {
        const std::size_t word = std::min(title.find(' '), title.size());
        column.width = std::max(column.width, columns_of(title.substr(0, word)));
        title.remove_prefix(std::min(word + 1, title.size()));
    }
    for (const Row& row : table.rows) {
        const Cell cell = cell_at(row, at);
        column.cells.push_back(std::visit(CellText{shown_digits(table, at), with_spread}, cell));
        const std::size_t width = columns_of(column.cells.back());
        column.width = std::max(column.width, width);
        if (std::holds_alternative<double>(cell) || std::holds_alternative<Spread>(cell)) {
            column.numeric = true;
            column.min_width = std::max(column.min_width, width);
        }
    }
    return column;
}

std::vector<TextColumn> columns_of(const Table& table, bool with_spread) {
    std::vector<TextColumn> columns;
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
        columns.push_back(column_of(table, i, with_spread));
    }
    return columns;
}

std::size_t total_width(const std::vector<TextColumn>& columns) {
    std::size_t width = gap.size();
    for (const TextColumn& column : columns) {
        width += column.width + gap.size();
    }
    return width;
}

// Takes from the columns of words until the table fits, or none has more to give.
void narrow(std::vector<TextColumn>& columns) {
    const auto excess = [](const TextColumn& column) {
        return column.width - std::min(column.width, column.min_width);
    };
    while (total_width(columns) > text_width) {
        const auto widest = std::ranges::max_element(columns, {}, excess);
        if (excess(*widest) == 0) {
            return;
        }
        --widest->width;
    }
}

// A row of cells of several lines each; those of a heading stand on the ground.
void add_lines(std::string& out, const std::vector<TextColumn>& columns, const std::vector<Lines>& cells, bool heading,
               std::string_view mark) {
    std::size_t height = 1;
    for (const Lines& lines : cells) {
        height = std::max(height, lines.size());
    }
    for (std::size_t y = 0; y < height; ++y) {
        std::string line(y == 0 ? mark : gap);
        for (std::size_t i = 0; i < columns.size(); ++i) {
            const std::size_t above = heading ? height - cells[i].size() : 0;
            const std::string text = y >= above && y - above < cells[i].size() ? cells[i][y - above] : "";
            const std::string space(columns[i].width - std::min(columns[i].width, columns_of(text)), ' ');
            line += (columns[i].numeric ? space + text : text + space) + std::string(gap);
        }
        line.erase(line.find_last_not_of(' ') + 1);
        out += line + "\n";
    }
}

void add_table(std::string& out, const Table& table) {
    std::vector<TextColumn> columns = columns_of(table, true);
    if (total_width(columns) > text_width) {
        columns = columns_of(table, false);
    }
    narrow(columns);
    std::vector<Lines> head;
    for (std::size_t i = 0; i < columns.size(); ++i) {
        Lines lines = wrapped(table.columns[i].title, columns[i].width);
        if (!table.columns[i].unit.empty()) {
            lines.push_back(table.columns[i].unit);
        }
        head.push_back(std::move(lines));
    }
    add_lines(out, columns, head, true, gap);
    for (std::size_t y = 0; y < table.rows.size(); ++y) {
        std::vector<Lines> cells;
        for (const TextColumn& column : columns) {
            cells.push_back(wrapped(column.cells[y], column.width));
        }
        add_lines(out, columns, cells, false, table.rows[y].ours ? "* " : gap);
    }
}

// With as many digits as it takes to see that one that is not kept is not.
std::string measured_text(const Promise& promise) {
    int digits = 3;
    while (!promise.kept() && digits < 9 &&
           number_text(promise.limit, digits) == number_text(promise.measured, digits)) {
        ++digits;
    }
    return number_text(promise.measured, digits);
}

Table table_of(const std::vector<Promise>& promises) {
    Table table{"", "", "", {{"", "", ""}, {"", "promised", ""}, {"", "measured", ""}, {"", "aim", ""}}, {}};
    for (const Promise& promise : promises) {
        table.rows.push_back({{std::string(promise.kept() ? "ok" : "MISS"), promise.what, measured_text(promise),
                               fmt::format("at {} {:.6g}", promise.at_least ? "least" : "most", promise.limit)}});
    }
    return table;
}

}  // namespace

std::string number_text(double value, int digits) {
    if (!std::isfinite(value)) {
        return "–";
    }
    if (value == 0) {
        return "0";
    }
    const std::string scientific = fmt::format("{:.{}e}", value, digits - 1);
    // Of the rounded number: 9.996 has two digits before the point once it is 10.0.
    const int exponent = std::stoi(scientific.substr(scientific.find('e') + 1));
    if (exponent < -4 || exponent > 14) {
        return scientific;
    }
    std::string text = fmt::format("{:.{}f}", std::abs(value), std::max(0, digits - 1 - exponent));
    for (std::size_t i = std::min(text.find('.'), text.size()); i > 3; i -= 3) {
        text.insert(i - 3, 1, ',');
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

std::string to_text(const Section& section) {
    std::string out = fmt::format("{}\n{}\n", section.title, std::string(columns_of(section.title), '='));
    for (const std::string& sentence : section.sentences) {
        add_paragraph(out, sentence, "- ", "  ");
    }
    if (!section.text.empty()) {
        out += "\n";
        add_paragraph(out, section.text, "", "");
    }
    bool ours = false;
    for (const Table& table : section.tables) {
        out += fmt::format("\n{}\n", printable(table.title));
        if (!table.text.empty()) {
            add_paragraph(out, table.text, "", "");
        }
        out += "\n";
        add_table(out, table);
        ours = ours || std::ranges::any_of(table.rows, &Row::ours);
    }
    if (ours) {
        out += "\n* vfilter\n";
    }
    if (!section.promises.empty()) {
        out += "\n";
        add_table(out, table_of(section.promises));
    }
    if (!section.left_out.empty()) {
        out += "\nLeft out\n";
        for (const LeftOut& left_out : section.left_out) {
            add_paragraph(out, fmt::format("{}: {}", left_out.what, left_out.why), "  ", "    ");
        }
    }
    return out;
}

}  // namespace vfilter::bench
