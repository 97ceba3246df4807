#!/usr/bin/env python3
"""Pages and plots of what vfilter-bench and vfilter-study measured. One file, style sheet included, although it has more than
400 lines: it is copied to where figures are, without the rest.

    bench/pages.py REPORT.json... [--html FILE] [--json FILE] [--plots FOLDER] [--plot KEY=FILE]...

--html writes one page that needs no other file and no network, with the sections of all reports; machine and date are
the first one's. --json writes such a report of all. --plots writes each plot to a file of its own, KEY.svg, --plot one
of them to a file of this name, as SVG or PNG. Needs matplotlib.
"""
import argparse
import html
import io
import json
import math
import re
import sys
from pathlib import Path

import matplotlib
matplotlib.use("svg")
from matplotlib import pyplot  # noqa: E402
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator  # noqa: E402

SCHEMA = 1
LONG_TABLE = 24  # rows from which on a table is folded away

# Name: (light, dark). Pages replace the light ones by variables, so that one drawing serves both schemes.
COLOURS = {
    "text": ("#1c2430", "#e8ecf2"),
    "quiet": ("#566070", "#a5afbd"),
    "rule": ("#dde2e8", "#2b333e"),
    "card": ("#ffffff", "#161b22"),
    "ours": ("#c8400a", "#ff8a4a"),
    "library": ("#1d5fa8", "#6fb2f5"),
    "other": ("#6d7787", "#97a2b3"),
}
LIGHT = {name: pair[0] for name, pair in COLOURS.items()}
# Finished work of others, by the names that reports give it.
LIBRARY = re.compile(r"NPP|cuDNN|cuFFT|cuBLAS|OpenCV|ffmpeg")
FLOOR = re.compile(r"plain copy")
DASHES = ["-", (0, (4, 1.2)), (0, (1.2, 1))]


# ------------------------------------------------------------------------------------------------- numbers and words

def number_text(value, digits):
    """`digits` significant ones, but all of those before the point: 14,648; 58.2; 0.0712."""
    if value is None or not math.isfinite(value):
        return "–"
    if value == 0:
        return "0"
    exponent = int(f"{value:.{digits - 1}e}".split("e")[1])  # of the rounded number
    if not -4 <= exponent <= 14:
        return f"{value:.{digits - 1}e}"
    return f"{value:,.{max(0, digits - 1 - exponent)}f}"


def tick_text(value):
    return f"{value / 1e6:g}M" if abs(value) >= 1e6 else f"{value:,.6g}"


def spread_text(cell, digits):
    """How far the runs lie apart: a percentage, or both ends where that would hide how lopsided they are."""
    median, lowest, highest = cell["median"], cell["lowest"], cell["highest"]
    if cell["runs"] < 2 or not median or lowest is None or highest is None:
        return ""
    percent = 100 * max(highest - median, median - lowest) / median
    if abs(percent) > 20:
        return f"{number_text(lowest, digits)}–{number_text(highest, digits)}"
    return f"±{percent:.{1 if percent < 10 else 0}f} %"


def shown_digits(cells, digits):
    """One where all are whole numbers, such as sizes: they have nothing after the point."""
    whole = all(isinstance(cell, (str, type(None))) or (not isinstance(cell, dict) and cell == int(cell)) for cell in cells)
    return 1 if whole else max(1, digits)


# -------------------------------------------------------------------------------------------------------------- plots

def kind_of(series):
    return "ours" if series["ours"] else "library" if LIBRARY.search(series["name"]) else "other"


def shown_points(plot, series):
    """Runs of points without a gap: a null, or what a logarithmic axis cannot show, ends one."""
    runs = [[]]
    for x, y in series["points"]:
        fits = x is not None and y is not None and (not plot["y"]["logarithmic"] or y > 0) and (
            not plot["x"]["logarithmic"] or x > 0)
        if fits:
            runs[-1].append((x, y))
        elif runs[-1]:
            runs.append([])
    return [run for run in runs if run]


