#include "bench/plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "bench/text.h"

namespace vfilter::bench {

namespace {

constexpr std::size_t muted_colours = 8;

struct Palette {
    std::string_view text, quiet, grid, axis, ground, ours;
    std::string_view others[muted_colours];
};
// Contrast with the ground: text and series at least 4.5. Neighbours in the list differ in hue and in lightness.
constexpr Palette palettes[] = {
    {"#1c2430",
     "#566070",
     "#e3e7ec",
     "#98a2b0",
     "#ffffff",
     "#c8400a",
     {"#5f6b7a", "#1d4f91", "#23807a", "#8a5fb0", "#1f2f4a", "#7c7420", "#a3487c", "#2c7fb8"}},
    {"#e8ecf2",
     "#a5afbd",
     "#2b333e",
     "#66707e",
     "#161b22",
     "#ff8a4a",
     {"#a7b1bf", "#6fa8ee", "#55c7b8", "#c3a3ea", "#dfe7f2", "#cfc667", "#e894c2", "#62cdf0"}},
};

constexpr std::string_view font_family =
    "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif";

// Around a point, about nine units wide. As many as have no common factor with the colours: no two series of 56 are
// alike.
constexpr std::string_view markers[] = {
    "m-4,0a4,4 0 1,0 8,0a4,4 0 1,0 -8,0z",
    "m-3.6,-3.6h7.2v7.2h-7.2z",
    "m0,-4.8l4.6,8h-9.2z",
    "m0,-5.2l5.2,5.2l-5.2,5.2l-5.2,-5.2z",
    "m0,4.8l4.6,-8h-9.2z",
    "m-1.6,-4.8h3.2v3.2h3.2v3.2h-3.2v3.2h-3.2v-3.2h-3.2v-3.2h3.2z",
    "m-2.2,-4.4h4.4l2.6,4.4l-2.6,4.4h-4.4l-2.6,-4.4z",
};

constexpr std::string_view dashes[] = {"", "7 4", "2 3"};

struct Look {
    double width;
    double font;
    bool at_ends;        // names beside the ends of lines, and beside bars
    double plot_height;  // of lines
    double bar;          // how thick
    double most_label;   // as a share of the width, what stands beside bars
    std::size_t y_ticks;
    double tick_distance;  // between the middles of ticks on x
};
constexpr Look looks[] = {
    {960, 15, true, 400, 22, 0.34, 9, 60},
    {350, 13, false, 280, 18, 1, 7, 46},
};

constexpr double bold = 1.1;  // how much wider letters are

double width_of_text(std::string_view text, double font) {
    return width_of(text) * font;
}

// How much of a text fits, as columns of a terminal: of capitals less than of small letters.
std::size_t columns_in(double width, double font, std::string_view text) {
    const double letter = width_of(text) / static_cast<double>(std::max<std::size_t>(1, columns_of(text)));
    return static_cast<std::size_t>(std::max(4.0, width / (std::max(0.58, letter) * font * bold)));
}

struct Scale {
    double low = 0;
    double high = 1;
    bool logarithmic = false;
    double from = 0;
    double to = 1;

