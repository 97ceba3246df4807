#include "bench/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "bench/text.h"

namespace vfilter::bench {

namespace {

using Json = nlohmann::ordered_json;

constexpr int schema = 1;

// JSON has no other numbers; null comes back as NaN.
Json json_of(double number) {
    return std::isfinite(number) ? Json(number) : Json();
}

double number_of(const Json& json) {
    return json.is_null() ? std::numeric_limits<double>::quiet_NaN() : json.get<double>();
}

// Objects have each key once: a second "gpu" is "gpu_2".
std::string unused(const Json& object, const std::string& key) {
    std::string result = clean(key);
    for (int i = 2; object.contains(result); ++i) {
        result = fmt::format("{}_{}", clean(key), i);
    }
    return result;
}

Json json_of(const Cell& cell) {
    if (const auto* const text = std::get_if<std::string>(&cell)) {
        return clean(*text);
    }
    if (const auto* const number = std::get_if<double>(&cell)) {
        return json_of(*number);
    }
    if (const auto* const spread = std::get_if<Spread>(&cell)) {
        return {{"median", json_of(spread->median)},
                {"lowest", json_of(spread->lowest)},
                {"highest", json_of(spread->highest)},
                {"runs", spread->runs}};
    }
    return {};
}

Cell cell_of(const Json& json) {
    if (json.is_null()) {
        return {};
    }
    if (json.is_string()) {
        return json.get<std::string>();
    }
    if (json.is_number()) {
        return json.get<double>();
    }
    return Spread{number_of(json.at("median")), number_of(json.at("lowest")), number_of(json.at("highest")),
                  json.at("runs").get<int>()};
}

// Every list of the report is an array made and read item by item.
Json array_of(const auto& items, const auto& write) {
    Json array = Json::array();
    for (const auto& item : items) {
        array.push_back(write(item));
    }
    return array;
}

template <typename Item>
std::vector<Item> list_of(const Json& array, const auto& read) {
    if (!array.is_array()) {
        throw std::runtime_error("a list is missing");
    }
    std::vector<Item> items;
    for (const Json& json : array) {
        items.push_back(read(json));
    }
    return items;
}

std::string text_of(const Json& json) {
    return json.get<std::string>();
}

Json json_of(const Table& table) {
    Json columns = Json::array();
    Json keys = {{"ours", true}};  // what a row has besides its cells
    std::vector<std::string> key_of_column;
    for (const Column& column : table.columns) {
        key_of_column.push_back(unused(keys, column.key));
        keys[key_of_column.back()] = true;
        columns.push_back({{"key", key_of_column.back()},
                           {"title", clean(column.title)},
                           {"unit", clean(column.unit)},
                           {"digits", column.digits}});
    }
    Json rows = array_of(table.rows, [&](const Row& row) {
        Json object = {{"ours", row.ours}};
        for (std::size_t i = 0; i < key_of_column.size(); ++i) {
            object[key_of_column[i]] = i < row.cells.size() ? json_of(row.cells[i]) : Json();
        }
        return object;
    });
    return {{"key", clean(table.key)},
            {"title", clean(table.title)},
            {"text", clean(table.text)},
            {"columns", std::move(columns)},
            {"rows", std::move(rows)}};
}

Table table_of(const Json& json) {
    Table table{text_of(json.at("key")), text_of(json.at("title")), text_of(json.at("text")), {}, {}};
    table.columns = list_of<Column>(json.at("columns"), [](const Json& column) {
        return Column{text_of(column.at("key")), text_of(column.at("title")), text_of(column.at("unit")),
                      column.at("digits").get<int>()};
    });
    table.rows = list_of<Row>(json.at("rows"), [&](const Json& object) {
        Row row{{}, object.at("ours").get<bool>()};
        for (const Column& column : table.columns) {
            row.cells.push_back(cell_of(object.at(column.key)));
        }
        return row;
    });
    return table;
}

Json json_of(const Axis& axis) {
    return {{"title", clean(axis.title)}, {"logarithmic", axis.logarithmic}};
}

Axis axis_of(const Json& json) {
    return {text_of(json.at("title")), json.at("logarithmic").get<bool>()};
}

Json json_of(const Series& series) {
    Json json = {{"name", clean(series.name)},
                 {"ours", series.ours},
                 {"points", array_of(series.points, [](const Point& point) {
                      return Json::array({json_of(point.x), json_of(point.y)});
                  })}};
    if (series.target) {
        json["target"] = true;
    }
    return json;
}

Json json_of(const Plot& plot) {
    return {{"key", clean(plot.key)},
            {"title", clean(plot.title)},
            {"text", clean(plot.text)},
            {"x", json_of(plot.x)},
            {"y", json_of(plot.y)},
            {"categories", array_of(plot.categories, clean)},
            {"series", array_of(plot.series, [](const Series& series) { return json_of(series); })}};
}

Plot plot_of(const Json& json) {
    return {text_of(json.at("key")),
            text_of(json.at("title")),
            text_of(json.at("text")),
            axis_of(json.at("x")),
            axis_of(json.at("y")),
            list_of<std::string>(json.at("categories"), text_of),
            list_of<Series>(json.at("series"), [](const Json& series) {
                return Series{text_of(series.at("name")),
                              list_of<Point>(series.at("points"),
                                             [](const Json& point) {
                                                 return Point{number_of(point.at(0)), number_of(point.at(1))};
                                             }),
                              series.at("ours").get<bool>(), series.value("target", false)};
            })};
}

Json json_of(const Section& section) {
    return {{"key", clean(section.key)},
            {"title", clean(section.title)},
            {"text", clean(section.text)},
            {"sentences", array_of(section.sentences, clean)},
            {"plots", array_of(section.plots, [](const Plot& plot) { return json_of(plot); })},
            {"tables", array_of(section.tables, [](const Table& table) { return json_of(table); })},
            {"promises", array_of(section.promises,
                                  [](const Promise& promise) -> Json {
                                      return {{"what", clean(promise.what)},
                                              {"measured", json_of(promise.measured)},
                                              {"limit", json_of(promise.limit)},
                                              {"at_least", promise.at_least},
                                              {"kept", promise.kept()}};
                                  })},
            {"left_out", array_of(section.left_out, [](const LeftOut& left_out) -> Json {
                 return {{"what", clean(left_out.what)}, {"why", clean(left_out.why)}};
             })}};
}

Section section_of(const Json& json) {
    return {text_of(json.at("key")),
            text_of(json.at("title")),
            text_of(json.at("text")),
            list_of<std::string>(json.at("sentences"), text_of),
            list_of<Plot>(json.at("plots"), plot_of),
            list_of<Table>(json.at("tables"), table_of),
            list_of<Promise>(json.at("promises"),
                             [](const Json& promise) {
                                 return Promise{text_of(promise.at("what")), number_of(promise.at("measured")),
                                                number_of(promise.at("limit")), promise.at("at_least").get<bool>()};
                             }),
            list_of<LeftOut>(json.at("left_out"), [](const Json& left_out) {
                return LeftOut{text_of(left_out.at("what")), text_of(left_out.at("why"))};
            })};
}

Report report_of(const Json& json) {
    if (json.at("schema") != schema) {
        throw std::runtime_error(fmt::format("its schema is {}, not {}", json.at("schema").dump(), schema));
    }
    Report report{text_of(json.at("title")),
                  text_of(json.at("command")),
                  text_of(json.at("date")),
                  {},
                  list_of<Section>(json.at("sections"), section_of)};
    const Json& titles = json.at("machine_titles");
    for (const auto& [key, value] : json.at("machine").items()) {
        report.facts.push_back({key, text_of(titles.at(key)), text_of(value)});
    }
    return report;
}

constexpr std::size_t text_width = 110;
constexpr std::string_view gap = "  ";

std::string padded(const std::string& text, std::size_t columns, bool right) {
    const std::string space(columns - std::min(columns, columns_of(text)), ' ');
    return right ? space + text : text + space;
}

void add_paragraph(std::string& out, const std::string& text, std::string_view first, std::string_view next) {
    for (const std::string& line : wrapped(clean(text), text_width - 10 - first.size())) {
        out += fmt::format("{}{}\n", first, line);
        first = next;
    }
}

struct TextColumn {
    bool numeric = false;
    std::size_t width = 0;
    std::size_t least = 0;  // numbers cannot be broken into lines
};

using Grid = std::vector<std::vector<std::string>>;

Grid grid_of(const Table& table, bool with_spread) {
    Grid grid;
    for (const Row& row : table.rows) {
        std::vector<std::string>& line = grid.emplace_back();
        for (std::size_t i = 0; i < table.columns.size(); ++i) {
            const CellText cell = cell_text(i < row.cells.size() ? row.cells[i] : Cell(), shown_digits(table, i));
            line.push_back(with_spread && !cell.spread.empty() ? fmt::format("{} {}", cell.value, cell.spread)
                                                               : cell.value);
        }
    }
    return grid;
}

// As wide as the widest cell or word of the title: titles of several words go on several lines.
std::vector<TextColumn> columns_for(const Table& table, const Grid& grid) {
    std::vector<TextColumn> columns;
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
        TextColumn column{is_numeric(table, i), std::max<std::size_t>(8, columns_of(clean(table.columns[i].unit))), 16};
        const std::string title = clean(table.columns[i].title);
        for (std::size_t at = 0, end = 0; at <= title.size(); at = end + 1) {
            end = std::min(title.find(' ', at), title.size());
            column.width = std::max(column.width, columns_of(std::string_view(title).substr(at, end - at)));
        }
        for (std::size_t y = 0; y < grid.size(); ++y) {
            const std::size_t width = columns_of(grid[y][i]);
            const bool words =
                i >= table.rows[y].cells.size() || std::holds_alternative<std::string>(table.rows[y].cells[i]);
            column.width = std::max(column.width, width);
            column.least = std::max(column.least, words ? 0 : width);
        }
        columns.push_back(column);
    }
    return columns;
}

std::size_t total(const std::vector<TextColumn>& columns) {
    std::size_t width = gap.size();
    for (const TextColumn& column : columns) {
        width += column.width + gap.size();
    }
    return width;
}

void add_lines(std::string& out, const std::vector<TextColumn>& columns, const Grid& cells, bool bottom,
               std::string_view mark) {
    std::size_t height = 1;
    for (const std::vector<std::string>& lines : cells) {
        height = std::max(height, lines.size());
    }
    for (std::size_t y = 0; y < height; ++y) {
        std::string line(y == 0 ? mark : gap);
        for (std::size_t i = 0; i < columns.size(); ++i) {
            const std::size_t above = bottom ? height - cells[i].size() : 0;
            const std::string text = y >= above && y - above < cells[i].size() ? cells[i][y - above] : "";
            line += padded(text, columns[i].width, columns[i].numeric);
            line += gap;
        }
        line.erase(line.find_last_not_of(' ') + 1);
        out += line + "\n";
    }
}

void add_table(std::string& out, const Table& table) {
    Grid grid = grid_of(table, true);
    std::vector<TextColumn> columns = columns_for(table, grid);
    if (total(columns) > text_width) {
        grid = grid_of(table, false);
        columns = columns_for(table, grid);
    }
    while (total(columns) > text_width) {
        const auto excess = [](const TextColumn& column) {
            return column.width - std::min(column.width, column.least);
        };
        const auto widest = std::max_element(columns.begin(), columns.end(),
                                             [&](const auto& a, const auto& b) { return excess(a) < excess(b); });
        if (excess(*widest) == 0) {
            break;
        }
        --widest->width;
    }
    Grid head;
    for (std::size_t i = 0; i < columns.size(); ++i) {
        Grid::value_type lines = wrapped(clean(table.columns[i].title), columns[i].width);
        if (!table.columns[i].unit.empty()) {
            lines.push_back(clean(table.columns[i].unit));
        }
        head.push_back(std::move(lines));
    }
    add_lines(out, columns, head, true, gap);
    for (std::size_t i = 0; i < grid.size(); ++i) {
        Grid cells;
        for (std::size_t column = 0; column < columns.size(); ++column) {
            cells.push_back(wrapped(grid[i][column], columns[column].width));
        }
        add_lines(out, columns, cells, false, table.rows[i].ours ? "* " : gap);
    }
}

}  // namespace

