#!/usr/bin/env python3
"""bench/pages.py on a small report: nothing of it may be missing in the page and the pictures."""
import contextlib
import importlib.util
import io
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as xml
from pathlib import Path

PAGES = Path(__file__).resolve().parents[2] / "bench" / "pages.py"
SVG = "{http://www.w3.org/2000/svg}"


def spread(median):
    return {"median": median, "lowest": 0.99 * median, "highest": 1.02 * median, "runs": 7}


def line(name, values, **more):
    return {"name": name, "ours": False, "points": [[x, y] for x, y in zip((1, 2, 4, 8), values)], **more}


def report(key="ladder", hostile=""):
    columns = [{"key": "size", "title": "Size", "unit": "px", "digits": 3}, {"key": "us", "title": "Time", "unit": "us", "digits": 3},
               {"key": "note", "title": "Note", "unit": "", "digits": 3}]
    rows = [{"ours": n == 1, "size": n, "us": spread(14648.4 / (n + 1)), "note": None} for n in range(3)]
    axis = {"title": "radius" + hostile, "logarithmic": True}
    section = {
        "key": key, "title": "The ladder" + hostile, "text": "How it was measured" + hostile,
        "sentences": ["Ours is first" + hostile, "And second"],
        "plots": [
            {"key": "lines", "title": "Time over radius" + hostile, "text": "", "x": axis, "y": axis | {"title": "ms"}, "categories": [],
             "series": [line("ours" + hostile, (1, 1.1, None, 1.3), ours=True), line("NPP", (3, 4, 5, 6)), line("naive", (9, 30)),
                        line("aim", (1.5, 1.5), target=True)]},
            {"key": "bars", "title": "Runs", "text": "", "x": {"title": "", "logarithmic": False},
             "y": {"title": "fps", "logarithmic": False}, "categories": ["whole run" + hostile, "decoder", "nothing"],
             "series": [{"name": "vfilter", "ours": True, "points": [[0, 136.2], [1, 355]]},
                        {"name": "ffmpeg", "ours": False, "points": [[0, 65.7], [2, None]]}]}],
        "tables": [{"key": "short", "title": "Short table" + hostile, "text": "", "columns": columns, "rows": rows},
                   {"key": "long", "title": "Long table", "text": "", "columns": columns, "rows": 10 * rows}],
        "promises": [{"what": "kept" + hostile, "measured": 0.86123, "limit": 0.85, "at_least": True, "kept": True},
                     {"what": "missed", "measured": 0.84996, "limit": 0.85, "at_least": True, "kept": False}],
        "left_out": [{"what": "cuDNN's rungs", "why": "built without cudnn.h" + hostile}]}
    return {"schema": 1, "title": "vfilter-study" + hostile, "command": "vfilter-study --json x", "date": "2026-11-22T12:00:00Z",
            "machine": {"gpu": "NVIDIA H200" + hostile}, "machine_titles": {"gpu": "GPU"}, "sections": [section]}


# In this process: the libraries that draw take most of a second to load.
spec = importlib.util.spec_from_file_location("pages", PAGES)
pages = importlib.util.module_from_spec(spec)
spec.loader.exec_module(pages)


def run_here(arguments, folder):
    given, place = sys.argv, Path.cwd()
    out, err, code = io.StringIO(), io.StringIO(), 0
    try:
        sys.argv = [str(PAGES), *map(str, arguments)]
        os.chdir(folder)
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            pages.main()
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else 1
        err.write("" if isinstance(end.code, int) else str(end.code))
    finally:
        sys.argv = given
        os.chdir(place)
    return subprocess.CompletedProcess(arguments, code, out.getvalue(), err.getvalue())


