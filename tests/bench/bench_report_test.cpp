// The writers of benchmarks' reports. VFILTER_REPORT_SAMPLE=FOLDER leaves what they write there, to be looked at.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>

#include "bench/plot.h"
#include "bench/report.h"
#include "bench/text.h"

namespace vfilter::bench {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

Spread spread(double median, double part, int runs = 9) {
    return {median, median * (1 - part), median * (1 + 0.7 * part), runs};
}

Section pipeline_section() {
    Section section{"pipeline",
                    "Whole runs",
                    "A 2160p H.264 clip of 600 frames, made on the spot; medians of seven runs of each, in turn.",
                    {"A 2160p film is blurred at 412 frames a second on the GPU: as fast as it is decoded.",
                     "ffmpeg with gblur needs 9.4 times as long for a blur that is an approximation.",
                     "With x264, encoding takes 71 % of the time, and the filter none that one would notice."},
                    {},
                    {},
                    {},
                    {}};
    section.plots.push_back({"fps",
                             "Frames a second, each stage alone and all together",
                             "The whole cannot be faster than its slowest stage.",
                             {},
                             {"frames per second, 2160p 4:2:0 of 8 bits; more is better", false},
                             {"decode alone", "filter, CPU, 16 threads", "filter, one GPU", "encode, x264 ultrafast",
                              "the whole: decode, filter on the GPU, encode", "ffmpeg: decode, encode, no filter",
                              "ffmpeg with gblur", "ffmpeg with avgblur_opencl"},
                             {{"vfilter", {{0, 431.2}, {1, 287.4}, {2, 3801}, {3, 158.3}, {4, 155.1}}, true},
                              {"ffmpeg", {{5, 149.7}, {6, 16.53}, {7, nan}}, false}}});
    section.tables.push_back(
        {"runs",
         "Whole runs",
         "",
         {{"what", "what", "", 3},
          {"fps", "frames per second", "fps", 3},
          {"seconds", "time", "s", 3},
          {"cpu", "processors busy", "", 3},
          {"memory", "peak memory", "MiB", 3}},
         {{{"decode, filter on the GPU, encode", spread(155.1, 0.012), spread(3.868, 0.012), 14.2, 412.8}, true},
          {{"ffmpeg: no filter", spread(149.7, 0.03), spread(4.008, 0.03), 15.1, 398.1}, false},
          {{"ffmpeg with gblur", spread(16.53, 0.32), spread(36.3, 0.3), 2.1, 421.3}, false},
          {{"ffmpeg with avgblur_opencl", {}, {}, {}, {}}, false}}});
    section.promises = {{"--format null --gaussian 5 beside decoding alone", 1.0512, 1.15, false},
                        {"x264 veryfast with --gaussian 5 beside no filter", 0.791, 1.05, false},
                        {"engine beside plain copies", 0.8496, 0.85, true}};
    section.left_out = {{"ffmpeg with avgblur_opencl", "this ffmpeg was built without OpenCL"},
                        {"VMAF", "libvmaf was not found"}};
    return section;
}

Section kernels_section() {
    Section section{
        "kernels",
        "Kernels beside a copy",
        "Planes of 2160p, eight to a launch, more pictures than the L2 cache holds. The floor is a kernel that "
        "copies the same bytes.",
        {"A Gaussian of size 5 takes 1.5 times as long as copying the picture.",
         "NPP takes 3.6 times as long at size 5 and 8.1 times at size 31.",
         "cuDNN, with real numbers, is another 20 times slower."},
        {},
        {},
        {},
        {}};
    const double sizes[] = {3, 5, 7, 15, 31, 63};
    struct Line {
        const char* name;
        double values[6];
        bool ours;
    };
    const Line lines[] = {{"vfilter, 8 bits", {1.4, 1.5, 1.9, 3.5, 6.3, 12}, true},
                          {"vfilter, 10 bits", {1.35, 1.4, 1.6, 2.3, 5.4, 8.6}, true},
                          {"NPP, its faster way", {4.1, 5.6, 7.0, 38, 52, 85}, false},
                          {"cuDNN, implicit GEMM", {99, 108, 197, 160, 1400, 415}, false},
                          {"OpenCV CUDA", {6.3, 7.1, 9.4, 21, 44, nan}, false}};
    Plot plot{"floors",
              "Time beside copying the same bytes",
              "1 is a kernel that copies the picture and does nothing else.",
              {"size of the Gaussian, pixels", true},
              {"time / time of a copy; less is better", true},
              {},
              {}};
    Table table{"gaussian",
                "Gaussian, 2160p plane",
                "",
                {{"size", "size", "px", 3},
                 {"us", "vfilter", "us", 3},
                 {"floors", "vfilter", "× copy", 3},
                 {"npp_us", "NPP", "us", 3},
                 {"cudnn_us", "cuDNN", "us", 4}},
                {}};
    for (const Line& line : lines) {
        Series series{line.name, {}, line.ours};
        for (std::size_t i = 0; i < std::size(sizes); ++i) {
            series.points.push_back({sizes[i], line.values[i]});
        }
        plot.series.push_back(series);
    }
    for (std::size_t i = 0; i < std::size(sizes); ++i) {
        table.rows.push_back({{sizes[i], spread(4.7 * lines[0].values[i], 0.004), lines[0].values[i],
                               spread(4.7 * lines[2].values[i], 0.03), 4.7 * lines[3].values[i]},
                              false});
    }
    section.plots = {plot};
    section.plots.push_back({"others",
                             "Filters that are no smoothings",
                             "",
                             {},
                             {"us per 2160p plane; less is better", true},
                             {"sobel 3", "sharpen 5", "sobel 7"},
                             {{"vfilter, 8 bits", {{0, 12.0}, {1, 11.4}, {2, 199}}, true},
                              {"vfilter, 10 bits", {{0, 21.8}, {1, 15.9}}, true},
                              {"NPP", {{0, 41.7}, {1, 88}, {2, 402}}, false},
                              {"OpenCV CUDA", {{0, 97}, {1, 63}, {2, 1210}}, false}}});
    section.tables = {table};
    return section;
}

Section ladder_section() {
    Section section{"ladder",
                    "From the naive kernel to ours",
                    "",
                    {"The last rung is 214 times as fast as the first at radius 15.",
                     "Half of it comes of doing rows and columns apart; the rest of moving fewer bytes."},
                    {},
                    {},
                    {{"last rung beside the first, radius 15", 214, 100, true}},
                    {{"tensor cores at radius 31", "the taps do not fit"}}};
    const char* const rungs[] = {"1 one thread a pixel",
                                 "2 constant memory for taps",
                                 "3 texture",
                                 "4 shared memory, whole tile",
                                 "5 rows and columns apart",
                                 "6 shared, separable",
                                 "7 four pixels a thread",
                                 "8 registers roll down",
                                 "9 dp4a",
                                 "10 asynchronous loads",
                                 "11 two columns in a word",
                                 "12 tensor cores, fp16",
                                 "13 vfilter"};
    Plot plot{"radius", "Every rung over the radius", "", {"radius, pixels", true}, {"ms per 2160p plane", true}, {},
              {}};
    Table table{"rungs",
                "Rungs at radius 15",
                "Published figures are of the machines they name, and so no comparison of programs.",
                {{"rung", "rung", "", 3},
                 {"ms", "time", "ms", 3},
                 {"gflop_per_s", "arithmetic", "GFLOP/s", 3},
                 {"peak", "share of peak", "%", 2},
                 {"gb_per_s", "memory", "GB/s", 3},
                 {"speed_up", "speed-up", "×", 3},
                 {"published", "published", "", 3}},
                {}};
    double scale = 1;
    for (std::size_t i = 0; i < std::size(rungs); ++i) {
        const bool ours = i + 1 == std::size(rungs);
        Series series{rungs[i], {}, ours};
        const double slope = i < 4 ? 1.9 : 0.9;
        for (const double radius : {1.0, 2.0, 3.0, 5.0, 7.0, 10.0, 15.0, 20.0, 31.0}) {
            series.points.push_back({radius, 0.11 * scale * std::pow(radius, slope)});
        }
        const double ms = series.points[6].y;
        table.rows.push_back({{rungs[i], spread(ms, 0.003 * static_cast<double>(i + 1)), 8e6 * 2 * 961 / ms / 1e6,
                               100 * 8e6 * 2 * 961 / ms / 1e6 / 67000, 16.6 / ms, table.rows.empty() ? 1 : 18.9 / ms,
                               i % 4 == 1 ? Cell("0.84 ms on an RTX 2060 (Steam of kernels, 2021)") : Cell()},
                              ours});
        plot.series.push_back(series);
        scale *= 0.74;
    }
    section.plots = {plot};
    section.tables = {table};
    return section;
}

Report sample() {
    return {"vfilter on one NVIDIA H200",
            "vfilter-bench --clip 'holiday & friends.mp4' --html report.html",
            "2026-11-21T12:30:00Z",
            {{"cpu", "Processor", "Intel Xeon Platinum 8488C, 16 threads"},
             {"memory", "Memory", "128 GiB"},
             {"gpu", "GPU", "NVIDIA H200, 139 GiB"},
             {"driver", "Driver", "580.95, CUDA 13.0"},
             {"system", "System", "Debian GNU/Linux 12"},
             {"vfilter", "vfilter", "0.1.0, commit 03022ae"},
             {"ffmpeg", "FFmpeg", "5.1.8"}},
            {pipeline_section(), kernels_section(), ladder_section()}};
}

std::size_t count_of(const std::string& text, const std::string& part) {
    std::size_t count = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size())) {
        ++count;
    }
    return count;
}