Spread spread_of(std::vector<double> values) {
    if (values.empty()) {
        throw std::logic_error("spread_of: no values");
    }
    std::sort(values.begin(), values.end());
    const std::size_t half = values.size() / 2;
    const double median = values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
    return {median, values.front(), values.back(), static_cast<int>(values.size())};
}

Json to_json(const Report& report) {
    Json machine = Json::object();
    Json titles = Json::object();
    for (const Fact& fact : report.facts) {
        const std::string key = unused(machine, fact.key);
        machine[key] = clean(fact.value);
        titles[key] = clean(fact.title);
    }
    return {{"schema", schema},
            {"title", clean(report.title)},
            {"command", clean(report.command)},
            {"date", clean(report.date)},
            {"machine", std::move(machine)},
            {"machine_titles", std::move(titles)},
            {"sections", array_of(report.sections, [](const Section& section) { return json_of(section); })}};
}

Report from_json(const Json& json) {
    try {
        Report report = report_of(json);
        // What is read and written again is the same, or it was not written by to_json.
        if (to_json(report) != json) {
            throw std::runtime_error("it holds something else, too");
        }
        return report;
    } catch (const std::exception& error) {
        throw std::runtime_error(fmt::format("not a report of vfilter-bench: {}", error.what()));
    }
}