class Pages(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = Path(self.folder.name)

    def run_pages(self, reports, *arguments, process=False):
        files = []
        for n, one in enumerate(reports):
            files.append(self.path / f"{n}.json")
            files[-1].write_text(one if isinstance(one, str) else json.dumps(one), encoding="utf-8")
        if process:
            return subprocess.run([sys.executable, PAGES, *files, *arguments], capture_output=True, text=True, cwd=self.path, check=False)
        return run_here([*files, *arguments], self.path)

    def page(self, *reports, process=False):
        result = self.run_pages(reports, "--html", "page.html", process=process)
        self.assertEqual(result.returncode, 0, result.stderr)
        return (self.path / "page.html").read_text(encoding="utf-8")

    def test_page_has_everything(self):
        page = self.page(report())
        for part in ("<h1>vfilter-study</h1>", "The ladder", "How it was measured", "Ours is first", "And second", "NVIDIA H200",
                     "Short table", "Long table</h3> (30 rows)", "1 of 2 promises kept", ">0.861<", ">0.84996<", "MISS",
                     "cuDNN&#x27;s rungs", "built without cudnn.h", "14,648", "±2.0 %", 'title="7 runs: 14,502 to 14,941"'):
            self.assertIn(part, page)
        self.assertEqual(page.count("<svg"), 2)
        self.assertEqual(page.count("<table"), 3)
        self.assertEqual(page.count("<details"), 1, "long tables are folded away")
        self.assertEqual(page.count("<tr class=ours>"), 1 + 10)
        for plot in re.findall(r"<svg.*?</svg>", page, flags=re.S):
            self.assertNotRegex(plot, "#[0-9a-f]{6}", "a colour that does not follow the scheme")
        self.assertNotRegex(page.replace("http://www.w3.org/", ""), r"://|<script|<link|src=|@import", "it needs something else")

    def test_pictures_have_every_series(self):
        result = self.run_pages([report()], "--plots", ".", "--plot", "lines=other.png")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual((self.path / "other.png").read_bytes()[1:4], b"PNG")
        texts = {name: [text.text for text in xml.parse(self.path / f"{name}.svg").iter(f"{SVG}text")] for name in ("lines", "bars")}
        for part in ("Time over radius", "radius", "ms", "ours  1.30", "NPP  6.00", "naive", "aim", "8"):
            self.assertIn(part, texts["lines"])
        for part in ("Runs", "fps", "whole run", "decoder", "nothing", "136", "355", "65.7", "vfilter", "ffmpeg"):
            self.assertIn(part, texts["bars"])

    # Of different processes: in one the order of sets and the numbers of objects are the same, or follow on each other.
    def test_same_report_same_bytes(self):
        self.assertEqual(self.page(report(), process=True), self.page(report(), process=True))

    def test_text_is_escaped(self):
        page = self.page(report(hostile="<script>&\"'"))
        self.assertNotIn("<script", page)
        self.assertGreater(page.count("&lt;script&gt;&amp;"), 10)

    def test_plots_of_next_to_nothing(self):
        bare = report()
        plots = bare["sections"][0]["plots"]
        plots[0]["series"] = []
        plots.append(plots[0] | {"key": "one", "series": [line("only", (3,))]})
        plots.append(plots[0] | {"key": "no", "series": [line("zero", (0, -1, None))]})
        plots[1]["series"] = []
        self.assertEqual(self.page(bare).count("<svg"), 4)
        self.assertIn("Nothing was measured.", self.page(bare | {"sections": []}))

    def test_sections_of_several_reports(self):
        page = self.page(report(), report("sweep"), report())
        for anchor in ("ladder", "sweep", "ladder.3"):
            self.assertEqual(page.count(f'<section id="{anchor}">'), 1)
            self.assertEqual(page.count(f'href="#{anchor}"'), 1)
        self.assertEqual(self.run_pages([report(), report("sweep")], "--json", "all.json").returncode, 0)
        merged = json.loads((self.path / "all.json").read_text(encoding="utf-8"))
        self.assertEqual(merged, report() | {"sections": report()["sections"] + report("sweep")["sections"]})

    def test_refuses_what_is_no_report(self):
        for bad in ("{", "[]", json.dumps(report() | {"schema": 2})):
            result = self.run_pages([bad], "--html", "page.html")
            self.assertEqual(result.returncode, 1)
            self.assertIn("not a report of vfilter-bench", result.stderr)
        self.assertIn("with one of lines, bars", self.run_pages([report()], "--plot", "none=x.svg").stderr)


if __name__ == "__main__":
    unittest.main()