    [[nodiscard]] double at(double value) const {
        const double share = logarithmic ? std::log(value / low) / std::log(high / low) : (value - low) / (high - low);
        return from + share * (to - from);
    }
};

bool fits(const Axis& axis, double value) {
    // What is further out would overflow in the arithmetic of the axis.
    constexpr double largest = 1e100;
    return std::isfinite(value) && std::abs(value) < largest && (!axis.logarithmic || value > 1 / largest);
}

// The next round number that is not above, or not below.
double round_out(double value, bool up) {
    const double power = std::pow(10.0, std::floor(std::log10(value)));
    double best = up ? 10 * power : power;
    for (const double factor : {1.0, 2.0, 5.0}) {
        const double round = factor * power;
        if (up && round >= value * (1 - 1e-9)) {
            return round;
        }
        best = !up && round <= value * (1 + 1e-9) ? round : best;
    }
    return best;
}

// From zero, or logarithmic, from a round number to a round number.
Scale scale_of_values(const Axis& axis, double lowest, double highest, std::size_t ticks) {
    Scale scale{0, 1, axis.logarithmic, 0, 1};
    if (axis.logarithmic) {
        scale.low = round_out(lowest, false);
        scale.high = round_out(highest, true);
        if (scale.low >= scale.high) {
            scale.high = round_out(2 * scale.low, true);
        }
        return scale;
    }
    scale.low = std::min(0.0, lowest);
    scale.high = std::max(0.0, highest);
    if (scale.low == scale.high) {
        scale.high = 1;
    }
    const std::vector<double> round = linear_ticks(scale.low, scale.high, ticks);
    const double step = round.size() > 1 ? round[1] - round[0] : scale.high - scale.low;
    scale.low = step * std::floor(scale.low / step + 1e-9);
    scale.high = step * std::ceil(scale.high / step - 1e-9);
    return scale;
}

std::vector<double> ticks_of(const Scale& scale, std::size_t most) {
    return scale.logarithmic ? log_ticks(scale.low, scale.high, most) : linear_ticks(scale.low, scale.high, most);
}

struct Style {
    std::size_t colour = 0;
    std::size_t dash = 0;
    std::size_t marker = 0;
    bool ours = false;
    bool target = false;

    [[nodiscard]] std::string name() const { return ours ? "o" : std::to_string(colour); }
};

std::vector<Style> styles_of(const std::vector<Series>& series) {
    std::vector<Style> styles;
    std::size_t ours = 0;
    std::size_t others = 0;
    for (const Series& one : series) {
        if (one.target) {
            styles.push_back({0, 0, 0, false, true});
        } else if (one.ours) {
            styles.push_back({0, ours % std::size(dashes), ours % std::size(markers), true});
            ++ours;
        } else {
            styles.push_back({others % muted_colours, others / muted_colours % std::size(dashes),
                              (others + 1) % std::size(markers), false});
            ++others;
        }
    }
    return styles;
}

// A marker of the legend and of a line, or what a bar looks like.
enum class Swatch { line, bar };

class Drawing {
public:
    Drawing(const Plot& plot, PlotSize size) : plot_(plot), look_(looks[static_cast<std::size_t>(size)]) {}

    std::string draw(const std::string& id);
    std::string draw_alone();

private:
    void text(double x, double y, std::string_view anchor, std::string_view classes, std::string_view words);
    void line(double x1, double y1, double x2, double y2, std::string_view classes);
    void marker(const Style& style, double x, double y, const std::string& tip, bool hidden = false);
    void target(double x, double y, const std::string& tip);
    void legend(Swatch kind);
    void swatch(Swatch kind, const Style& style, double x);
    void nothing();
    [[nodiscard]] std::string description() const;

    void lines();
    [[nodiscard]] std::optional<Scale> scale_of_x() const;
    [[nodiscard]] std::vector<double> ticks_of_x(const Scale& scale) const;
    struct End {
        std::size_t series;
        double wanted;  // where the line ends
        double y;
    };
    [[nodiscard]] std::string end_name(const End& end) const;
    [[nodiscard]] std::vector<End> ends(const Scale& x, const Scale& y) const;
    void curve(const Scale& x, const Scale& y, std::size_t index);

    void bars();
    struct Bar {
        std::size_t series;
        double value;
    };
    [[nodiscard]] std::vector<std::vector<Bar>> groups() const;
    [[nodiscard]] std::string bar_name(const Bar& bar) const;
    double group(const std::vector<std::string>& name, const std::vector<Bar>& bars, const Scale& scale, double y);

    [[nodiscard]] double line_height() const { return 1.4 * look_.font; }
    [[nodiscard]] bool shows(const Point& point) const { return fits(plot_.x, point.x) && fits(plot_.y, point.y); }