// What is wrong with `text` as XML; empty for nothing. Attributes are quoted, every & begins an entity, tags are closed
// in their order.
std::string fault(const std::string& text) {
    std::vector<std::string> open;
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (text[at] == '&') {
            const std::string entity = text.substr(at, text.find(';', at) - at);
            if (!std::set<std::string>{"&amp", "&lt", "&gt", "&quot", "&#39"}.contains(entity)) {
                return "entity " + entity;
            }
        }
        if (text[at] != '<' || text.compare(at, 9, "<!DOCTYPE") == 0) {
            continue;
        }
        bool quoted = false;
        std::size_t end = at + 1;
        while (end < text.size() && (quoted || text[end] != '>')) {
            if (text[end] == '<') {
                return "< within " + text.substr(at, 60);
            }
            quoted = quoted != (text[end] == '"');
            ++end;
        }
        if (end == text.size()) {
            return "no end of " + text.substr(at, 60);
        }
        const std::string tag = text.substr(at + 1, end - at - 1);
        const std::string name = tag.substr(0, tag.find_first_of(" /", 1));
        if (tag.front() == '/') {
            if (open.empty() || "/" + open.back() != tag) {
                return tag + " closes " + (open.empty() ? "nothing" : open.back());
            }
            open.pop_back();
        } else if (tag.back() != '/') {
            open.push_back(name);
        }
        at = end;
    }
    return open.empty() ? "" : "not closed: " + open.back();
}