std::string to_text(const Section& section) {
    const std::string title = clean(section.title);
    std::string out = fmt::format("{}\n{}\n", title, std::string(columns_of(title), '='));
    for (const std::string& sentence : section.sentences) {
        add_paragraph(out, sentence, "- ", "  ");
    }
    if (!section.text.empty()) {
        out += "\n";
        add_paragraph(out, section.text, "", "");
    }
    bool ours = false;
    for (const Table& table : section.tables) {
        out += fmt::format("\n{}\n", clean(table.title));
        if (!table.text.empty()) {
            add_paragraph(out, table.text, "", "");
        }
        out += "\n";
        add_table(out, table);
        ours = ours || std::any_of(table.rows.begin(), table.rows.end(), [](const Row& row) { return row.ours; });
    }
    if (ours) {
        out += "\n* vfilter\n";
    }
    if (!section.promises.empty()) {
        Table table{
            "", "", "", {{"", "", "", 3}, {"", "promised", "", 3}, {"", "measured", "", 3}, {"", "aim", "", 3}}, {}};
        for (const Promise& promise : section.promises) {
            const PromiseText text = promise_text(promise);
            table.rows.push_back({{std::string(promise.kept() ? "ok" : "MISS"), promise.what, text.measured,
                                   fmt::format("at {} {}", promise.at_least ? "least" : "most", text.limit)},
                                  false});
        }
        out += "\n";
        add_table(out, table);
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