    const Plot& plot_;
    const Look& look_;
    std::vector<Style> styles_ = styles_of(plot_.series);
    bool has_groups_ = false;  // of several bars
    double y_ = 0;             // how far down it is drawn
    std::string out_;
};

void Drawing::text(double x, double y, std::string_view anchor, std::string_view classes, std::string_view words) {
    const std::string end = anchor.empty() ? "" : fmt::format(" text-anchor=\"{}\"", anchor);
    out_ +=
        fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\"{} class=\"{}\">{}</text>\n", x, y, end, classes, escaped(words));
}

void Drawing::line(double x1, double y1, double x2, double y2, std::string_view classes) {
    out_ += fmt::format("<path d=\"M{:.1f},{:.1f}L{:.1f},{:.1f}\" class=\"{}\"/>\n", x1, y1, x2, y2, classes);
}

void Drawing::marker(const Style& style, double x, double y, const std::string& tip, bool hidden) {
    const std::string title = tip.empty() ? "" : fmt::format("<title>{}</title>", escaped(tip));
    out_ += fmt::format("<path d=\"M{:.1f},{:.1f}{}\" class=\"m f{}{}\">{}</path>\n", x, y, markers[style.marker],
                        style.name(), hidden ? " h" : "", title);
}

// As wide as a line's marker and its surroundings: it shows from behind one.
void Drawing::target(double x, double y, const std::string& tip) {
    const std::string title = tip.empty() ? "" : fmt::format("<title>{}</title>", escaped(tip));
    out_ += fmt::format("<path d=\"M{:.1f},{:.1f}h18\" class=\"w\">{}</path>\n", x - 9, y, title);
}

void Drawing::swatch(Swatch kind, const Style& style, double x) {
    const double middle = y_ + line_height() / 2;
    if (kind == Swatch::bar) {
        out_ += fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"14\" height=\"14\" rx=\"2\" class=\"f{} p{}\"/>\n",
                            x + 10, middle - 7, style.name(), style.dash);
        return;
    }
    if (style.target) {
        target(x + 13, middle, "");
        return;
    }
    line(x, middle, x + 26, middle, fmt::format("l l{} d{}", style.name(), style.dash));
    marker(style, x + 13, middle, "");
}

void Drawing::legend(Swatch kind) {
    const double space = 32;
    const double between = 20;
    double x = 0;
    const double start = kind == Swatch::bar ? -10 : 0;  // its swatch is narrower
    for (std::size_t i = 0; i < plot_.series.size(); ++i) {
        const std::string name = shortened(clean(plot_.series[i].name),
                                           columns_in(look_.width - space - start, look_.font, plot_.series[i].name));
        const double width = space + start + (styles_[i].ours ? bold : 1) * width_of_text(name, look_.font);
        if (x > 0 && x + width > look_.width) {
            x = 0;
            y_ += line_height();
        }
        swatch(kind, styles_[i], x + start);
        text(x + space + start, y_ + line_height() / 2 + 0.35 * look_.font, "", styles_[i].ours ? "t b" : "t", name);
        x += width + between;
    }
    y_ += line_height() + 10;
}

void Drawing::nothing() {
    text(0, y_ + look_.font, "", "q", "no values");
    y_ += 2 * look_.font;
}

std::optional<Scale> Drawing::scale_of_x() const {
    Scale scale{std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity(), plot_.x.logarithmic};
    for (const Series& series : plot_.series) {
        for (const Point& point : series.points) {
            if (shows(point)) {
                scale.low = std::min(scale.low, point.x);
                scale.high = std::max(scale.high, point.x);
            }
        }
    }
    if (scale.low > scale.high) {
        return std::nullopt;
    }
    if (scale.low == scale.high) {
        const double around = scale.low == 0 ? 1 : std::abs(scale.low) / 2;
        scale = {scale.low - around, scale.high + around, scale.logarithmic};
    }
    return scale;
}