def spread_apart(wanted, distance, low, high):
    """Places as near to the wanted ones as a distance between neighbours allows."""
    order = sorted(range(len(wanted)), key=lambda i: wanted[i])
    places = [wanted[i] for i in order]
    for _ in range(500):
        for i in range(1, len(places)):
            lack = distance - (places[i] - places[i - 1])
            if lack > 0.01:
                places[i - 1] -= lack / 2
                places[i] += lack / 2
        places = [min(max(place, low), high) for place in places]
    result = [0.0] * len(wanted)
    for i, place in zip(order, places):
        result[i] = place
    return result


def log_ticks(low, high):
    decades = math.log10(high / low)
    factors = (1, 2, 5) if decades < 3 else (1,)
    exponents = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    ticks = [factor * 10.0 ** exponent for exponent in exponents for factor in factors]
    return [tick for tick in ticks if low <= tick * 1.0001 and tick <= high * 1.0001]


def label_measured(axes, values, width):
    """Ticks where something was measured, as far as there is room for their labels."""
    place = math.log if axes.get_xscale() == "log" else float
    room = 0.052 * 9.6 / width * (place(values[-1]) - place(values[0]))
    chosen = values[-1:]
    for value in reversed(values[:-1]):
        if place(chosen[0]) - place(value) >= room:
            chosen.insert(0, value)
    axes.xaxis.set_major_locator(FixedLocator(chosen))
    axes.xaxis.set_minor_locator(NullLocator())


def draw_lines(plot):
    lines = [series for series in plot["series"] if not series.get("target")]
    many = len(lines) > 8
    width, height = 9.6, 6.6 if many else 4.8
    figure, axes = pyplot.subplots(figsize=(width, height))
    for axis in ("x", "y"):
        if plot[axis]["logarithmic"]:
            getattr(axes, f"set_{axis}scale")("log")
    ends = []
    count = {"ours": 0, "library": 0, "other": 0}
    ours_last = sorted(lines, key=lambda series: series["ours"])
    for series in ours_last:
        kind = kind_of(series)
        runs = shown_points(plot, series)
        if not runs:
            continue
        floor = FLOOR.search(series["name"])
        dash = DASHES[2] if floor else DASHES[count[kind] % 3] if kind == "ours" else DASHES[1] if kind == "library" else "-"
        count[kind] += 1
        for run in runs:
            axes.plot(*zip(*run), color=LIGHT[kind], linestyle=dash, linewidth=3 if kind == "ours" else 1.4,
                      marker="o", markersize=5 if kind == "ours" else 3, markeredgewidth=0,
                      zorder=4 if kind == "ours" else 3)
        ends.append((series["name"], kind, *runs[-1][-1]))
    for series in plot["series"]:
        if series.get("target"):
            for run in shown_points(plot, series):
                axes.plot(*zip(*run), color=LIGHT["quiet"], linestyle="", marker="_", markersize=16, markeredgewidth=2.5,
                          alpha=0.7, label=series["name"], zorder=2)
    if axes.get_legend_handles_labels()[0]:
        axes.legend(loc="upper left", frameon=False, labelcolor=LIGHT["quiet"])
    elif many and count["library"] and count["other"]:
        key = [matplotlib.lines.Line2D([], [], color=LIGHT[kind], linestyle=DASHES[kind == "library"], linewidth=width, label=label)
               for kind, width, label in (("ours", 3, "ours"), ("library", 1.4, "libraries"), ("other", 1.4, "the way there"))
               if count[kind]]
        axes.legend(handles=key, loc="lower right", bbox_to_anchor=(1, 0.99), ncols=3, frameon=False, labelcolor="linecolor")
    if not ends:
        axes.text(0.5, 0.5, "no values", transform=axes.transAxes, ha="center", color=LIGHT["quiet"])
        return figure
    values = sorted({x for series in lines for run in shown_points(plot, series) for x, _ in run})
    if len(values) > 1:
        axes.set_xlim(values[0], values[-1])
        label_measured(axes, values, width)
    else:
        axes.xaxis.set_major_locator(FixedLocator(values))
    low, high = axes.get_ylim()
    if plot["y"]["logarithmic"]:
        axes.yaxis.set_major_locator(FixedLocator(log_ticks(low, high)))
    else:
        axes.set_ylim(min(0, low), high)
    axes.yaxis.set_minor_locator(NullLocator())
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_formatter(FuncFormatter(lambda value, _: tick_text(value)))
    axes.grid(axis="y", color=LIGHT["rule"], linewidth=1)
    axes.set_xlabel(plot["x"]["title"])
    axes.set_title(plot["y"]["title"], loc="left", fontsize=11, color=LIGHT["quiet"])
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)
    name_ends(figure, axes, ends, many)
    return figure


