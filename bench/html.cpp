#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "bench/plot.h"
#include "bench/text.h"

namespace vfilter::bench {

namespace {

constexpr std::size_t long_table = 24;  // rows from which on a table is folded away

// Colours of the page, in pairs with those of plot.cpp. Dark is for screens alone: paper is white.
constexpr std::string_view page_style = R"(
:root{--text:#1c2430;--quiet:#566070;--ground:#f6f7f9;--card:#ffffff;--rule:#dde2e8;--ours:#c8400a;--tint:#fdf1eb;
--good:#1a7036;--good-tint:#e5f4e9;--bad:#b3261e;--bad-tint:#fbe7e5;color-scheme:light dark}
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%;scroll-behavior:smooth}
body{margin:0;background:var(--ground);color:var(--text);line-height:1.5;
font-family:system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue',Arial,sans-serif}
body>*{max-width:66rem;margin:0 auto;padding:0 1.25rem}
a{color:inherit;text-decoration-color:var(--ours);text-underline-offset:.2em}
a:focus-visible,.scroll:focus-visible,summary:focus-visible{outline:3px solid var(--ours);outline-offset:2px}
header{padding-top:2.5rem}
h1{font-size:clamp(1.7rem,5vw,2.6rem);line-height:1.15;margin:0 0 .5rem;letter-spacing:-.02em;text-wrap:balance;overflow-wrap:anywhere}
h2{font-size:clamp(1.4rem,4vw,1.9rem);line-height:1.2;margin:0 0 .75rem;letter-spacing:-.01em;overflow-wrap:anywhere}
h3{font-size:1.1rem;line-height:1.3;margin:0 0 .25rem;overflow-wrap:anywhere}
p{margin:0 0 .75rem;max-width:46rem;overflow-wrap:anywhere}
code{font-family:ui-monospace,'SF Mono',Menlo,Consolas,'DejaVu Sans Mono',monospace;font-size:.875em}
.quiet{color:var(--quiet)}
.command{overflow-x:auto;white-space:nowrap;padding:.6rem .9rem;border:1px solid var(--rule);border-radius:.5rem;
background:var(--card);max-width:none}
.command::before{content:'$ ';color:var(--quiet)}
nav{position:sticky;top:0;z-index:3;max-width:none;background:var(--ground);border-bottom:1px solid var(--rule)}
nav ul{display:flex;gap:1.5rem;list-style:none;max-width:63.5rem;margin:0 auto;padding:.6rem 0;overflow-x:auto}
nav a{font-weight:600;white-space:nowrap}
.cards{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,18rem),1fr));gap:1rem;margin:1.5rem 0;padding:0;
list-style:none}
.cards li{background:var(--card);border:1px solid var(--rule);border-top:4px solid var(--ours);border-radius:.5rem;
padding:1rem 1.1rem}
.cards span{display:block;color:var(--quiet);font-size:.9rem;font-weight:600;margin-bottom:.25rem}
.cards a{display:block;text-decoration:none;font-size:1.25rem;line-height:1.3;font-weight:650;overflow-wrap:anywhere}
.cards a:hover{text-decoration:underline;text-decoration-color:var(--ours)}
.facts{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,15rem),1fr));gap:.75rem 1.5rem;margin:1.5rem 0}
.facts dt{color:var(--quiet);font-size:.85rem}
.facts dd{margin:0;overflow-wrap:anywhere}
section{padding-top:2.5rem;margin-top:2.5rem;border-top:1px solid var(--rule);scroll-margin-top:2rem}
section:first-child{margin-top:0;border-top:0}
.headline{text-wrap:balance;font-size:clamp(1.3rem,4vw,1.8rem);line-height:1.25;font-weight:650;letter-spacing:-.01em;max-width:52rem;
border-left:5px solid var(--ours);padding-left:1rem;margin:0 0 1.25rem}
.also{font-size:1.1rem;margin:0 0 1.25rem;padding-left:1.2rem;max-width:48rem}
.also li{margin:.3rem 0;overflow-wrap:anywhere}
.also li::marker{color:var(--ours)}
figure,.table{background:var(--card);border:1px solid var(--rule);border-radius:.75rem;margin:1.25rem 0;
padding:1.25rem 1.25rem 1rem}
figcaption{margin-bottom:1rem}
figcaption p,.table>p{color:var(--quiet);font-size:.95rem}
svg{display:block;width:100%;height:auto;overflow:visible}
svg.narrow{display:none}
.scroll{overflow-x:auto;margin:.75rem -1.25rem 0}
table{border-collapse:collapse;width:100%;font-size:.95rem;font-variant-numeric:tabular-nums}
th,td{padding:.4rem .75rem;text-align:left;vertical-align:baseline;border-bottom:1px solid var(--rule)}
thead th{font-size:.85rem;line-height:1.3;vertical-align:bottom;border-bottom:2px solid var(--rule);color:var(--quiet);
font-weight:600}
thead span{display:block;font-weight:400}
tbody tr:last-child>*{border-bottom:0}
tbody th{font-weight:400;min-width:7rem;max-width:22rem;overflow-wrap:break-word}
tr>:first-child{padding-left:1.25rem;position:sticky;left:0;background:var(--card)}
tr>:last-child{padding-right:1.25rem}
tbody tr.ours>*{background:var(--tint)}
tbody tr.ours>:first-child{box-shadow:inset 5px 0 0 var(--ours)}
tbody tr.ours>*{font-weight:650}
.number{text-align:right;white-space:nowrap}
tbody th.number{min-width:0;width:1%}
small{display:inline-block;min-width:3.7rem;text-align:left;color:var(--quiet);font-weight:400;font-size:.8rem;
margin-left:.35rem}
td.words{min-width:9rem;max-width:24rem;overflow-wrap:break-word}
.ok,.miss{display:inline-block;border-radius:1rem;padding:.05rem .7rem;font-weight:700;font-size:.85rem}
.ok{color:var(--good);background:var(--good-tint)}
.miss{color:var(--bad);background:var(--bad-tint)}
details.table{padding-bottom:1.25rem}
summary{cursor:pointer;font-weight:650}
summary h3{display:inline}
.left-out{color:var(--quiet);font-size:.95rem}
.left-out h3{color:var(--text)}
.left-out dt{font-weight:650;margin-top:.5rem;overflow-wrap:anywhere}
.left-out dd{margin:0;overflow-wrap:anywhere}
footer{padding-top:2rem;padding-bottom:3rem;color:var(--quiet);font-size:.9rem}
@media(max-width:600px){
body>*{padding:0 .9rem}
header{padding-top:1.5rem}
svg.wide{display:none}
svg.narrow{display:block;max-width:30rem}
figure,.table{padding:1rem .9rem .75rem;margin-left:-.4rem;margin-right:-.4rem}
.scroll{margin-left:-.9rem;margin-right:-.9rem}
th,td{padding:.4rem .6rem}
tr>:first-child{padding-left:.9rem}
tbody th{min-width:8rem;max-width:42vw}
td.words{min-width:11rem}
.facts{gap:.5rem 1rem}
}
)";

