#include "bench/report.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace vfilter::bench {

namespace {

using Json = nlohmann::ordered_json;

constexpr int schema = 1;

// JSON has no other numbers.
Json json_of(double number) {
    return std::isfinite(number) ? Json(number) : Json();
}

struct CellWriter {
    Json operator()(std::monostate /*empty*/) const { return {}; }
    Json operator()(const std::string& text) const { return text; }
    Json operator()(double number) const { return json_of(number); }
    Json operator()(const Spread& spread) const {
        return {{"median", json_of(spread.median)},
                {"lowest", json_of(spread.lowest)},
                {"highest", json_of(spread.highest)},
                {"runs", spread.runs}};
    }
};

// Every list of the report is an array, written item by item.
Json array_of(const auto& items, const auto& write) {
    Json array = Json::array();
    for (const auto& item : items) {
        array.push_back(write(item));
    }
    return array;
}

Json json_of_table(const Table& table) {
    Json columns = array_of(table.columns, [](const Column& column) -> Json {
        return {{"key", column.key}, {"title", column.title}, {"unit", column.unit}, {"digits", column.digits}};
    });
    Json rows = array_of(table.rows, [&](const Row& row) {
        Json object = {{"ours", row.ours}};
        for (std::size_t i = 0; i < table.columns.size(); ++i) {
            object[table.columns[i].key] = i < row.cells.size() ? std::visit(CellWriter(), row.cells[i]) : Json();
        }
        return object;
    });
    return {{"key", table.key},
            {"title", table.title},
            {"text", table.text},
            {"columns", std::move(columns)},
            {"rows", std::move(rows)}};
}

Json json_of_plot(const Plot& plot) {
    const auto axis = [](const Axis& one) -> Json { return {{"title", one.title}, {"logarithmic", one.logarithmic}}; };
    const auto point = [](const Point& one) { return Json::array({json_of(one.x), json_of(one.y)}); };
    const auto series = [&](const Series& one) {
        Json json = {{"name", one.name}, {"ours", one.ours}, {"points", array_of(one.points, point)}};
        if (one.target) {
            json["target"] = true;
        }
        return json;
    };
    return {{"key", plot.key},
            {"title", plot.title},
            {"text", plot.text},
            {"x", axis(plot.x)},
            {"y", axis(plot.y)},
            {"categories", plot.categories},
            {"series", array_of(plot.series, series)}};
}

Json json_of_promise(const Promise& promise) {
    return {{"what", promise.what},
            {"measured", json_of(promise.measured)},
            {"limit", json_of(promise.limit)},
            {"at_least", promise.at_least},
            {"kept", promise.kept()}};
}

Json json_of_section(const Section& section) {
    return {{"key", section.key},
            {"title", section.title},
            {"text", section.text},
            {"sentences", section.sentences},
            {"plots", array_of(section.plots, json_of_plot)},
            {"tables", array_of(section.tables, json_of_table)},
            {"promises", array_of(section.promises, json_of_promise)},
            {"left_out", array_of(section.left_out, [](const LeftOut& one) -> Json {
                 return {{"what", one.what}, {"why", one.why}};
             })}};
}

}  // namespace

Spread spread_of(std::vector<double> values) {
    if (values.empty()) {
        throw std::logic_error("spread_of: no values");
    }
    std::ranges::sort(values);
    const std::size_t half = values.size() / 2;
    const double median = values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
    return {median, values.front(), values.back(), static_cast<int>(values.size())};
}

std::string joined(const std::vector<std::string>& words, std::string_view last) {
    std::string text;
    for (std::size_t i = 0; i < words.size(); ++i) {
        text += (i == 0 ? "" : i + 1 == words.size() ? " " + std::string(last) + " " : ", ") + words[i];
    }
    return text;
}

nlohmann::ordered_json to_json(const Report& report) {
    Json machine = Json::object();
    Json titles = Json::object();
    for (const Fact& fact : report.facts) {
        machine[fact.key] = fact.value;
        titles[fact.key] = fact.title;
    }
    return {{"schema", schema},
            {"title", report.title},
            {"command", report.command},
            {"date", report.date},
            {"machine", std::move(machine)},
            {"machine_titles", std::move(titles)},
            {"sections", array_of(report.sections, json_of_section)}};
}

}  // namespace vfilter::bench