def name_ends(figure, axes, ends, many):
    """Each line's name and last value at its end: outside the plot where the line reaches the edge, within it otherwise."""
    figure.tight_layout(rect=(0, 0, 0.72, 1))
    figure.canvas.draw()
    size = 10.5 if many else 11
    height = axes.bbox.height
    edge = axes.get_xlim()[1]
    to_pixels = axes.transData.transform
    last = [end for end in ends if end[2] >= edge * 0.999]
    wanted = [to_pixels(end[2:])[1] - axes.bbox.y0 for end in last]
    line = size * figure.dpi / 72 * 1.22
    for (name, kind, _, y), place, start in zip(last, spread_apart(wanted, line, 0, height), wanted):
        axes.annotate("", xy=(1.004, start / height), xytext=(1.033, place / height), xycoords="axes fraction",
                      annotation_clip=False, arrowprops={"arrowstyle": "-", "color": LIGHT[kind], "linewidth": 0.7})
        axes.text(1.038, place / height, f"{name}  {number_text(y, 3)}", transform=axes.transAxes, va="center", fontsize=size, color=LIGHT[kind],
                  fontweight="bold" if kind == "ours" else "normal")
    for name, kind, x, y in ends:
        if x < edge * 0.999:
            axes.annotate(name, (x, y), xytext=(6, 0), textcoords="offset points", va="center", fontsize=size,
                          color=LIGHT[kind],
                          bbox={"boxstyle": "square,pad=0.1", "facecolor": LIGHT["card"], "edgecolor": "none", "alpha": 0.85}, zorder=5)


def draw_bars(plot):
    """Groups of horizontal bars, each with its value; with its series' name too where there are more than two."""
    logarithmic = plot["y"]["logarithmic"]
    groups = [[] for _ in plot["categories"]]
    for series in plot["series"]:
        for x, y in series["points"]:
            if x is not None and y is not None and 0 <= x < len(groups) and x == int(x) and (y > 0 or not logarithmic):
                groups[int(x)].append((series["name"], kind_of(series), y))
    named = len(plot["series"]) > 2
    rows = sum(max(1, len(group)) + 0.6 for group in groups)
    figure, axes = pyplot.subplots(figsize=(9.6, 0.31 * rows + 0.9))
    place, ticks = 0.0, []
    for group in groups:
        ticks.append(place + (max(1, len(group)) - 1) / 2)
        for name, kind, value in group:
            axes.barh(place, value, height=0.82, color=LIGHT[kind])
            axes.annotate(number_text(value, 3) + (f"  {name}" if named else ""), (value, place), xytext=(5, 0),
                          textcoords="offset points", va="center", fontsize=10,
                          color=LIGHT["text" if kind == "ours" or not named else "quiet"],
                          fontweight="bold" if kind == "ours" else "normal")
            place += 1
        place += 0.6 if group else 1.6
    values = [value for group in groups for _, _, value in group]
    if logarithmic and values:
        axes.set_xscale("log")
        axes.set_xlim(min(values) / 2, max(values) * (8 if named else 2))
        axes.xaxis.set_minor_locator(NullLocator())
    elif values:
        axes.set_xlim(min(0, *values), max(values) * (1.3 if named else 1.1))
    axes.set_ylim(place - 0.9, -0.7)
    axes.set_yticks(ticks, plot["categories"])
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: tick_text(value)))
    axes.grid(axis="x", color=LIGHT["rule"], linewidth=1)
    axes.set_axisbelow(True)
    axes.tick_params(axis="y", length=0, labelcolor=LIGHT["text"])
    axes.set_xlabel(plot["y"]["title"])
    for side in ("top", "right", "bottom"):
        axes.spines[side].set_visible(False)
    if not named and len(plot["series"]) == 2:
        handles = [matplotlib.patches.Patch(color=LIGHT[kind_of(series)], label=series["name"]) for series in plot["series"]]
        figure.legend(handles=handles, loc="upper right", ncols=2, frameon=False)
    figure.tight_layout(rect=(0, 0, 1, 0.97))
    return figure