constexpr std::string_view dark_page_style = R"(
:root{--text:#e8ecf2;--quiet:#a5afbd;--ground:#0e1217;--card:#161b22;--rule:#2b333e;--ours:#ff8a4a;--tint:#2a1d16;
--good:#6fd68c;--good-tint:#14301d;--bad:#ff9389;--bad-tint:#3d1714}
)";

constexpr std::string_view print_style = R"(
@page{margin:14mm}
html{font-size:72%}
body{background:none}
th,td{padding:.3rem .5rem}
body>*{max-width:none;padding:0}
nav{display:none}
header{padding-top:0}
figure,.table,.cards li{break-inside:avoid}
details.table{break-inside:auto}
details::details-content{content-visibility:visible;block-size:auto}
tr{break-inside:avoid}
h2,h3,.headline,thead{break-after:avoid}
.scroll{overflow:visible}

*{print-color-adjust:exact;-webkit-print-color-adjust:exact}
)";

std::string style() {
    return fmt::format(
        "<style>{}{}@media screen and (prefers-color-scheme:dark){{{}{}}}\n@media print{{{}}}\n</style>\n", page_style,
        plot_style(Scheme::light), dark_page_style, plot_style(Scheme::dark), print_style);
}

std::string paragraph(const std::string& text) {
    return text.empty() ? "" : fmt::format("<p>{}</p>\n", escaped(text));
}

// What a link can end with. Keys are the same for ever, and so are links; what is no key gets a number.
std::vector<std::string> anchors_of(const std::vector<Section>& sections) {
    std::vector<std::string> anchors;
    std::set<std::string> taken;
    for (const Section& section : sections) {
        const bool plain = !section.key.empty() && std::all_of(section.key.begin(), section.key.end(), [](char letter) {
            return (letter >= 'a' && letter <= 'z') || (letter >= '0' && letter <= '9') || letter == '-' ||
                   letter == '_';
        });
        std::string anchor = section.key;
        if (!plain || !taken.insert(anchor).second) {
            anchor = fmt::format("section.{}", anchors.size() + 1);
        }
        anchors.push_back(std::move(anchor));
    }
    return anchors;
}