// Where something was measured, as long as that is readable.
std::vector<double> Drawing::ticks_of_x(const Scale& scale) const {
    std::vector<double> values;
    for (const Series& series : plot_.series) {
        for (const Point& point : series.points) {
            if (shows(point)) {
                values.push_back(point.x);
            }
        }
    }
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
    for (std::size_t i = 1; i < values.size(); ++i) {
        const double needed = 12 + width_of_text(tick_text(values[i - 1]) + tick_text(values[i]), look_.font) / 2;
        if (scale.at(values[i]) - scale.at(values[i - 1]) < needed) {
            const double most = std::abs(scale.to - scale.from) / look_.tick_distance;
            return ticks_of(scale, static_cast<std::size_t>(std::max(2.0, most)));
        }
    }
    return values;
}

std::string Drawing::end_name(const End& end) const {
    return shortened(clean(plot_.series[end.series].name), 30);
}

// Names beside the lines that go on to the right edge: each as near to its line as the others let it. None of them, if
// there is no room for all.
std::vector<Drawing::End> Drawing::ends(const Scale& x, const Scale& y) const {
    std::vector<End> result;
    for (std::size_t i = 0; i < plot_.series.size(); ++i) {
        const auto& points = plot_.series[i].points;
        const auto last =
            std::find_if(points.rbegin(), points.rend(), [&](const Point& point) { return shows(point); });
        if (!styles_[i].target && last != points.rend() && x.at(last->x) > x.to - 0.03 * (x.to - x.from)) {
            result.push_back({i, y.at(last->y), y.at(last->y)});
        }
    }
    const double distance = 1.2 * look_.font;
    if (static_cast<double>(result.size()) * distance > std::abs(y.to - y.from)) {
        return {};
    }
    std::stable_sort(result.begin(), result.end(), [](const End& a, const End& b) { return a.wanted < b.wanted; });
    // Too near ones share the room around their middle.
    for (int round = 0; round < 500; ++round) {
        for (std::size_t i = 1; i < result.size(); ++i) {
            const double lack = distance - (result[i].y - result[i - 1].y);
            if (lack > 0.05) {
                result[i - 1].y -= lack / 2;
                result[i].y += lack / 2;
            }
        }
        for (End& end : result) {
            end.y = std::clamp(end.y, std::min(y.from, y.to), std::max(y.from, y.to));
        }
    }
    return result;
}

void Drawing::curve(const Scale& x, const Scale& y, std::size_t index) {
    const Series& series = plot_.series[index];
    const Style& style = styles_[index];
    const auto tip = [&](const Point& point) {
        return fmt::format("{}\n{}: {}\n{}: {}", series.name, plot_.x.title, tick_text(point.x), plot_.y.title,
                           number_text(point.y, 3));
    };
    if (style.target) {
        for (const Point& point : series.points) {
            if (shows(point)) {
                target(x.at(point.x), y.at(point.y), tip(point));
            }
        }
        return;
    }
    std::string path;
    bool drawing = false;
    for (const Point& point : series.points) {
        if (shows(point)) {
            path += fmt::format("{}{:.1f},{:.1f}", drawing ? 'L' : 'M', x.at(point.x), y.at(point.y));
        }
        drawing = shows(point);
    }
    if (path.empty()) {
        return;
    }
    out_ += fmt::format("<path d=\"{}\" class=\"l l{} d{}\"/>\n", path, style.name(), style.dash);
    // Where points are dense, not every one is marked; but each can be pointed at.
    double marked = -std::numeric_limits<double>::infinity();
    for (const Point& point : series.points) {
        if (shows(point)) {
            const bool hidden = std::abs(x.at(point.x) - marked) < 12;
            marked = hidden ? marked : x.at(point.x);
            marker(style, x.at(point.x), y.at(point.y), tip(point), hidden);
        }
    }
}

