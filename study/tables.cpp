// What is told of the ladders in tables and plots.

#include <fmt/format.h>

#include <algorithm>

#include "study/plan.h"
#include "study/section.h"

namespace vfilter::study {

namespace {

constexpr const char* filter_text =
    "A Gaussian of size 2 x radius + 1 over 8-bit samples, border replicate; the time of one picture. Rungs read bytes "
    "and write bytes and compute in fp32; FFT, im2col and cuDNN have fp32 planes, and conversions are not counted. On "
    "the GPU a launch takes eight pictures (one, where one alone takes more than 5 ms), NPP one; sources and results "
    "together are four times the L2 cache. On the CPU a part of the rows stands for all where a whole picture would "
    "take longer than a twentieth of a second (loops, ours in scalar code and on one thread). Arithmetic is that of "
    "the rung's own way, multiply-adds counted as two: 2 k x k for each sample, 4 k if separable, 5 n log2 n for a "
    "transform, and with a matrix its zeros, too. Ours works in whole numbers, for which there is no peak here. Useful "
    "traffic is the picture read once and written once. Before it was timed each rung's first picture, and of fast "
    "ones the last, was compared with double precision in 16 rows, the first and the last row among them: 1 LSB is "
    "allowed, 2 for NPP, whose arithmetic is not documented, 3 for OpenCV's GaussianBlur, which rounds its taps to 8 "
    "bits; ours has to give the contract's bytes. cuDNN's border is zeros and was not compared. After it was timed the "
    "same rows had to be the same again.";

constexpr const char* layer_text =
    "Times of one run of a layer with one input, which for the small ones are little more than that of a launch. "
    "Inputs and results rotate through four times the L2 cache; the weights stay. fp32 without TF32, or fp16 with sums "
    "in fp32 where tensor cores are named; the share is that of the arithmetic which the rung uses. Some two thousand "
    "results and the corners of every plane were compared with double precision: 1e-4 of the sum of the terms' amounts "
    "is allowed, 2e-2 in fp16, and the column shows what part of it was needed.";

// "layer_3x224x224_64_7x7_stride_2"
std::string key_of(std::string_view ladder, std::string_view configuration) {
    std::string key(ladder);
    bool gap = true;
    for (const char letter : configuration) {
        const bool plain = (letter >= '0' && letter <= '9') || (letter >= 'a' && letter <= 'z');
        if (plain) {
            key += (gap ? "_" : "") + std::string(1, letter);
        }
        gap = !plain;
    }
    return key;
}

// A row of a table: a rung that was measured, and the first one of its configuration.
struct Told {
    const Run* run;
    const Climb* climb;
    const Climb* first;