Report report_of(Plot plot) {
    Section section{"s", "s", "", {}, {std::move(plot)}, {}, {}, {}};
    return {"r", "", "", {}, {std::move(section)}};
}

Plot plot_of(std::vector<Series> series, bool logarithmic = false, std::vector<std::string> categories = {}) {
    return {"p", "p", "", {"x", logarithmic}, {"y", logarithmic}, std::move(categories), std::move(series)};
}

TEST(BenchReport, finds_the_spread_of_odd_and_even_counts) {
    const Spread odd = spread_of({9, 1, 4});
    EXPECT_EQ(odd.median, 4);
    EXPECT_EQ(odd.lowest, 1);
    EXPECT_EQ(odd.highest, 9);
    EXPECT_EQ(odd.runs, 3);
    EXPECT_EQ(spread_of({8, 1, 4, 5}).median, 4.5);
    EXPECT_EQ(spread_of({7}).median, 7);
    EXPECT_THROW(spread_of({}), std::logic_error);
}

TEST(BenchReport, writes_numbers_with_their_digits) {
    struct Case {
        double value;
        int digits;
        std::string text;
    };
    for (const Case& one :
         {Case{0, 3, "0"}, Case{14648.4, 3, "14,648"}, Case{1234567, 3, "1,234,567"}, Case{999.6, 3, "1,000"},
          Case{9.996, 3, "10.0"}, Case{58.24, 3, "58.2"}, Case{0.07123, 3, "0.0712"}, Case{-1500.26, 5, "-1,500.3"},
          Case{5.96e-8, 3, "5.96e-08"}, Case{nan, 3, "–"}, Case{infinity, 3, "–"}, Case{2, 0, "2"}}) {
        EXPECT_EQ(number_text(one.value, one.digits), one.text);
    }
    for (const auto& [value, text] : std::vector<std::pair<double, std::string>>{
             {0.3, "0.3"}, {3 * 0.1, "0.3"}, {5000, "5,000"}, {2e6, "2M"}, {-20, "-20"}, {0, "0"}, {1e-7, "1e-07"}}) {
        EXPECT_EQ(tick_text(value), text);
    }
}