def picture_of(plot, kind="svg", title=False):
    """The plot as bytes, the same each time."""
    style = {
        "svg.fonttype": "none", "svg.hashsalt": plot["key"], "font.family": "sans-serif", "font.size": 11,
        "text.color": LIGHT["text"], "axes.labelcolor": LIGHT["quiet"], "xtick.color": LIGHT["quiet"],
        "ytick.color": LIGHT["quiet"], "axes.edgecolor": LIGHT["quiet"], "figure.facecolor": LIGHT["card"],
        "axes.facecolor": LIGHT["card"],
    }
    with pyplot.rc_context(style):
        figure = (draw_bars if plot["categories"] else draw_lines)(plot)
        if title:
            figure.suptitle(plot["title"], x=0.02, y=1 + 0.1 / figure.get_figheight(), ha="left", fontsize=14, fontweight="bold")
        out = io.BytesIO()
        figure.savefig(out, format=kind, bbox_inches="tight", pad_inches=0.2, metadata={"Date": None} if kind == "svg" else None,
                       transparent=not title)
        pyplot.close(figure)
    return out.getvalue()


# --------------------------------------------------------------------------------------------------------------- page

def inline_svg(plot):
    """For a page: without a prolog and a size of its own, in the page's colours."""
    svg = picture_of(plot).decode()
    svg = svg[svg.index("<svg"):]
    svg = re.sub(r'<g id="[^"]*"', "<g", svg)
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg, flags=re.S)
    svg = re.sub(r'(<svg [^>]*?) height="[^"]*"', r"\1", svg)
    svg = re.sub(r'(<svg [^>]*?) width="[^"]*"', rf'\1 role="img" aria-label="{html.escape(plot["title"])}"', svg)
    for name, colour in LIGHT.items():
        svg = svg.replace(colour, f"var(--{name})")
    return svg


def cell_html(cell, digits, tag):
    if isinstance(cell, dict):
        spread = spread_text(cell, digits)
        tip = f'{cell["runs"]} runs: {number_text(cell["lowest"], digits)} to {number_text(cell["highest"], digits)}'
        words = f'<span title="{tip}">{number_text(cell["median"], digits)}</span>' + (f" <small>{spread}</small>" if spread else "")
        return f'<{tag} class="number">{words}</{tag}>'
    if isinstance(cell, (int, float)):
        return f'<{tag} class="number">{number_text(cell, digits)}</{tag}>'
    return f"<{tag}>{html.escape(cell or '')}</{tag}>"


def table_html(table):
    columns = table["columns"]
    cells = {column["key"]: [row[column["key"]] for row in table["rows"]] for column in columns}
    digits = {column["key"]: shown_digits(cells[column["key"]], column["digits"]) for column in columns}
    head = "".join(f'<th>{html.escape(column["title"])} <small>{html.escape(column["unit"])}</small></th>' for column in columns)
    rows = []
    for row in table["rows"]:
        line = "".join(cell_html(row[column["key"]], digits[column["key"]], "td" if i else "th") for i, column in enumerate(columns))
        rows.append(f'<tr{" class=ours" if row["ours"] else ""}>{line}</tr>')
    body = f'<p>{html.escape(table["text"])}</p><div class="scroll"><table><thead><tr>{head}</tr></thead><tbody>\n'
    body += "\n".join(rows) + "\n</tbody></table></div>"
    title = html.escape(table["title"])
    if len(rows) < LONG_TABLE:
        return f'<div class="card" id="table-{html.escape(table["key"])}"><h3>{title}</h3>{body}</div>\n'
    return (f'<details class="card" id="table-{html.escape(table["key"])}"><summary><h3>{title}</h3> ({len(rows)} rows)</summary>'
            f"{body}</details>\n")


