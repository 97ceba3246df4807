#pragma once
// Words and numbers as all writers of a report show them.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "bench/report.h"

namespace vfilter::bench {

/// `digits` significant ones, but all of those before the point: 14,648; 58.2; 0.0712. A dash for what is no number.
std::string number_text(double value, int digits);

/// As short as it can be, for the tick of an axis: 0.5; 20; 5,000; 2M.
std::string tick_text(double value);

/// How far the runs lie apart: "±1.2 %", or "4.1–9.3" where a percentage would hide how lopsided they are. Empty if
/// there was one run.
std::string spread_text(const Spread& spread, int digits);

/// A cell as words: its value, and its spread where it has one.
struct CellText {
    std::string value;
    std::string spread;
};
CellText cell_text(const Cell& cell, int digits);

/// Of a column of `table`: whether it holds numbers, and how many significant digits they get. Where all are whole
/// numbers, such as sizes, they have nothing behind the point.
bool is_numeric(const Table& table, std::size_t column);
int shown_digits(const Table& table, std::size_t column);

/// Both sides of a promise, with as many digits as it takes to see that one that is not kept is not.
struct PromiseText {
    std::string measured;
    std::string limit;
};
PromiseText promise_text(const Promise& promise);

/// Valid UTF-8 without control characters; U+FFFD stands for what is neither.
std::string clean(std::string_view text);

/// For text and attributes of HTML and XML.
std::string escaped(std::string_view text);

/// How many columns of a terminal it takes; and how wide about it is in a sans-serif font of size 1.
std::size_t columns_of(std::string_view text);
double width_of(std::string_view text);

/// At most `columns` wide, with an ellipsis in place of the rest.
std::string shortened(std::string_view text, std::size_t columns);

/// Lines of at most `columns`, broken between words, and within words that are longer. At least one line.
std::vector<std::string> wrapped(std::string_view text, std::size_t columns);

}  // namespace vfilter::bench