TEST(BenchReport, writes_spreads_as_percent_or_as_a_range) {
    EXPECT_EQ(spread_text({100, 99.5, 101.24, 5}, 3), "±1.2 %");
    EXPECT_EQ(spread_text({100, 85, 101, 5}, 3), "±15 %");
    EXPECT_EQ(spread_text({10, 4.1, 93, 5}, 3), "4.10–93.0");
    EXPECT_EQ(spread_text({10, 10, 10, 1}, 3), "");
    EXPECT_EQ(spread_text({0, 0, 0, 3}, 3), "");
    EXPECT_EQ(spread_text({nan, nan, nan, 3}, 3), "");
}

TEST(BenchReport, shows_whole_numbers_of_a_column_without_a_point) {
    Table table{"", "", "", {{"size", "", "", 3}, {"us", "", "", 3}}, {{{3.0, 3.0}, false}, {{63.0, 3.5}, false}}};
    EXPECT_EQ(cell_text(table.rows[0].cells[0], shown_digits(table, 0)).value, "3");
    EXPECT_EQ(cell_text(table.rows[0].cells[1], shown_digits(table, 1)).value, "3.00");
}

TEST(BenchReport, shows_that_a_missed_promise_is_missed) {
    EXPECT_EQ(promise_text({"", 0.84996, 0.85, true}).measured, "0.84996");
    EXPECT_EQ(promise_text({"", 0.86123, 0.85, true}).measured, "0.861");
}

TEST(BenchReport, takes_the_same_way_back_from_json) {
    Report report = sample();
    report.sections[0].plots[0].series[0].points.push_back({infinity, 1});
    report.sections[0].promises.push_back({"never measured", nan, 1, false});
    report.sections[0].tables[0].rows[0].cells = {Spread{nan, 1, 2, 3}, std::monostate(), "words", 1.5};  // one short
    report.facts.push_back({"gpu", "A second GPU", "another"});
    const nlohmann::ordered_json json = to_json(report);
    const nlohmann::ordered_json read = nlohmann::ordered_json::parse(json.dump());
    EXPECT_EQ(read, json);
    const Report again = from_json(read);
    EXPECT_EQ(to_json(again).dump(), json.dump());
    EXPECT_EQ(json.at("schema"), 1);
    EXPECT_EQ(json.at("machine").at("gpu_2"), "another");
    EXPECT_EQ(json.at("sections")[1].at("tables")[0].at("rows")[0].at("us").at("runs"), 9);
    EXPECT_EQ(to_html(from_json(to_json(sample()))), to_html(sample()));
}

TEST(BenchReport, keeps_columns_whose_keys_are_taken) {
    Report report = sample();
    report.sections[0].tables = {{"t", "t", "", {{"ours", "", "", 3}, {"a", "", "", 3}, {"a", "", "", 3}}, {}}};
    report.sections[0].tables[0].rows = {{{1.0, 2.0, 3.0}, true}};
    const auto row = to_json(report).at("sections")[0].at("tables")[0].at("rows")[0];
    EXPECT_EQ(row.dump(), R"({"ours":true,"ours_2":1.0,"a":2.0,"a_2":3.0})");
}

TEST(BenchReport, refuses_json_that_is_not_its_own) {
    using Json = nlohmann::ordered_json;
    const Json good = to_json(sample());
    std::vector<Json> bad(7, good);
    bad[0]["schema"] = 2;
    bad[1].erase("date");
    bad[2]["more"] = 1;
    bad[3]["title"] = 5;
    bad[4]["sections"] = "none";
    bad[5]["sections"][0]["promises"][0]["kept"] = false;
    bad[6]["sections"][0]["tables"][0]["rows"][0]["fps"] = Json::array();
    bad.emplace_back();
    bad.emplace_back("text");
    for (const Json& json : bad) {
        EXPECT_THROW(from_json(json), std::runtime_error) << json.dump().substr(0, 200);
    }
}