void Drawing::lines() {
    std::optional<Scale> x = scale_of_x();
    if (!x) {
        nothing();
        return;
    }
    double lowest = std::numeric_limits<double>::infinity();
    double highest = -lowest;
    for (const Series& series : plot_.series) {
        for (const Point& point : series.points) {
            if (shows(point)) {
                lowest = std::min(lowest, point.y);
                highest = std::max(highest, point.y);
            }
        }
    }
    legend(Swatch::line);
    for (const std::string& words : wrapped(clean(plot_.y.title), columns_in(look_.width, look_.font, plot_.y.title))) {
        text(0, y_ + look_.font, "", "q", words);
        y_ += line_height();
    }
    y_ += 0.7 * look_.font;

    Scale y = scale_of_values(plot_.y, lowest, highest, look_.y_ticks);
    y.from = y_ + look_.plot_height;
    y.to = y_;
    const std::vector<double> y_ticks = ticks_of(y, look_.y_ticks);
    double left = 0;
    for (const double tick : y_ticks) {
        left = std::max(left, width_of_text(tick_text(tick), look_.font));
    }
    x->from = left + 20;
    x->to = look_.width - 14;
    const double to_name = 14;
    std::vector<End> names;
    if (look_.at_ends) {
        double right = 0;
        names = ends(*x, y);
        for (const End& end : names) {
            right = std::max(right, bold * width_of_text(end_name(end), look_.font));
        }
        x->to -= names.empty() ? 0 : right + to_name;
    }

    for (const double tick : y_ticks) {
        line(x->from - 10, y.at(tick), x->to + 6, y.at(tick), "g");
        text(x->from - 15, y.at(tick) + 0.35 * look_.font, "end", "q", tick_text(tick));
    }
    line(x->from - 10, y.from, x->to + 6, y.from, "a");
    for (const double tick : ticks_of_x(*x)) {
        line(x->at(tick), y.from, x->at(tick), y.from + 5, "a");
        text(x->at(tick), y.from + 8 + look_.font, "middle", "q", tick_text(tick));
    }
    // Ours last, and so on top.
    for (const bool ours : {false, true}) {
        for (std::size_t i = 0; i < plot_.series.size(); ++i) {
            if (plot_.series[i].ours == ours) {
                curve(*x, y, i);
            }
        }
    }
    for (const End& end : names) {
        const Style& style = styles_[end.series];
        if (std::abs(end.y - end.wanted) > 4) {
            line(x->to + 6, end.wanted, x->to + to_name - 1, end.y, "a");
        }
        text(x->to + to_name + 1, end.y + 0.35 * look_.font, "",
             fmt::format("f{}{}", style.name(), style.ours ? " b" : ""), end_name(end));
    }
    y_ = y.from + 10 + look_.font;
    for (const std::string& words :
         wrapped(clean(plot_.x.title), columns_in(x->to - x->from, look_.font, plot_.x.title))) {
        y_ += line_height();
        text((x->from + x->to) / 2, y_, "middle", "q", words);
    }
    y_ += 8;
}

std::vector<std::vector<Drawing::Bar>> Drawing::groups() const {
    std::vector<std::vector<Bar>> result(plot_.categories.size());
    for (std::size_t i = 0; i < plot_.series.size(); ++i) {
        for (const Point& point : plot_.series[i].points) {
            for (std::size_t category = 0; category < result.size(); ++category) {
                if (point.x == static_cast<double>(category) && fits(plot_.y, point.y)) {
                    result[category].push_back({i, point.y});
                }
            }
        }
    }
    return result;
}

// What the legend says, once more beside the bar, where there is room and not just one bar for each category.
std::string Drawing::bar_name(const Bar& bar) const {
    return look_.at_ends && has_groups_ ? shortened(clean(plot_.series[bar.series].name), 22) : "";
}