def promises_html(promises):
    rows = []
    for promise in promises:
        digits = 3  # as many as it takes to see that one that is not kept is not
        while not promise["kept"] and digits < 9 and promise["limit"] is not None and (
                number_text(promise["measured"], digits) == number_text(promise["limit"], digits)):
            digits += 1
        word = "ok" if promise["kept"] else "MISS"
        rows.append(f'<tr><th>{html.escape(promise["what"])}</th><td class="number">{number_text(promise["measured"], digits)}</td>'
                    f'<td class="number">{"≥" if promise["at_least"] else "≤"} {tick_text(promise["limit"])}</td>'
                    f'<td><b class="{word.lower()}">{word}</b></td></tr>')
    return ('<div class="card"><h3>What vfilter promises</h3><div class="scroll"><table><thead><tr><th>Promise</th>'
            "<th>Measured</th><th>Aim</th><th>Kept</th></tr></thead><tbody>\n" + "\n".join(rows) + "\n</tbody></table></div></div>\n")


def section_html(section, anchor):
    out = [f'<section id="{anchor}"><h2>{html.escape(section["title"])}</h2>']
    if section["sentences"]:
        first, *more = map(html.escape, section["sentences"])
        out.append(f'<p class="headline">{first}</p><ul>' + "".join(f"<li>{sentence}</li>" for sentence in more) + "</ul>")
    out.append(f'<p>{html.escape(section["text"])}</p>')
    for plot in section["plots"]:
        out.append(f'<figure class="card" id="plot-{html.escape(plot["key"])}"><h3>{html.escape(plot["title"])}</h3>'
                   f'<p>{html.escape(plot["text"])}</p><div class="scroll">{inline_svg(plot)}</div></figure>')
    out += [table_html(table) for table in section["tables"]]
    if section["promises"]:
        out.append(promises_html(section["promises"]))
    if section["left_out"]:
        items = "".join(f'<dt>{html.escape(one["what"])}</dt><dd>{html.escape(one["why"])}</dd>' for one in section["left_out"])
        out.append(f"<h3>Left out</h3><dl>{items}</dl>")
    return "\n".join(out) + "</section>\n"


STYLE = """
*{box-sizing:border-box}
body{margin:0 auto;max-width:68rem;padding:1rem 1.2rem 3rem;background:var(--ground);color:var(--text);line-height:1.5;
font-family:system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue',Arial,sans-serif}
h1{font-size:2rem;margin:1rem 0 .5rem}
h2{font-size:1.6rem;margin:2.5rem 0 .75rem}
h3{font-size:1.1rem;margin:0 0 .25rem;display:inline-block}
p,li,dd{max-width:48rem;overflow-wrap:anywhere}
p:empty,ul:empty{display:none}
a{color:inherit}
nav a{margin-right:1.25rem;font-weight:600}
small,figure p,.card>p{color:var(--quiet)}
.facts{display:grid;grid-template-columns:repeat(auto-fill,minmax(15rem,1fr));gap:.5rem 1.5rem}
dt{font-weight:600}
dd{margin:0 0 .4rem}
.headline{font-size:1.3rem;font-weight:600;line-height:1.3;border-left:5px solid var(--ours);padding-left:.8rem}
.card{background:var(--card);border:1px solid var(--rule);border-radius:.6rem;margin:1.1rem 0;padding:1rem 1.1rem}
.scroll{overflow-x:auto}
svg{display:block;width:100%;min-width:42rem;height:auto}
table{border-collapse:collapse;width:100%;font-size:.94rem;font-variant-numeric:tabular-nums}
th,td{padding:.35rem .7rem;text-align:left;vertical-align:baseline;border-bottom:1px solid var(--rule)}
tbody th{font-weight:400}
thead th{color:var(--quiet);font-size:.85rem;vertical-align:bottom}
.number{text-align:right;white-space:nowrap}
tr.ours>*{font-weight:650;background:var(--tint)}
tr.ours>:first-child{box-shadow:inset 5px 0 0 var(--ours)}
.ok{color:var(--good)}
.miss{color:var(--bad)}
summary{cursor:pointer}
@media print{details::details-content{content-visibility:visible;block-size:auto} .card{break-inside:avoid}}
"""
PAGE_COLOURS = COLOURS | {"ground": ("#f6f7f9", "#0e1217"), "tint": ("#fdf1eb", "#2a1d16"), "good": ("#1a7036", "#6fd68c"),
                          "bad": ("#b3261e", "#ff9389")}