// Every text of the report is the same.
Report report_of_texts(const std::string& text) {
    Report report = sample();
    report.title = report.command = report.date = text;
    report.facts = {{text, text, text}};
    for (Section& section : report.sections) {
        section.key = section.title = section.text = text;
        section.sentences = {text, text};
        for (Plot& plot : section.plots) {
            plot.key = plot.title = plot.text = plot.x.title = plot.y.title = text;
            std::fill(plot.categories.begin(), plot.categories.end(), text);
            for (Series& series : plot.series) {
                series.name = text;
            }
        }
        for (Table& table : section.tables) {
            table.key = table.title = table.text = text;
            for (Column& column : table.columns) {
                column.key = column.title = column.unit = text;
            }
            table.rows[0].cells[0] = text;
        }
        for (Promise& promise : section.promises) {
            promise.what = text;
        }
        for (LeftOut& left_out : section.left_out) {
            left_out = {text, text};
        }
    }
    return report;
}

TEST(BenchReport, escapes_every_text) {
    const Report report = report_of_texts("<script>alert(\"1\" + '2' & \"3\")</script>");
    const std::string html = to_html(report);
    EXPECT_EQ(fault(html), "");
    EXPECT_EQ(count_of(html, "<script"), 0U);
    EXPECT_GT(count_of(html, "&lt;script&gt;alert(&quot;1&quot; + &#39;2&#39; &amp; "), 40U);
    EXPECT_EQ(fault(to_svg(report.sections[0].plots[0])), "");
    EXPECT_EQ(to_json(from_json(to_json(report))), to_json(report));
}

TEST(BenchReport, survives_bytes_that_are_no_text) {
    for (const std::string text :
         {"\xff\xc3", "\x1b[31m", "\xed\xa0\x80", "\xc0\x80", "\xc1\x81", "\xf4\x90\x80\x80"}) {
        const Report report = report_of_texts("a" + text + "z");
        const std::string json = to_json(report).dump();  // throws for invalid UTF-8
        const std::string html = to_html(report);
        EXPECT_EQ(clean(html), html);
        EXPECT_NE(html.find("a\xEF\xBF\xBD"), std::string::npos);
        EXPECT_EQ(html.find(text), std::string::npos);
        EXPECT_EQ(clean(to_text(report.sections[0])), to_text(report.sections[0]));
    }
    EXPECT_EQ(clean("µ – 像 😀 é\n\t"), "µ – 像 😀 é\n\t");
}

TEST(BenchReport, makes_one_page_that_needs_no_other) {
    const std::string html = to_html(sample());
    EXPECT_EQ(fault(html), "");
    EXPECT_EQ(count_of(html, "://"), count_of(html, "xmlns=\"http://www.w3.org/2000/svg\""));
    for (const char* const foreign : {"<script", "<link", "src=", "url(", "@import"}) {
        EXPECT_EQ(html.find(foreign), std::string::npos) << foreign;
    }
    std::set<std::string> ids;
    for (std::size_t at = html.find(" id=\""); at != std::string::npos; at = html.find(" id=\"", at + 5)) {
        const std::string id = html.substr(at + 5, html.find('"', at + 5) - at - 5);
        EXPECT_TRUE(ids.insert(id).second) << id;
    }
    for (const std::string section : {"pipeline", "kernels", "ladder"}) {
        EXPECT_TRUE(ids.contains(section));
        EXPECT_EQ(count_of(html, "href=\"#" + section + "\""), 2U);  // once in the list of sections, once in its card
    }
}

TEST(BenchReport, gives_sections_of_one_key_ids_of_their_own) {
    Report report = sample();
    report.sections[1].key = report.sections[0].key;
    report.sections[2].key = "a b";
    const std::string html = to_html(report);
    EXPECT_EQ(count_of(html, "<section id=\"pipeline\">"), 1U);
    EXPECT_EQ(count_of(html, "<section id=\"section.2\">"), 1U);
    EXPECT_EQ(count_of(html, "<section id=\"section.3\">"), 1U);
}