    [[nodiscard]] double seconds() const { return climb->microseconds.median / 1e6; }
};

std::vector<Told> told_of(const Runs& runs, const std::function<bool(const Run&)>& passes) {
    std::vector<Told> rows;
    for (const Run& run : runs) {
        const Climb* first = nullptr;
        for (const Climb& climb : run.climbs) {
            if (climb.measured() && passes(run)) {
                first = first == nullptr ? &climb : first;
                rows.push_back({&run, &climb, first});
            }
        }
    }
    return rows;
}

Cell published_for(const Told& row) {
    std::string text;
    for (const Published& one : published) {
        if (one.ladder == row.run->ladder && one.configuration == row.run->name && one.rung == row.climb->rung.name) {
            text += fmt::format("{}{:g} {} ({})", text.empty() ? "" : "; ", one.value, one.unit, one.machine);
        }
    }
    return text.empty() ? Cell() : Cell(text);
}

std::vector<Field<Told>> fields_of(const std::string& ladder) {
    const bool layer = ladder == "layer";
    std::vector<Field<Told>> fields{
        {{"rung", "Rung", ""}, [](const Told& row) { return Cell(std::string(row.climb->rung.name)); }},
        {{"ms", "Time", "ms"},
         [](const Told& row) {
             const Spread& us = row.climb->microseconds;
             return Cell(Spread{us.median / 1e3, us.lowest / 1e3, us.highest / 1e3, us.runs});
         }},
        {{"gflops", "Arithmetic", "GFLOP/s"},
         [](const Told& row) { return row.climb->flops > 0 ? Cell(row.climb->flops / row.seconds() / 1e9) : Cell(); }},
        {{"peak_percent", "of its peak", "%"},
         [](const Told& row) {
             const Climb& climb = *row.climb;
             return climb.flops > 0 && climb.peak > 0 ? Cell(100 * climb.flops / row.seconds() / climb.peak) : Cell();
         }},
        {{"gb_per_s", "Useful traffic", "GB/s"},
         [](const Told& row) { return Cell(row.climb->bytes / row.seconds() / 1e9); }},
        {{"speedup", "times the first rung", ""},
         [](const Told& row) { return Cell(times_faster(*row.climb, *row.first)); }},
        {{"difference", layer ? "error, of what is allowed" : "off by", layer ? "" : "LSB", 2},
         [](const Told& row) { return row.climb->rung.floor ? Cell() : Cell(row.climb->difference); }},
        {{"published", "Published", ""}, published_for}};
    if (!layer) {
        fields.insert(fields.begin(), {{"radius", "Radius", ""},
                                       [](const Told& row) { return Cell(double{1} * row.run->filter.radius); }});
    }
    return fields;
}

// One of the runs that pass; nothing where none was measured. How they are measured is told once.
void add_table(Section& section, const Runs& runs, std::string_view name,
               const std::function<bool(const Run&)>& passes) {
    const std::vector<Told> rows = told_of(runs, passes);
    if (rows.empty()) {
        return;
    }
    const std::string& ladder = rows[0].run->ladder;
    const std::string before = ladder + "_";
    const bool again =
        std::ranges::any_of(section.tables, [&](const Table& table) { return table.key.starts_with(before); });
    Table table{key_of(ladder, name),
                fmt::format("The {} ladder, {}", ladder, name),
                again               ? "Measured as above."
                : ladder == "layer" ? layer_text
                                    : filter_text,
                {},
                {}};
    fill<Told>(table, rows, fields_of(ladder), [](const Told& row) { return row.climb->rung.ours; });
    section.tables.push_back(std::move(table));
}

Table ideas() {
    Table table{"ideas",
                "The rungs",
                "One idea each, in the order of history.",
                {{"ladder", "Ladder", ""}, {"rung", "Rung", ""}, {"idea", "What it teaches", ""}},
                {}};
    for (const auto& [ladder, rungs] :
         {std::pair{"CPU", cpu_rungs()}, std::pair{"GPU", filter_rungs()}, std::pair{"layer", layer_rungs()}}) {
        for (const Rung& rung : rungs) {
            table.rows.push_back({{ladder, std::string(rung.name), std::string(rung.idea)}, rung.ours});
        }
    }
    return table;
}

Series& series_of(Plot& plot, const Rung& rung) {
    const auto found = std::ranges::find(plot.series, rung.name, &Series::name);
    return found != plot.series.end() ? *found
                                      : plot.series.emplace_back(Series{std::string(rung.name), {}, rung.ours});
}

void add_filter_plot(Section& section, const Runs& runs, std::string_view picture) {
    Plot plot{key_of("filter_time", picture),
              fmt::format("The filter ladder, {}: time over radius", picture),
              "",
              {"radius", true},
              {"ms for a picture", true},
              {},
              {}};
    for (const Told& row : told_of(runs, [&](const Run& run) { return run.filter.picture == picture; })) {
        series_of(plot, row.climb->rung)
            .points.push_back({double{1} * row.run->filter.radius, row.climb->microseconds.median / 1e3});
    }
    if (!plot.series.empty()) {
        section.plots.push_back(std::move(plot));
    }
}

void add_layer_plot(Section& section, const Runs& runs) {
    Plot plot{"layers", "The layer ladder: arithmetic done", "", {"layer"}, {"GFLOP/s", true}, {}, {}};
    for (const Run& run : runs) {
        plot.categories.push_back(run.name);
        for (const Climb& climb : run.climbs) {
            if (climb.measured()) {
                series_of(plot, climb.rung)
                    .points.push_back({static_cast<double>(plot.categories.size() - 1),
                                       climb.flops / climb.microseconds.median / 1e3});
            }
        }
    }
    if (!plot.series.empty()) {
        section.plots.push_back(std::move(plot));
    }
}

// A library that is missing has been named once.
void add_left_out(Section& section, const Runs& runs) {
    for (const Run& run : runs) {
        for (const Climb& climb : run.climbs) {
            const bool named =
                climb.rung.library && std::ranges::count(section.left_out, climb.failure, &LeftOut::why) > 0;
            if (!climb.failure.empty() && !named) {
                section.left_out.push_back({row_name(run, climb.rung), climb.failure});
            }
        }
    }
}

}  // namespace

void add_tables(Section& section, const Runs& filters, const Runs& layers) {
    section.tables.push_back(ideas());
    for (const Picture& picture : pictures) {
        add_table(section, filters, picture.name, [&](const Run& run) { return run.filter.picture == picture.name; });
        add_filter_plot(section, filters, picture.name);
    }
    add_left_out(section, filters);
    for (const Run& layer : layers) {
        add_table(section, layers, layer.name, [&](const Run& run) { return run.name == layer.name; });
    }
    add_layer_plot(section, layers);
    add_left_out(section, layers);
}

}  // namespace vfilter::study
