// Reports of benchmarks as JSON and as text. pages_test.py has those that are made of the JSON.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "bench/report.h"

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

std::ptrdiff_t letters_of(const std::string& text) {
    return std::ranges::count_if(text, [](char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80; });
}

TEST(BenchReport, FindsTheSpreadOfOddAndEvenCounts) {
    const Spread odd = spread_of({9, 1, 4});
    EXPECT_EQ(odd.median, 4);
    EXPECT_EQ(odd.lowest, 1);
    EXPECT_EQ(odd.highest, 9);
    EXPECT_EQ(odd.runs, 3);
    EXPECT_EQ(spread_of({8, 1, 4, 5}).median, 4.5);
    EXPECT_EQ(spread_of({7}).median, 7);
    EXPECT_THROW(spread_of({}), std::logic_error);
}

TEST(BenchReport, WritesNumbersWithTheirDigits) {
    struct Case {
        double value;
        int digits;
        std::string text;
    };
    for (const Case& one :
         {Case{0, 3, "0"}, Case{14648.4, 3, "14,648"}, Case{1234567, 3, "1,234,567"}, Case{999.6, 3, "1,000"},
          Case{9.996, 3, "10.0"}, Case{58.24, 3, "58.2"}, Case{0.07123, 3, "0.0712"}, Case{-1500.26, 5, "-1,500.3"},
          Case{5.96e-8, 3, "5.96e-08"}, Case{nan, 3, "–"}, Case{infinity, 3, "–"}}) {
        EXPECT_EQ(number_text(one.value, one.digits), one.text);
    }
}

TEST(BenchReport, WritesSpreadsAsPercentOrAsARange) {
    EXPECT_EQ(spread_text({100, 99.5, 101.24, 5}, 3), "±1.2 %");
    EXPECT_EQ(spread_text({100, 85, 101, 5}, 3), "±15 %");
    EXPECT_EQ(spread_text({10, 4.1, 93, 5}, 3), "4.10–93.0");
    EXPECT_EQ(spread_text({10, 10, 10, 1}, 3), "");
    EXPECT_EQ(spread_text({0, 0, 0, 3}, 3), "");
    EXPECT_EQ(spread_text({nan, nan, nan, 3}, 3), "");
}

TEST(BenchReport, WritesJsonWithTheKeysThatPagesRead) {
    Report report = sample();
    report.sections[0].plots[0].series[0].points.push_back({infinity, 1});
    report.sections[0].plots[0].series[1].target = true;
    report.sections[0].promises.push_back({"never measured", nan, 1, false});
    report.sections[0].tables[0].rows[0].cells = {Spread{nan, 1, 2, 3}, std::monostate(), "words", 1.5};  // one short
    const nlohmann::ordered_json json = to_json(report);
    EXPECT_EQ(json.at("schema"), 1);
    EXPECT_EQ(json.at("machine").at("gpu"), "NVIDIA H200, 139 GiB");
    EXPECT_EQ(json.at("machine_titles").at("gpu"), "GPU");
    const nlohmann::ordered_json& section = json.at("sections")[0];
    EXPECT_EQ(section.at("key"), "pipeline");
    EXPECT_EQ(section.at("tables")[0].at("rows")[0].dump(),
              R"({"ours":true,"what":{"median":null,"lowest":1.0,"highest":2.0,"runs":3},"fps":null,)"
              R"("seconds":"words","cpu":1.5,"memory":null})");
    EXPECT_EQ(section.at("tables")[0].at("columns")[1].dump(),
              R"({"key":"fps","title":"frames per second","unit":"fps","digits":3})");
    EXPECT_EQ(section.at("plots")[0].at("series")[0].at("points").back().dump(), "[null,1.0]");
    EXPECT_FALSE(section.at("plots")[0].at("series")[0].contains("target")) << "as it always was";
    EXPECT_EQ(section.at("plots")[0].at("series")[1].at("target"), true);
    EXPECT_EQ(section.at("promises")[3].dump(),
              R"({"what":"never measured","measured":null,"limit":1.0,"at_least":false,"kept":false})");
    EXPECT_EQ(section.at("left_out")[1].at("why"), "libvmaf was not found");
    EXPECT_NO_THROW((void)to_json({}).dump());
}