TEST(BenchReport, says_what_is_ours_what_was_missed_and_what_was_left_out) {
    const std::string html = to_html(sample());
    EXPECT_EQ(count_of(html, "<tr class=\"ours\">"), 2U);
    EXPECT_EQ(count_of(html, ">MISS<"), 2U);  // the promise, and the sum of all
    EXPECT_NE(html.find("3 of 4 promises kept"), std::string::npos);
    EXPECT_NE(html.find("<dt>VMAF</dt><dd>libvmaf was not found</dd>"), std::string::npos);
}

TEST(BenchReport, folds_long_tables_away) {
    Report report = sample();
    EXPECT_EQ(count_of(to_html(report), "<details"), 0U);
    report.sections[0].tables[0].rows.resize(40);
    EXPECT_EQ(count_of(to_html(report), "<details"), 1U);
}

TEST(BenchReport, draws_what_there_is_of_a_plot) {
    struct Case {
        const char* what = "";
        Plot plot;
        std::size_t marks = 0;  // with those of the legend
    };
    const double huge = std::numeric_limits<double>::max();
    const double tiny = std::numeric_limits<double>::denorm_min();
    std::vector<Series> many;
    many.reserve(16);
    for (int i = 0; i < 16; ++i) {
        many.push_back({std::string(static_cast<std::size_t>(20 * i), 'W'), {{1, 7}, {2, 7}}, i == 3});
    }
    for (const Case& one :
         {Case{"no series", plot_of({}), 0}, Case{"no points", plot_of({{"a", {}, true}}), 0},
          Case{"one point", plot_of({{"a", {{3, 4}}, true}}), 2},
          Case{"one point, logarithmic", plot_of({{"a", {{3, 4}}, true}}, true), 2},
          Case{"one point, zero", plot_of({{"a", {{0, 0}}, true}}), 2},
          Case{"nothing that fits a logarithmic axis", plot_of({{"a", {{0, 1}, {1, 0}, {-1, 2}, {2, -2}}, true}}, true),
               0},
          Case{"zero and less, logarithmic", plot_of({{"a", {{0, 1}, {1, 0}, {-1, 2}, {2, 5}, {3, 6}}, true}}, true),
               3},
          Case{"no numbers", plot_of({{"a", {{nan, 1}, {1, nan}, {1, infinity}, {-infinity, 1}, {1, 1}}, true}}), 2},
          Case{"out of all bounds", plot_of({{"a", {{huge, 1}, {1, huge}, {1, -huge}, {1, 1}}, true}}), 2},
          Case{"out of all bounds, logarithmic",
               plot_of({{"a", {{tiny, 1}, {1, tiny}, {huge, 1}, {1, 1}}, true}}, true), 2},
          Case{"hardly a range", plot_of({{"a", {{1e20, 1}, {1e20 + 20000, 1 + 1e-15}}, true}}), 3},
          Case{"less than zero", plot_of({{"a", {{-5, -3}, {5, 3}}, true}}), 3}, Case{"many", plot_of(many), 48}}) {
        const std::string svg = to_svg(one.plot);
        EXPECT_EQ(count_of(svg, "class=\"m "), one.marks) << one.what;
        EXPECT_EQ(fault(svg), "") << one.what;
        EXPECT_EQ(svg.find("nan"), std::string::npos) << one.what;
        EXPECT_EQ(svg.find("inf"), std::string::npos) << one.what;
        EXPECT_LT(svg.size(), 60000U) << one.what;
        EXPECT_EQ(fault(to_html(report_of(one.plot))), "") << one.what;
    }
}

TEST(BenchReport, draws_a_bar_for_each_value_of_a_category) {
    const Series ours{"a", {{0, 3}, {1, nan}, {2, 0}, {7, 1}, {-1, 1}, {0.5, 1}}, true};
    const Series other{"b", {{1, 30}}, false};
    const std::vector<std::string> categories{"x", std::string(300, 'W'), "z", ""};
    const std::string linear = to_svg(plot_of({ours, other}, false, categories));
    EXPECT_EQ(count_of(linear, "</title></rect>"), 3U);
    const std::string logarithmic = to_svg(plot_of({ours, other}, true, categories));
    EXPECT_EQ(count_of(logarithmic, "</title></rect>"), 2U);
    const std::string none = to_svg(plot_of({{"a", {}, true}}, true, categories));
    EXPECT_EQ(count_of(none, "</title></rect>"), 0U);
    for (const std::string& svg : {linear, logarithmic, none}) {
        EXPECT_EQ(fault(svg), "");
        EXPECT_EQ(svg.find("nan"), std::string::npos);
    }
}