double Drawing::group(const std::vector<std::string>& name, const std::vector<Bar>& bars, const Scale& scale,
                      double y) {
    const double step = look_.bar + 4;
    const double height = step * static_cast<double>(std::max<std::size_t>(1, bars.size()));
    const double name_height = line_height() * static_cast<double>(name.size());
    const bool beside = look_.at_ends;
    const double top = beside ? y + std::max(0.0, (name_height - height) / 2) : y + name_height + 2;
    double baseline = beside ? top + (height - 4) / 2 - name_height / 2 + line_height() / 2 : y + line_height() / 2;
    const bool ours = std::any_of(bars.begin(), bars.end(), [&](const Bar& bar) { return styles_[bar.series].ours; });
    for (const std::string& words : name) {
        text(beside ? scale.from - 14 : 5, baseline + 0.35 * look_.font, beside ? "end" : "", ours ? "t b" : "t",
             words);
        baseline += line_height();
    }
    const double zero = scale.at(scale.logarithmic ? scale.low : 0);
    double at = top;
    for (const Bar& bar : bars) {
        const Style& style = styles_[bar.series];
        const double end = scale.at(bar.value);
        std::string tip = plot_.series[bar.series].name;
        tip += fmt::format("\n{}: {}", plot_.y.title, number_text(bar.value, 3));
        out_ += fmt::format(
            "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" rx=\"2\" "
            "class=\"f{} p{}\"><title>{}</title></rect>\n",
            std::min(zero, end), at, std::max(1.0, std::abs(end - zero)), look_.bar, style.name(), style.dash,
            escaped(tip));
        const std::string value = number_text(bar.value, 3);
        const double middle = at + look_.bar / 2 + 0.35 * look_.font;
        text(std::max(zero, end) + 7, middle, "", style.ours ? "t b" : "t", value);
        if (const std::string words = bar_name(bar); !words.empty()) {
            text(std::max(zero, end) + 14 + (style.ours ? bold : 1) * width_of_text(value, look_.font), middle, "", "q",
                 words);
        }
        at += step;
    }
    if (bars.empty()) {
        text(zero + 7, top + look_.bar / 2 + 0.35 * look_.font, "", "q", "–");
    }
    return beside ? y + std::max(height, name_height) : top + height;
}

void Drawing::bars() {
    const std::vector<std::vector<Bar>> all = groups();
    double lowest = std::numeric_limits<double>::infinity();
    double highest = -lowest;
    double right = 0;
    has_groups_ = std::any_of(all.begin(), all.end(), [](const std::vector<Bar>& bars) { return bars.size() > 1; });
    for (const std::vector<Bar>& bars : all) {
        for (const Bar& bar : bars) {
            lowest = std::min(lowest, bar.value);
            highest = std::max(highest, bar.value);
            right = std::max(right, bold * width_of_text(number_text(bar.value, 3), look_.font) +
                                        (bar_name(bar).empty() ? 0 : 10 + width_of_text(bar_name(bar), look_.font)));
        }
    }
    if (lowest > highest) {
        nothing();
        return;
    }
    if (plot_.series.size() > 1) {
        legend(Swatch::bar);
    }
    double left = 0;
    std::vector<std::vector<std::string>> names;
    for (const std::string& category : plot_.categories) {
        names.push_back(wrapped(clean(category), columns_in(look_.most_label * look_.width, look_.font, category)));
        if (names.back().size() > 3) {
            names.back().resize(3);
            names.back().back() += "…";
        }
        for (const std::string& words : names.back()) {
            left = std::max(left, look_.at_ends ? 16 + bold * width_of_text(words, look_.font) : 0);
        }
    }
    // Logarithmic, the shortest bar would otherwise have next to no length.
    Scale scale = scale_of_values(plot_.y, plot_.y.logarithmic ? lowest / 2 : lowest, highest, look_.y_ticks);
    scale.from = left;
    scale.to = look_.width - 12 - right;
    const double widest_tick = width_of_text(tick_text(scale.high), look_.font) + 24;
    const std::vector<double> ticks =
        ticks_of(scale, static_cast<std::size_t>(std::max(2.0, (scale.to - scale.from) / std::max(widest_tick, 50.0))));

    // The grid is as high as what stands on it, and lies below it.
    const double top = y_;
    const std::string before = std::exchange(out_, "");
    for (std::size_t i = 0; i < all.size(); ++i) {
        y_ = group(names[i], all[i], scale, y_ + (i == 0 ? 4 : 14));
    }
    const std::string drawn = std::exchange(out_, before);
    y_ += 6;
    for (const double tick : ticks) {
        const double x = scale.at(tick);
        line(x, top, x, y_, "g");
        const bool first = tick == ticks.front() && !look_.at_ends;
        text(x, y_ + 4 + look_.font, first ? "" : "middle", "q", tick_text(tick));
    }
    out_ += drawn;
    const double zero = scale.at(scale.logarithmic ? scale.low : 0);
    line(zero, top, zero, y_, "a");
    y_ += 8 + look_.font;
    for (const std::string& words :
         wrapped(clean(plot_.y.title), columns_in(look_.width - scale.from, look_.font, plot_.y.title))) {
        y_ += line_height();
        text(scale.from, y_, "", "q", words);
    }
    y_ += 8;
}