// With a title that says more than the cell has room for.
std::string cell_html(const Cell& cell, int digits, bool beside_spreads) {
    const CellText text = cell_text(cell, digits);
    if (text.spread.empty()) {
        return escaped(text.value) + (beside_spreads && !text.value.empty() ? "<small></small>" : "");
    }
    const Spread& spread = std::get<Spread>(cell);
    return fmt::format("<span title=\"{} runs: {} to {}\">{}<small>{}</small></span>", spread.runs,
                       number_text(spread.lowest, digits), number_text(spread.highest, digits), escaped(text.value),
                       escaped(text.spread));
}

bool has_spreads(const Table& table, std::size_t column) {
    return std::any_of(table.rows.begin(), table.rows.end(), [&](const Row& row) {
        return column < row.cells.size() && !cell_text(row.cells[column], 3).spread.empty();
    });
}

// As ISO 8601 says it, but for the eye.
std::string date_text(const std::string& date) {
    const bool known = date.size() == 20 && date[10] == 'T' && date.back() == 'Z';
    return known ? fmt::format("{} {} UTC", date.substr(0, 10), date.substr(11, 5)) : date;
}

std::string table_rows(const Table& table) {
    std::string out = "<thead><tr>";
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
        const Column& column = table.columns[i];
        const std::string unit = column.unit.empty() ? "" : fmt::format(" <span>{}</span>", escaped(column.unit));
        out += fmt::format("<th scope=\"col\"{}>{}{}</th>", is_numeric(table, i) ? " class=\"number\"" : "",
                           escaped(column.title), unit);
    }
    out += "</tr></thead>\n<tbody>\n";
    for (const Row& row : table.rows) {
        out += row.ours ? "<tr class=\"ours\">" : "<tr>";
        for (std::size_t i = 0; i < table.columns.size(); ++i) {
            const std::string_view tag = i == 0 ? "th" : "td";
            const std::string_view kind = is_numeric(table, i) ? "number" : "words";
            out += fmt::format(
                "<{}{} class=\"{}\">{}</{}>", tag, i == 0 ? " scope=\"row\"" : "", kind,
                cell_html(i < row.cells.size() ? row.cells[i] : Cell(), shown_digits(table, i), has_spreads(table, i)),
                tag);
        }
        out += "</tr>\n";
    }
    return out + "</tbody>\n";
}

// It scrolls by itself, with the keyboard, too, so that the page never has to.
std::string scrolling(const std::string& id, const std::string& rows) {
    return fmt::format(
        "<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-labelledby=\"{}\">"
        "<table aria-labelledby=\"{}\">\n{}</table></div>\n",
        id, id, rows);
}

std::string table_html(const Table& table, const std::string& id) {
    const std::string title = fmt::format("<h3 id=\"{}\">{}</h3>", id, escaped(table.title));
    const std::string rest = paragraph(table.text) + scrolling(id, table_rows(table));
    if (table.rows.size() < long_table) {
        return fmt::format("<div class=\"table\">{}\n{}</div>\n", title, rest);
    }
    return fmt::format(
        "<details class=\"table\"><summary>{} <span class=\"quiet\">({} rows)</span></summary>\n{}</details>\n", title,
        table.rows.size(), rest);
}

std::string plot_html(const Plot& plot, const std::string& id) {
    return fmt::format("<figure>\n<figcaption><h3>{}</h3>{}</figcaption>\n{}{}</figure>\n", escaped(plot.title),
                       paragraph(plot.text), draw_plot(plot, PlotSize::wide, id + "-wide"),
                       draw_plot(plot, PlotSize::narrow, id + "-narrow"));
}

std::string promises_html(const std::vector<Promise>& promises, const std::string& id) {
    if (promises.empty()) {
        return "";
    }
    std::string rows =
        "<thead><tr><th scope=\"col\">Promise</th><th scope=\"col\" class=\"number\">Measured</th>"
        "<th scope=\"col\" class=\"number\">Aim</th><th scope=\"col\">Kept</th></tr></thead>\n<tbody>\n";
    for (const Promise& promise : promises) {
        const PromiseText text = promise_text(promise);
        rows += fmt::format(
            "<tr><th scope=\"row\">{}</th><td class=\"number\">{}</td><td class=\"number\">{} {}</td>"
            "<td><span class=\"{}\">{}</span></td></tr>\n",
            escaped(promise.what), text.measured, promise.at_least ? "≥" : "≤", text.limit,
            promise.kept() ? "ok" : "miss", promise.kept() ? "ok" : "MISS");
    }
    return fmt::format("<div class=\"table\"><h3 id=\"{}\">What vfilter promises</h3>\n{}</div>\n", id,
                       scrolling(id, rows + "</tbody>\n"));
}

std::string left_out_html(const std::vector<LeftOut>& left_out) {
    if (left_out.empty()) {
        return "";
    }
    std::string out = "<div class=\"left-out\"><h3>Left out</h3>\n<dl>\n";
    for (const LeftOut& one : left_out) {
        out += fmt::format("<dt>{}</dt><dd>{}</dd>\n", escaped(one.what), escaped(one.why));
    }
    return out + "</dl></div>\n";
}