TEST(BenchReport, leaves_a_gap_where_a_value_is_missing) {
    const std::string svg = to_svg(plot_of({{"a", {{1, 1}, {2, 2}, {3, nan}, {4, 4}, {5, 5}}, true}}));
    const std::size_t at = svg.find("class=\"l lo d0\"", svg.find("class=\"l lo d0\"") + 1);  // after the legend's
    const std::size_t begin = svg.rfind("d=\"", at);
    EXPECT_EQ(count_of(svg.substr(begin, at - begin), "M"), 2U);
    EXPECT_EQ(count_of(svg.substr(begin, at - begin), "L"), 2U);
}

TEST(BenchReport, shows_targets_as_marks_behind_the_lines) {
    const Series line{"line", {{1, 2}, {2, 3}}, true};
    const Series target{"aim", {{1, 1.5}, {2, 2.5}, {3, nan}}, false, true};
    const std::string without = to_svg(plot_of({line}));
    const std::string svg = to_svg(plot_of({line, target}));
    EXPECT_EQ(fault(svg), "");
    EXPECT_EQ(count_of(svg, "class=\"w\""), 3U);  // two and the legend's
    for (const char* const drawn : {"class=\"l ", "class=\"m "}) {
        EXPECT_EQ(count_of(svg, drawn), count_of(without, drawn)) << drawn;
    }
    EXPECT_EQ(count_of(svg, ">aim</text>"), 1U);  // no line ends there
    EXPECT_LT(svg.rfind("class=\"w\""), svg.rfind("class=\"l lo"));
    // Where there is none, figures are written as they always were.
    const Report report = report_of(plot_of({line, target}));
    const auto series = to_json(report).at("sections")[0].at("plots")[0].at("series");
    EXPECT_FALSE(series[0].contains("target"));
    EXPECT_EQ(series[1].at("target"), true);
    EXPECT_EQ(to_html(from_json(to_json(report))), to_html(report));
}

TEST(BenchReport, keeps_names_at_line_ends_apart) {
    std::vector<Series> series;
    series.reserve(12);
    for (int i = 0; i < 12; ++i) {
        series.push_back({fmt::format("name {}", i), {{1, 1}, {2, 10 + 0.01 * i}}, i == 5});
    }
    const std::string svg = to_svg(plot_of(series));
    std::vector<double> heights;
    heights.reserve(12);
    for (int i = 0; i < 12; ++i) {
        const std::size_t name = svg.rfind(fmt::format(">name {}</text>", i));
        heights.push_back(std::stod(svg.substr(svg.rfind("y=\"", name) + 3)));
    }
    std::sort(heights.begin(), heights.end());
    for (std::size_t i = 1; i < heights.size(); ++i) {
        EXPECT_GT(heights[i] - heights[i - 1], 15);
    }
}

TEST(BenchReport, finds_round_ticks) {
    using Ticks = std::vector<double>;
    EXPECT_EQ(log_ticks(1, 100, 9), (Ticks{1, 2, 5, 10, 20, 50, 100}));
    EXPECT_EQ(log_ticks(3, 8, 9), (Ticks{3, 4, 5, 6, 7, 8}));
    EXPECT_EQ(log_ticks(0.001, 1000, 9), (Ticks{0.001, 0.01, 0.1, 1, 10, 100, 1000}));
    EXPECT_EQ(log_ticks(1, 1e9, 4), (Ticks{1, 1e3, 1e6, 1e9}));
    EXPECT_EQ(log_ticks(1e-90, 1e90, 9).size(), 9U);
    EXPECT_EQ(log_ticks(0.02, 0.5, 5), (Ticks{0.02, 0.05, 0.1, 0.2, 0.5}));
    EXPECT_EQ(linear_ticks(0, 4000, 6), (Ticks{0, 1000, 2000, 3000, 4000}));
    EXPECT_EQ(linear_ticks(0, 1, 6), (Ticks{0, 0.2, 0.4, 0.6, 0.8, 1}));
    EXPECT_EQ(linear_ticks(-3, 7, 4), (Ticks{0, 5}));
    EXPECT_EQ(linear_ticks(5, 5, 4), (Ticks{5}));
}