TEST(BenchReport, FillsATableFromFields) {
    const std::vector<double> numbers{1, 2};
    Table table;
    fill<double>(table, numbers,
                 {{{"twice", "", ""}, [](double number) { return Cell(2 * number); }},
                  {{"none", "", ""}, [](double /*number*/) { return Cell(); }},
                  {{"left out", "", ""}, [](double /*number*/) { return Cell(); }, true},
                  {{"one", "", ""}, [](double number) { return number > 1 ? Cell(number) : Cell(); }, true}},
                 [](double number) { return number > 1; });
    ASSERT_EQ(table.columns.size(), 3U);
    EXPECT_EQ(table.columns[2].key, "one");
    EXPECT_FALSE(table.rows.at(0).ours);
    EXPECT_TRUE(table.rows.at(1).ours);
    EXPECT_EQ(std::get<double>(table.rows[1].cells.at(0)), 4);
    EXPECT_TRUE(std::holds_alternative<std::monostate>(table.rows[0].cells.at(2)));
}

TEST(BenchReport, ShowsThatAMissedPromiseIsMissed) {
    Section section;
    section.promises = {{"missed", 0.84996, 0.85, true}, {"kept", 0.86123, 0.85, true}};
    const std::string text = to_text(section);
    EXPECT_NE(text.find("0.84996   at least 0.85"), std::string::npos) << text;
    EXPECT_NE(text.find("0.861     at least 0.85"), std::string::npos) << text;
}

TEST(BenchReport, MakesTextOfNextToNothing) {
    EXPECT_EQ(to_text({}), "\n\n");
    Section bare;
    bare.tables = {{"t", "t", "", {{"a", "a", ""}, {"b", "b", ""}}, {{{}, false}, {{Cell()}, true}}}};
    EXPECT_NE(to_text(bare).find('a'), std::string::npos);
}

TEST(BenchReport, ShowsNoBytesThatSteerATerminal) {
    for (const std::string bytes : {"\xff\xc3", "\x1b[31m", "\xed\xa0\x80"}) {
        Section section;
        section.sentences = {"a" + bytes + "z"};
        section.tables = {{"t", bytes, "", {{"a", "a", ""}}, {{{"b" + bytes}, false}}}};
        EXPECT_EQ(to_text(section).find(bytes), std::string::npos);
    }
}

TEST(BenchReport, AlignsTheColumnsOfATerminal) {
    Section section;
    section.tables = {{"t",
                       "t",
                       "",
                       {{"name", "name", "", 3}, {"time", "time", "µs", 3}, {"rate", "rate", "GB/s", 3}},
                       {{{"µ–éx", 1234.5, 1.0}, true}, {{"plain", 0.5, 22.25}, false}}}};
    EXPECT_EQ(to_text(section),
              "\n\n\nt\n\n"
              "                time      rate\n"
              "  name            µs      GB/s\n"
              "* µ–éx         1,234      1.00\n"
              "  plain        0.500      22.2\n"
              "\n* vfilter\n");
}

TEST(BenchReport, KeepsToTheWidthOfATerminal) {
    for (Section section : sample().sections) {
        section.text = section.sentences[0] = std::string(300, 'x') + " " + section.text;
        for (Table& table : section.tables) {
            table.rows[0].cells[0] = "words and " + std::string(200, 'y');
        }
        section.left_out.push_back({std::string(150, 'z'), "why"});
        const std::string text = to_text(section);
        for (std::size_t at = 0; at < text.size(); at = text.find('\n', at) + 1) {
            EXPECT_LE(letters_of(text.substr(at, text.find('\n', at) - at)), 110);
        }
    }
}

}  // namespace
}  // namespace vfilter::bench