std::string section_html(const Section& section, const std::string& anchor) {
    std::string out = fmt::format("<section id=\"{}\">\n<h2>{}</h2>\n", anchor, escaped(section.title));
    for (std::size_t i = 0; i < section.sentences.size(); ++i) {
        out += i == 0 ? "<p class=\"headline\">" : i == 1 ? "<ul class=\"also\">\n<li>" : "<li>";
        out += escaped(section.sentences[i]) + (i == 0 ? "</p>\n" : "</li>\n");
    }
    out += section.sentences.size() > 1 ? "</ul>\n" : "";
    out += paragraph(section.text);
    for (std::size_t i = 0; i < section.plots.size(); ++i) {
        out += plot_html(section.plots[i], fmt::format("{}.plot{}", anchor, i + 1));
    }
    for (std::size_t i = 0; i < section.tables.size(); ++i) {
        out += table_html(section.tables[i], fmt::format("{}.table{}", anchor, i + 1));
    }
    out += promises_html(section.promises, anchor + ".promises");
    out += left_out_html(section.left_out);
    return out + "</section>\n";
}

// What the whole report says, before anything else: the first sentence of every section, with the way there.
std::string cards_html(const Report& report, const std::vector<std::string>& anchors) {
    std::string cards;
    for (std::size_t i = 0; i < report.sections.size(); ++i) {
        const Section& section = report.sections[i];
        if (!section.sentences.empty()) {
            cards += fmt::format("<li><a href=\"#{}\"><span>{}</span>{}</a></li>\n", anchors[i], escaped(section.title),
                                 escaped(section.sentences.front()));
        }
    }
    return cards.empty() || report.sections.size() < 2 ? "" : fmt::format("<ul class=\"cards\">\n{}</ul>\n", cards);
}

std::string verdict_html(const Report& report) {
    std::size_t all = 0;
    std::size_t kept = 0;
    for (const Section& section : report.sections) {
        for (const Promise& promise : section.promises) {
            ++all;
            kept += promise.kept() ? 1 : 0;
        }
    }
    if (all == 0) {
        return "";
    }
    return fmt::format("<p><span class=\"{}\">{}</span> {} of {} promises kept</p>\n", kept == all ? "ok" : "miss",
                       kept == all ? "ok" : "MISS", kept, all);
}

std::string navigation_html(const Report& report, const std::vector<std::string>& anchors) {
    if (report.sections.size() < 2) {
        return "";
    }
    std::string out = "<nav aria-label=\"Sections\"><ul>\n";
    for (std::size_t i = 0; i < report.sections.size(); ++i) {
        out += fmt::format("<li><a href=\"#{}\">{}</a></li>\n", anchors[i], escaped(report.sections[i].title));
    }
    return out + "</ul></nav>\n";
}

std::string facts_html(const std::vector<Fact>& facts) {
    std::string out = facts.empty() ? "" : "<dl class=\"facts\">\n";
    for (const Fact& fact : facts) {
        out += fmt::format("<div><dt>{}</dt><dd>{}</dd></div>\n", escaped(fact.title), escaped(fact.value));
    }
    return out + (facts.empty() ? "" : "</dl>\n");
}

}  // namespace

std::string to_html(const Report& report) {
    const std::vector<std::string> anchors = anchors_of(report.sections);
    std::string out = fmt::format(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
        "<meta name=\"color-scheme\" content=\"light dark\"/>\n<title>{}</title>\n{}</head>\n<body>\n",
        escaped(report.title), style());
    out += fmt::format("<header>\n<h1>{}</h1>\n", escaped(report.title));
    if (!report.date.empty()) {
        out += fmt::format("<p class=\"quiet\">Measured <time datetime=\"{}\">{}</time></p>\n", escaped(report.date),
                           escaped(date_text(report.date)));
    }
    out += cards_html(report, anchors) + verdict_html(report) + facts_html(report.facts);
    if (!report.command.empty()) {
        out += fmt::format("<p class=\"command\"><code>{}</code></p>\n", escaped(report.command));
    }
    out += "</header>\n" + navigation_html(report, anchors) + "<main>\n";
    for (std::size_t i = 0; i < report.sections.size(); ++i) {
        out += section_html(report.sections[i], anchors[i]);
    }
    if (report.sections.empty()) {
        out += "<p>Nothing was measured.</p>\n";
    }
    return out +
           "</main>\n<footer>Written by vfilter-bench. ± is how far runs lie from their median at most.</footer>\n"
           "</body>\n</html>\n";
}

}  // namespace vfilter::bench
