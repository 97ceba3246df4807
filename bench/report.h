#pragma once
// What a benchmark found, as plain values. Writers (JSON, terminal) know nothing of where they came from.

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace vfilter::bench {

/// Several runs of one thing.
struct Spread {
    double median = 0;
    double lowest = 0;
    double highest = 0;
    int runs = 0;
};

/// The spread of `values`, of which there is at least one. The median of an even number is the mean of the middle two.
Spread spread_of(std::vector<double> values);

using Cell = std::variant<std::monostate, std::string, double, Spread>;

struct Column {
    std::string key;    ///< in JSON, the same for ever: "us", "gb_per_s"
    std::string title;  ///< for readers
    std::string unit;   ///< "us", "GB/s", "%"; empty for none
    int digits = 3;     ///< significant ones
};

struct Row {
    std::vector<Cell> cells;  ///< as many as there are columns
    bool ours = false;        ///< vfilter's own: shown in its colour
};

struct Table {
    std::string key;
    std::string title;
    std::string text;  ///< what it shows and how it was measured; may be empty
    std::vector<Column> columns;
    std::vector<Row> rows;
};

struct Axis {
    std::string title;  ///< with its unit
    bool logarithmic = false;
};

struct Point {
    double x = 0;
    double y = 0;
};

struct Series {
    std::string name;
    std::vector<Point> points;  ///< of a bar chart: x is the index of a category
    bool ours = false;
    bool target = false;  ///< of lines: what is aimed at, as faint marks without a line
};

/// Lines over a numeric x, or, where there are categories, groups of horizontal bars: one group for each category.
struct Plot {
    std::string key;
    std::string title;
    std::string text;
    Axis x;
    Axis y;
    std::vector<std::string> categories;
    std::vector<Series> series;
};

/// What was not measured, and why: a library that is missing, a format that one has not.
struct LeftOut {
    std::string what;
    std::string why;
};

/// A figure that vfilter promises for machines of a kind.
struct Promise {
    std::string what;
    double measured = 0;
    double limit = 0;
    bool at_least = false;  ///< otherwise: at most

    [[nodiscard]] bool kept() const { return at_least ? measured >= limit : measured <= limit; }
};

struct Section {
    std::string key;  ///< "pipeline", "kernels", "sweep", "ladder"
    std::string title;
    std::string text;
    std::vector<std::string> sentences;  ///< what one should take home, most important first
    std::vector<Plot> plots;
    std::vector<Table> tables;
    std::vector<Promise> promises;
    std::vector<LeftOut> left_out;
};

/// The machine and the program, in words.
struct Fact {
    std::string key;
    std::string title;
    std::string value;
};

struct Report {
    std::string title;
    std::string command;      ///< that made it
    std::string date;         ///< ISO 8601, UTC
    std::vector<Fact> facts;  ///< processor, memory, GPU, driver, versions, commit
    std::vector<Section> sections;
};

/// {"schema": 1, "title", "command", "date", "machine": {key: value}, "machine_titles": {key: title}, "sections":
/// [...]}. Lists are arrays of objects with the names of the fields above, but: a row is {"ours", column key: cell,
/// ...}, a spread {"median", "lowest", "highest", "runs"}, a point [x, y], an empty cell null; a promise says in "kept"
/// whether it is, and a series has "target" only where that is true. What is no finite number becomes null. Keys are
/// unique within their list, and no column's is "ours". bench/pages.py makes pages and plots of it.
nlohmann::ordered_json to_json(const Report& report);

/// Tables, sentences, promises and what was left out, for a terminal of 110 columns if numbers leave it a choice.
std::string to_text(const Section& section);

/// `digits` significant ones, but all of those before the point: 14,648; 58.2; 0.0712. A dash for what is no number.
std::string number_text(double value, int digits);

/// How far the runs lie apart: "±1.2 %", or "4.1–9.3" where a percentage would hide how lopsided they are. Empty if
/// there was one run.
std::string spread_text(const Spread& spread, int digits);

/// "a, b and c".
std::string joined(const std::vector<std::string>& words, std::string_view last = "and");

/// A column of a table of items, and what stands in it.
template <class Item>
struct Field {
    Column column;
    std::function<Cell(const Item&)> cell;
    bool optional = false;  ///< left out where nothing stands in it
};

/// Adds a column for each field and a row for each item; `ours` says whose row it is.
template <class Item>
void fill(Table& table, const std::vector<Item>& items, const std::vector<Field<Item>>& fields,
          const std::function<bool(const Item&)>& ours = nullptr) {
    for (const Item& item : items) {
        table.rows.push_back({{}, ours != nullptr && ours(item)});
    }
    for (const Field<Item>& field : fields) {
        std::vector<Cell> cells;
        bool any = false;
        for (const Item& item : items) {
            cells.push_back(field.cell(item));
            any = any || !std::holds_alternative<std::monostate>(cells.back());
        }
        if (any || !field.optional) {
            table.columns.push_back(field.column);
            for (std::size_t i = 0; i < cells.size(); ++i) {
                table.rows[i].cells.push_back(std::move(cells[i]));
            }
        }
    }
}

}  // namespace vfilter::bench