TEST(BenchReport, makes_a_page_of_next_to_nothing) {
    EXPECT_NE(to_html({}).find("Nothing was measured."), std::string::npos);
    for (const Report& report : {Report{}, Report{"", "", "", {}, {Section{}, Section{}}}, report_of(Plot{})}) {
        EXPECT_EQ(fault(to_html(report)), "");
        EXPECT_EQ(to_json(from_json(to_json(report))), to_json(report));
    }
    EXPECT_EQ(to_text({}), "\n\n");
    Section bare;
    bare.tables = {{"t", "t", "", {{"a", "a", "", 3}, {"b", "b", "", 3}}, {{{}, false}, {{Cell()}, true}}}};
    EXPECT_EQ(fault(to_html({"", "", "", {}, {bare}})), "");
    EXPECT_NE(to_text(bare).find('a'), std::string::npos);
}

TEST(BenchReport, aligns_the_columns_of_a_terminal) {
    Section section;
    section.tables = {{"t",
                       "t",
                       "",
                       {{"name", "name", "", 3}, {"time", "time", "µs", 3}, {"rate", "rate", "GB/s", 3}},
                       {{{"µ–é像", 1234.5, 1.0}, true}, {{"plain", 0.5, 22.25}, false}}}};
    EXPECT_EQ(to_text(section),
              "\n\n\nt\n\n"
              "                time      rate\n"
              "  name            µs      GB/s\n"
              "* µ–é像        1,234      1.00\n"
              "  plain        0.500      22.2\n"
              "\n* vfilter\n");
}

TEST(BenchReport, keeps_to_the_width_of_a_terminal) {
    for (Section section : sample().sections) {
        section.text = section.sentences[0] = std::string(300, 'x') + " " + section.text;
        for (Table& table : section.tables) {
            table.rows[0].cells[0] = "words and " + std::string(200, 'y');
        }
        section.left_out.push_back({std::string(150, 'z'), "why"});
        const std::string text = to_text(section);
        for (std::size_t at = 0; at < text.size(); at = text.find('\n', at) + 1) {
            EXPECT_LE(columns_of(text.substr(at, text.find('\n', at) - at)), 110U);
        }
    }
}

TEST(BenchReport, breaks_and_shortens_words) {
    using Lines = std::vector<std::string>;
    EXPECT_EQ(wrapped("one two  three", 7), (Lines{"one two", "three"}));
    EXPECT_EQ(wrapped("abcdefgh ij", 3), (Lines{"abc", "def", "gh", "ij"}));
    EXPECT_EQ(wrapped("像像像", 4), (Lines{"像像", "像"}));
    EXPECT_EQ(wrapped("", 4), (Lines{""}));
    EXPECT_EQ(shortened("abcdef", 4), "abc…");
    EXPECT_EQ(shortened("像像像", 4), "像…");
    EXPECT_EQ(shortened("abcd", 4), "abcd");
}

TEST(BenchReport, is_written_the_same_each_time) {
    const Report report = sample();
    EXPECT_EQ(to_html(report), to_html(sample()));
    const char* const folder = std::getenv("VFILTER_REPORT_SAMPLE");
    if (folder == nullptr) {
        return;
    }
    const auto write = [&](const std::string& name, const std::string& text) {
        std::ofstream file(fmt::format("{}/{}", folder, name));
        file << text;
        EXPECT_TRUE(file.flush().good()) << name;
    };
    write("report.html", to_html(report));
    write("report.json", to_json(report).dump(2));
    for (const Section& section : report.sections) {
        write(section.key + ".txt", to_text(section));
        for (const Plot& plot : section.plots) {
            write(fmt::format("{}-{}.svg", section.key, plot.key), to_svg(plot));
        }
    }
}

}  // namespace
}  // namespace vfilter::bench