std::string Drawing::description() const {
    std::string names;
    for (const Series& series : plot_.series) {
        names += fmt::format("{}{}", names.empty() ? "" : ", ", series.name);
    }
    const std::string over = plot_.x.title.empty() ? "" : fmt::format(" over {}", plot_.x.title);
    const std::string kind = plot_.categories.empty() ? "lines" : "bars";
    return fmt::format("{}{}, {}: {}. {}", plot_.y.title, over, kind, names, plot_.text);
}

std::string Drawing::draw(const std::string& id) {
    plot_.categories.empty() ? lines() : bars();
    return fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {:.0f} {:.0f}\" class=\"plot {}\" role=\"img\" "
        "aria-labelledby=\"{}-title {}-desc\" font-size=\"{:.0f}\">\n"
        "<title id=\"{}-title\">{}</title>\n<desc id=\"{}-desc\">{}</desc>\n{}</svg>\n",
        look_.width, std::ceil(y_), look_.at_ends ? "wide" : "narrow", id, id, look_.font, id, escaped(plot_.title), id,
        escaped(description()), out_);
}

// With a heading, and a ground of its own: what it stands on may be light or dark.
std::string Drawing::draw_alone() {
    const double margin = 28;
    const double heading = 1.3 * look_.font;
    for (const std::string& words : wrapped(clean(plot_.title), columns_in(look_.width, heading, plot_.title))) {
        out_ += fmt::format("<text x=\"0\" y=\"{:.1f}\" font-size=\"{:.1f}\" class=\"t b\">{}</text>\n",
                            y_ + look_.font, heading, escaped(words));
        y_ += 1.3 * heading;
    }
    y_ += 12;
    plot_.categories.empty() ? lines() : bars();
    const double width = look_.width + 2 * margin;
    const double height = std::ceil(y_) + 2 * margin - 8;
    const Palette& palette = palettes[static_cast<std::size_t>(Scheme::light)];
    return fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {:.0f} {:.0f}\" width=\"{:.0f}\" height=\"{:.0f}\" "
        "class=\"plot\" role=\"img\" aria-labelledby=\"plot-title plot-desc\" font-size=\"{:.0f}\">\n"
        "<title id=\"plot-title\">{}</title>\n<desc id=\"plot-desc\">{}</desc>\n<style>\n{}</style>\n"
        "<rect x=\"0.5\" y=\"0.5\" width=\"{:.0f}\" height=\"{:.0f}\" rx=\"10\" fill=\"{}\" stroke=\"{}\"/>\n"
        "<g transform=\"translate({:.0f},{:.0f})\">\n{}</g>\n</svg>\n",
        width, height, width, height, look_.font, escaped(plot_.title), escaped(description()),
        plot_style(Scheme::light), width - 1, height - 1, palette.ground, palette.grid, margin, margin, out_);
}

}  // namespace