def page_of(report):
    light, dark = (";".join(f"--{name}:{pair[i]}" for name, pair in PAGE_COLOURS.items()) for i in (0, 1))
    anchors = []
    for section in report["sections"]:
        key = section["key"] if re.fullmatch(r"[a-z0-9_-]+", section["key"]) else "section"
        anchors.append(key if key not in anchors else f"{key}.{len(anchors) + 1}")
    facts = "".join(f'<div><dt>{html.escape(report["machine_titles"][key])}</dt><dd>{html.escape(value)}</dd></div>'
                    for key, value in report["machine"].items())
    promises = [promise["kept"] for section in report["sections"] for promise in section["promises"]]
    verdict = f"<p>{sum(promises)} of {len(promises)} promises kept</p>" if promises else ""
    links = "".join(f'<a href="#{anchor}">{html.escape(section["title"])}</a>' for anchor, section in zip(anchors, report["sections"]))
    sections = "".join(section_html(section, anchor) for section, anchor in zip(report["sections"], anchors))
    return f"""<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>{html.escape(report["title"])}</title>
<style>:root{{{light};color-scheme:light dark}}
@media screen and (prefers-color-scheme:dark){{:root{{{dark}}}}}{STYLE}</style></head><body>
<h1>{html.escape(report["title"])}</h1>
<p><small>Measured {html.escape(report["date"])}</small> <code>{html.escape(report["command"])}</code></p>
{verdict}<dl class="facts">{facts}</dl><nav>{links}</nav>
{sections or "<p>Nothing was measured.</p>"}
<p><small>± is how far runs lie from their median at most.</small></p></body></html>
"""


def read_report(path):
    try:
        report = json.loads(Path(path).read_text(encoding="utf-8"))
        if report["schema"] != SCHEMA:
            raise ValueError(f'its schema is {report["schema"]}, not {SCHEMA}')
        return report
    except (OSError, ValueError, KeyError, TypeError) as error:
        sys.exit(f"pages.py: {path}: not a report of vfilter-bench: {error}")


def main():
    parser = argparse.ArgumentParser(description="Pages and plots of reports of vfilter-bench and vfilter-study.")
    parser.add_argument("reports", nargs="+", metavar="REPORT.json")
    parser.add_argument("--html", metavar="FILE", help="write a page to this file")
    parser.add_argument("--json", metavar="FILE", help="write one report with the sections of all")
    parser.add_argument("--plots", metavar="FOLDER", help="write each plot to KEY.svg in this folder")
    parser.add_argument("--plot", action="append", default=[], metavar="KEY=FILE", help="write this plot to an .svg or .png")
    arguments = parser.parse_args()
    report, *more = map(read_report, arguments.reports)
    for other in more:
        report["sections"] += other["sections"]
    plots = {plot["key"]: plot for section in report["sections"] for plot in section["plots"]}
    if arguments.json:
        Path(arguments.json).write_text(json.dumps(report, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    if arguments.html:
        Path(arguments.html).write_text(page_of(report), encoding="utf-8")
    if arguments.plots:
        for key, plot in plots.items():
            (Path(arguments.plots) / f"{key}.svg").write_bytes(picture_of(plot, title=True))
    for wish in arguments.plot:
        key, _, file = wish.partition("=")
        if key not in plots or Path(file).suffix not in (".svg", ".png"):
            sys.exit(f"pages.py: --plot {wish}: KEY=FILE.svg or KEY=FILE.png, with one of {', '.join(plots)}")
        Path(file).write_bytes(picture_of(plots[key], Path(file).suffix[1:], title=True))


if __name__ == "__main__":
    main()