std::vector<double> log_ticks(double low, double high, std::size_t most) {
    static const std::vector<double> factor_sets[] = {{1, 2, 3, 4, 5, 6, 7, 8, 9}, {1, 2, 5}, {1}};
    const int first = static_cast<int>(std::floor(std::log10(low)));
    const int last = static_cast<int>(std::ceil(std::log10(high)));
    // Then one for so many decades.
    for (std::size_t attempt = 0; first <= last; ++attempt) {
        const std::size_t sets = std::size(factor_sets);
        const std::vector<double>& factors = factor_sets[std::min(attempt, sets - 1)];
        const int decades = attempt < sets ? 1 : static_cast<int>(attempt - sets) + 2;
        std::vector<double> ticks;
        for (int exponent = first; exponent <= last; exponent += decades) {
            for (const double factor : factors) {
                // Divided by what is a whole number, tenths are the nearest to what is written.
                const double tick =
                    exponent < 0 ? factor / std::pow(10.0, -exponent) : factor * std::pow(10.0, exponent);
                if (tick >= low * (1 - 1e-9) && tick <= high * (1 + 1e-9)) {
                    ticks.push_back(tick);
                }
            }
        }
        if (ticks.size() <= std::max<std::size_t>(1, most)) {
            return ticks;
        }
    }
    return {};
}

std::vector<double> linear_ticks(double low, double high, std::size_t most) {
    if (!(high > low)) {
        return {low};
    }
    const double least = (high - low) / static_cast<double>(std::max<std::size_t>(1, most - 1));
    const double step = round_out(least, true);
    std::vector<double> ticks;
    const double first = std::ceil(low / step - 1e-9);
    for (std::size_t i = 0; i < std::max<std::size_t>(2, most); ++i) {
        // Divided by a whole number, tenths are the nearest to what is written; and zero is not -0.
        const double number = first + static_cast<double>(i);
        const double tick = (step < 1 ? number / std::round(1 / step) : number * step) + 0.0;
        if (tick > high + 1e-9 * step) {
            break;
        }
        ticks.push_back(tick);
    }
    return ticks;
}

std::string plot_style(Scheme scheme) {
    const Palette& palette = palettes[static_cast<std::size_t>(scheme)];
    std::string style = fmt::format(".plot{{font-family:{}}}\n", font_family);
    const auto rule = [&](std::string_view name, const std::string& what) {
        style += fmt::format(".plot .{}{{{}}}\n", name, what);
    };
    rule("t", fmt::format("fill:{}", palette.text));
    rule("q", fmt::format("fill:{}", palette.quiet));
    rule("b", "font-weight:650");
    rule("g", fmt::format("stroke:{};fill:none", palette.grid));
    rule("a", fmt::format("stroke:{};fill:none", palette.axis));
    rule("l", "fill:none;stroke-width:2;stroke-linejoin:round");
    rule("m", fmt::format("stroke:{};stroke-width:1", palette.ground));
    rule("h", "opacity:0");
    rule("w", fmt::format("stroke:{};fill:none;stroke-width:3;stroke-linecap:round;opacity:0.6", palette.quiet));
    for (std::size_t i = 1; i < std::size(dashes); ++i) {
        rule(fmt::format("d{}", i), fmt::format("stroke-dasharray:{}", dashes[i]));
        rule(fmt::format("p{}", i), fmt::format("fill-opacity:{}", i == 1 ? 0.6 : 0.3));
    }
    for (std::size_t i = 0; i < muted_colours; ++i) {
        rule(fmt::format("l{}", i), fmt::format("stroke:{}", palette.others[i]));
        rule(fmt::format("f{}", i), fmt::format("fill:{}", palette.others[i]));
    }
    rule("lo", fmt::format("stroke:{};stroke-width:4", palette.ours));
    rule("fo", fmt::format("fill:{}", palette.ours));
    return style;
}

std::string draw_plot(const Plot& plot, PlotSize size, const std::string& id) {
    return Drawing(plot, size).draw(id);
}

std::string to_svg(const Plot& plot) {
    return Drawing(plot, PlotSize::wide).draw_alone();
}

}  // namespace vfilter::bench
