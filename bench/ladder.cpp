// The two ladders as a section of the report.

#include "bench/ladder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <stdexcept>
#include <thread>

#include "bench/bench.h"
#include "bench/published.h"
#ifdef VFILTER_WITH_CUDA
#include "bench/gpu.h"
#endif

namespace vfilter::bench {

namespace {

struct Picture {
    const char* name;
    int width;
    int height;
    bool quick;
};
constexpr Picture pictures[] = {
    {"400x400", 400, 400, true},
    {"1080p", 1920, 1080, true},
    {"2000x2000", 2000, 2000, false},
    {"2160p", 3840, 2160, false},
};

struct Radius {
    int radius;
    bool quick;
};
constexpr Radius radii[] = {{1, true}, {2, false}, {4, false}, {8, true}, {15, false}, {31, false}};

struct LayerRow {
    Layer layer;
    bool quick = false;
};
constexpr LayerRow layers[] = {
    {{"3x32x32 -> 64, 3x3", 1, 3, 32, 32, 64, 3, 1, 1}, true},
    {{"3x224x224 -> 64, 3x3", 1, 3, 224, 224, 64, 3, 1, 1}, true},
    {{"3x224x224 -> 64, 7x7 stride 2", 1, 3, 224, 224, 64, 7, 2, 3}, false},
    {{"bottleneck 256x14x14 -> 64, 1x1", 1, 256, 14, 14, 64, 1, 1, 0}, false},
    {{"bottleneck 64x14x14 -> 64, 3x3", 1, 64, 14, 14, 64, 3, 1, 1}, false},
    {{"bottleneck 64x14x14 -> 256, 1x1", 1, 64, 14, 14, 256, 1, 1, 0}, false},
};

// Where vfilter promises to be that many times as fast as the best library.
struct Margin {
    const char* picture;
    int radius;
    double times;
};
constexpr Margin margins[] = {{"2160p", 2, 4}, {"2160p", 15, 20}};

// Why a rung can be slower than one that history puts below it: told where it is.
struct Reason {
    std::string_view rung;
    std::string_view than;
    std::string_view why;
};
constexpr Reason reasons[] = {
    {"constant memory", "naive", "the caches of today's GPUs serve taps from global memory as well"},
    {"tile, full halo", "constant memory", "of 32 x 32 threads only (32 - 2 x radius) squared compute"},
    {"tile, halo from the cache", "constant memory",
     "the first cache is as near as shared memory, and asking at each tap where its sample lies costs more than it "
     "saves"},
    {"separable, plain", "coarsened", "a second trip through memory, in fp32, costs more than the taps that it saves"},
    {"separable, texture", "separable, aligned", "a texture fetch for each tap, where a tile is filled once"},
    {"FFT (cuFFT)", "separable, aligned", "some ten trips through memory in fp32, whatever the radius"},
    {"im2col + cuBLAS", "naive", "each sample is written and read again k x k times, four bytes each"},
    {"cuDNN, k x k", "separable, aligned", "its algorithms are made for many channels, and this has one"},
    {"cuDNN, rows + columns", "separable, aligned", "its algorithms are made for many channels, and this has one"},
    {"NPP Gauss", "separable, aligned", "it takes one picture at a time, and any radius with the same code"},
    {"NPP rows + columns", "separable, aligned", "it takes one picture at a time, and any radius with the same code"},
    {"tensor cores, textbook", "separable, aligned",
     "the way into fp16 tiles and back takes longer than the arithmetic"},
    {"shared-memory tile", "direct", "with three channels, or filters of one sample, there is little to share"},
    {"im2col + cuBLAS", "direct", "the matrix has to be written first, and a small layer is two launches"},
    {"register tile", "shared-memory tile", "too few blocks for all multiprocessors"},
    {"tensor cores (implicit GEMM)", "register tile", "gathering the columns takes longer than multiplying them"},
    {"cuDNN", "register tile", "it takes more than one launch, which a small layer is not worth"},
    {"cuDNN, fp16 tensor cores", "cuDNN", "it changes the layout of what is a small layer"},
};

std::string name_of(const FilterCase& filter) {
    return fmt::format("{}, radius {}", filter.picture, filter.radius);
}

// A configuration and what its rungs came to, those on the CPU first.
struct FilterRun {
    FilterCase filter;
    std::vector<Climb> cpu{};
    std::vector<Climb> gpu{};
};
struct LayerRun {
    Layer layer;
    std::vector<Climb> climbs{};
};

struct Runs {
    std::vector<FilterRun> filters;
    std::vector<LayerRun> layers;
};

Runs planned(const Wishes& wishes) {
    Runs runs;
    for (const Picture& picture : pictures) {
        for (const Radius& radius : radii) {
            if (!wishes.quick || (picture.quick && radius.quick)) {
                runs.filters.push_back({{picture.name, picture.width, picture.height, radius.radius}});
            }
        }
    }
    for (const LayerRow& row : layers) {
        if (wishes.cuda && (!wishes.quick || row.quick)) {
            runs.layers.push_back({row.layer});
        }
    }
    return runs;
}

std::string row_name(std::string_view configuration, const Rung& rung) {
    return fmt::format("{}: {}", configuration, rung.name);
}

// How many of the rungs are wanted.
std::size_t wanted_of(const Wishes& wishes, std::string_view configuration, std::span<const Rung> rungs) {
    return static_cast<std::size_t>(
        std::ranges::count_if(rungs, [&](const Rung& rung) { return wanted(wishes, row_name(configuration, rung)); }));
}

// Calls `climb` if any of the rungs is wanted, with what tells it which, and where the run is.
template <class Climber>
std::vector<Climb> climb_wanted(const Wishes& wishes, Progress& progress, const std::string& configuration,
                                std::span<const Rung> rungs, Climber climb) {
    if (wanted_of(wishes, configuration, rungs) == 0) {
        return {};
    }
    return climb([&](const Rung& rung) {
        const std::string name = row_name(configuration, rung);
        if (!wanted(wishes, name)) {
            return false;
        }
        progress.step(name);
        return true;
    });
}

int threads_of(const Wishes& wishes) {
    return wishes.threads > 0 ? wishes.threads : static_cast<int>(std::max(std::thread::hardware_concurrency(), 1U));
}

void run_cpu(const Wishes& wishes, Progress& progress, Runs& runs) {
    for (FilterRun& run : runs.filters) {
        run.cpu = climb_wanted(wishes, progress, name_of(run.filter), cpu_rungs(),
                               [&](const Begin& begin) { return climb_cpu(run.filter, threads_of(wishes), begin); });
    }
}

#ifdef VFILTER_WITH_CUDA
std::size_t planned_on_gpu(const Wishes& wishes, const Runs& runs) {
    std::size_t steps = 0;
    for (const FilterRun& run : runs.filters) {
        steps += wanted_of(wishes, name_of(run.filter), GpuLadder::filter_rungs());
    }
    for (const LayerRun& run : runs.layers) {
        steps += wanted_of(wishes, run.layer.name, GpuLadder::layer_rungs());
    }
    return steps;
}

void run_gpu(const Wishes& wishes, Progress& progress, Runs& runs, Section& section) {
    cuda_check(cudaSetDevice(wishes.gpu), "cudaSetDevice");
    GpuLadder ladder;
    for (const std::string& library : ladder.missing()) {
        section.left_out.push_back({library + "'s rungs", "the library was not found on this machine"});
    }
    // A configuration that there is no memory for does not take the others with it.
    const auto guarded = [&](const std::string& configuration, const auto& climb) -> std::vector<Climb> {
        try {
            return climb();
        } catch (const std::exception& error) {
            section.left_out.push_back({configuration + " on the GPU", error.what()});
            return {};
        }
    };
    for (FilterRun& run : runs.filters) {
        const std::string name = name_of(run.filter);
        run.gpu = guarded(name, [&] {
            return climb_wanted(wishes, progress, name, GpuLadder::filter_rungs(),
                                [&](const Begin& begin) { return ladder.filter(run.filter, begin); });
        });
    }
    for (LayerRun& run : runs.layers) {
        const std::string name(run.layer.name);
        run.climbs = guarded(name, [&] {
            return climb_wanted(wishes, progress, name, GpuLadder::layer_rungs(),
                                [&](const Begin& begin) { return ladder.layer(run.layer, begin); });
        });
    }
}
#else
std::size_t planned_on_gpu(const Wishes& /*wishes*/, const Runs& /*runs*/) {
    return 0;
}
void run_gpu(const Wishes& /*wishes*/, Progress& /*progress*/, Runs& /*runs*/, Section& /*section*/) {}
#endif

bool measured(const Climb& climb) {
    return climb.microseconds.runs > 0;
}

std::vector<const Climb*> all_of(const FilterRun& run) {
    std::vector<const Climb*> climbs;
    for (const auto* const part : {&run.cpu, &run.gpu}) {
        for (const Climb& climb : *part) {
            climbs.push_back(&climb);
        }
    }
    return climbs;
}

std::vector<const Climb*> all_of(const LayerRun& run) {
    std::vector<const Climb*> climbs;
    for (const Climb& climb : run.climbs) {
        climbs.push_back(&climb);
    }
    return climbs;
}

std::string published_for(std::string_view ladder, std::string_view configuration, std::string_view rung) {
    std::string text;
    for (const Published& row : published) {
        if (row.ladder == ladder && row.configuration == configuration && row.rung == rung) {
            text += fmt::format("{}{:g} {} ({})", text.empty() ? "" : "; ", row.value, row.unit, row.machine);
        }
    }
    return text;
}

Spread milliseconds(const Spread& microseconds) {
    return {microseconds.median / 1e3, microseconds.lowest / 1e3, microseconds.highest / 1e3, microseconds.runs};
}

Cell share(double part, double whole) {
    return part > 0 && whole > 0 ? Cell{100 * part / whole} : Cell{};
}

Cell text_or_nothing(std::string text) {
    return text.empty() ? Cell{} : Cell{std::move(text)};
}

// The columns that both ladders have, and their cells: see figures_of.
std::vector<Column> figure_columns(const char* difference, const char* unit) {
    return {{"ms", "Time", "ms"},
            {"gflops", "Arithmetic", "GFLOP/s"},
            {"peak_percent", "of its peak", "%"},
            {"gb_per_s", "Useful traffic", "GB/s"},
            {"speedup", "times the first rung", "", 3},
            {"difference", difference, unit, 2},
            {"published", "Published", ""}};
}

std::vector<Cell> figures_of(const Climb& climb, const Climb& first, std::string published_figure) {
    const double seconds = climb.microseconds.median / 1e6;
    return {milliseconds(climb.microseconds),
            climb.flops > 0 ? Cell{climb.flops / seconds / 1e9} : Cell{},
            share(climb.flops / seconds, climb.peak),
            climb.bytes / seconds / 1e9,
            first.microseconds.median / climb.microseconds.median,
            climb.rung.floor ? Cell{} : Cell{climb.difference},
            text_or_nothing(std::move(published_figure))};
}

const Climb* first_measured(const std::vector<const Climb*>& climbs) {
    const auto first = std::ranges::find_if(climbs, [](const Climb* climb) { return measured(*climb); });
    return first == climbs.end() ? nullptr : *first;
}

void add_rows(Table& table, std::string_view ladder, const std::string& configuration,
              const std::vector<const Climb*>& climbs, const std::vector<Cell>& before) {
    const Climb* const first = first_measured(climbs);
    for (const Climb* const climb : climbs) {
        if (!measured(*climb)) {
            continue;
        }
        Row row{before, climb->rung.ours};
        row.cells.emplace_back(std::string(climb->rung.name));
        std::ranges::copy(figures_of(*climb, *first, published_for(ladder, configuration, climb->rung.name)),
                          std::back_inserter(row.cells));
        table.rows.push_back(std::move(row));
    }
}

void add_left_out(Section& section, const std::string& configuration, const std::vector<const Climb*>& climbs) {
    for (const Climb* const climb : climbs) {
        // Missing libraries have been named once.
        if (!climb->failure.empty() && climb->failure.find("library was not found") == std::string::npos) {
            section.left_out.push_back({row_name(configuration, climb->rung), climb->failure});
        }
    }
}

constexpr const char* filter_text =
    "A Gaussian of size 2 x radius + 1 over 8-bit samples, border replicate; the time of one picture. Rungs read bytes "
    "and write bytes and compute in fp32; FFT, im2col and cuDNN have fp32 planes, and conversions are not counted. On "
    "the GPU a launch takes eight pictures (one, where one alone takes more than 5 ms), NPP one; sources and results "
    "together are four times the L2 cache. On the CPU a part of the rows stands for all where a whole picture would "
    "take longer than a twentieth of a second (loops, ours in scalar code and on one thread). Arithmetic is that of "
    "the rung's own way, multiply-adds counted as two: 2 k x k for each sample, 4 k if separable, 5 n log2 n for a "
    "transform, and with a matrix its zeros, too. Ours works in whole numbers, for which there is no peak here. Useful "
    "traffic is the picture read once and written once. Before it was timed each rung's first picture, and of fast "
    "ones "
    "the last, was compared with double precision in 16 rows, the first and the last row among them: 1 LSB is allowed, "
    "2 for NPP, whose arithmetic is not documented, 3 for OpenCV's GaussianBlur, which rounds its taps to 8 bits; ours "
    "has to give the contract's bytes. cuDNN's border is zeros and was not compared. After it was timed the same rows "
    "had to be the same again.";

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

Table filter_table_of(const Picture& picture, const std::vector<FilterRun>& runs) {
    Table table{key_of("filter", picture.name),
                fmt::format("The filter ladder, {}", picture.name),
                filter_text,
                {{"radius", "Radius", ""}, {"rung", "Rung", ""}},
                {}};
    std::ranges::copy(figure_columns("off by", "LSB"), std::back_inserter(table.columns));
    for (const FilterRun& run : runs) {
        if (run.filter.picture == picture.name) {
            add_rows(table, "filter", name_of(run.filter), all_of(run), {double{1} * run.filter.radius});
        }
    }
    return table;
}

Table ideas() {
    Table table{"ideas",
                "The rungs",
                "One idea each, in the order of history.",
                {{"ladder", "Ladder", ""}, {"rung", "Rung", ""}, {"idea", "What it teaches", ""}},
                {}};
    const auto add = [&](const char* ladder, std::span<const Rung> rungs) {
        for (const Rung& rung : rungs) {
            table.rows.push_back({{ladder, std::string(rung.name), std::string(rung.idea)}, rung.ours});
        }
    };
    add("CPU", cpu_rungs());
#ifdef VFILTER_WITH_CUDA
    add("GPU", GpuLadder::filter_rungs());
    add("layer", GpuLadder::layer_rungs());
#endif
    return table;
}

Series& series_of(Plot& plot, const Rung& rung) {
    const auto found = std::ranges::find(plot.series, rung.name, &Series::name);
    return found != plot.series.end() ? *found
                                      : plot.series.emplace_back(Series{std::string(rung.name), {}, rung.ours});
}

Plot filter_plot_of(const Picture& picture, const std::vector<FilterRun>& runs) {
    Plot plot{key_of("filter_time", picture.name),
              fmt::format("The filter ladder, {}: time over radius", picture.name),
              "",
              {"radius", true},
              {"ms for a picture", true},
              {},
              {}};
    for (const FilterRun& run : runs) {
        for (const Climb* const climb : all_of(run)) {
            if (run.filter.picture == picture.name && measured(*climb)) {
                series_of(plot, climb->rung)
                    .points.push_back({double{1} * run.filter.radius, climb->microseconds.median / 1e3});
            }
        }
    }
    return plot;
}

constexpr const char* layer_text =
    "Times of one run of a layer with one input, which for the small ones are little more than that of a launch. "
    "Inputs and results rotate through four times the L2 cache; the weights stay. fp32 without TF32, or fp16 with sums "
    "in fp32 where tensor cores are named; the share is that of the arithmetic which the rung uses. Some two thousand "
    "results and the corners of every plane were compared with double precision: 1e-4 of the sum of the terms' amounts "
    "is allowed, 2e-2 in fp16, and the column shows what part of it was needed.";

Table layer_table_of(const LayerRun& run) {
    Table table{key_of("layer", run.layer.name),
                fmt::format("The layer ladder, {}", run.layer.name),
                layer_text,
                {{"rung", "Rung", ""}},
                {}};
    std::ranges::copy(figure_columns("error, of what is allowed", ""), std::back_inserter(table.columns));
    add_rows(table, "layer", std::string(run.layer.name), all_of(run), {});
    return table;
}

Plot layer_plot(const std::vector<LayerRun>& runs) {
    Plot plot{"layers", "The layer ladder: arithmetic done", "", {"layer"}, {"GFLOP/s", true}, {}, {}};
    for (std::size_t i = 0; i < runs.size(); ++i) {
        plot.categories.emplace_back(runs[i].layer.name);
        for (const Climb& climb : runs[i].climbs) {
            if (measured(climb)) {
                series_of(plot, climb.rung)
                    .points.push_back({static_cast<double>(i), climb.flops / climb.microseconds.median / 1e3});
            }
        }
    }
    return plot;
}

// The fastest of those that pass; null if none was measured.
template <class Passes>
const Climb* fastest(const std::vector<Climb>& climbs, Passes passes) {
    const Climb* best = nullptr;
    for (const Climb& climb : climbs) {
        if (measured(climb) && passes(climb.rung) &&
            (best == nullptr || climb.microseconds.median < best->microseconds.median)) {
            best = &climb;
        }
    }
    return best;
}

const Climb* ours_of(const std::vector<Climb>& climbs) {
    return fastest(climbs, [](const Rung& rung) { return rung.ours; });
}
const Climb* library_of(const std::vector<Climb>& climbs) {
    return fastest(climbs, [](const Rung& rung) { return rung.library; });
}
const Climb* named(const std::vector<Climb>& climbs, std::string_view name) {
    return fastest(climbs, [&](const Rung& rung) { return rung.name == name; });
}

double times_faster(const Climb& ours, const Climb& other) {
    return other.microseconds.median / ours.microseconds.median;
}

// "3,400", "12", "3.4".
std::string times_text(double value) {
    if (value < 10) {
        return fmt::format("{:.1f}", value);
    }
    const double unit = std::pow(10, std::floor(std::log10(value)) - 1);
    std::string digits = fmt::format("{:.0f}", std::round(value / unit) * unit);
    for (int at = static_cast<int>(digits.size()) - 3; at > 0; at -= 3) {
        digits.insert(static_cast<std::size_t>(at), ",");
    }
    return digits;
}

std::string time_text(double microseconds) {
    return microseconds < 1e3   ? fmt::format("{:.3g} us", microseconds)
           : microseconds < 1e6 ? fmt::format("{:.3g} ms", microseconds / 1e3)
                                : fmt::format("{:.3g} s", microseconds / 1e6);
}

// "ours 17 us, 3,400 times the naive rung, 13 times the best library (NPP rows + columns)"
std::string compared(const Climb& ours, const std::vector<std::pair<std::string, const Climb*>>& others) {
    std::string text = "ours " + time_text(ours.microseconds.median);
    for (const auto& [what, other] : others) {
        if (other != nullptr) {
            text += fmt::format(", {} times as fast as {} ({})", times_text(times_faster(ours, *other)), what,
                                time_text(other->microseconds.median));
        }
    }
    return text;
}

void add_sentences(Section& section, const Runs& runs) {
    // The largest picture and radius come first.
    // NOLINTNEXTLINE(modernize-loop-convert): clang 14 has no reversed views
    for (auto run = runs.filters.rbegin(); run != runs.filters.rend(); ++run) {
        const bool video = run->filter.picture.ends_with('p');
        const bool told = video && std::ranges::any_of(std::initializer_list<int>{2, 8, 15},
                                                       [&](int radius) { return radius == run->filter.radius; });
        const Climb* const on_gpu = ours_of(run->gpu);
        const Climb* const on_cpu = ours_of(run->cpu);
        const Climb* const loop = named(run->cpu, "CPU loop");
        if (told && on_gpu != nullptr) {
            const Climb* const library = library_of(run->gpu);
            section.sentences.push_back(fmt::format(
                "{}: {}.", name_of(run->filter),
                compared(*on_gpu, {{"the CPU loop", loop},
                                   {"the naive kernel", named(run->gpu, "naive")},
                                   {"the best library, " + std::string(library ? library->rung.name : ""), library}})));
        } else if (told && on_cpu != nullptr) {
            section.sentences.push_back(fmt::format(
                "{} on the CPU: {}.", name_of(run->filter),
                compared(*on_cpu,
                         {{"the loop", loop}, {"OpenCV's GaussianBlur", named(run->cpu, "OpenCV GaussianBlur")}})));
        }
    }
    for (const LayerRun& run : runs.layers) {
        const Climb* const first = named(run.climbs, "direct");
        const Climb* const best = fastest(run.climbs, [](const Rung&) { return true; });
        if (first != nullptr && best != nullptr) {
            section.sentences.push_back(fmt::format(
                "Layer {}: {} is the fastest, {}, {} times the direct loop.", run.layer.name, best->rung.name,
                time_text(best->microseconds.median), times_text(times_faster(*best, *first))));
        }
    }
}

// Sentences about rungs out of order: `told` says "configuration" or "radius" of the climbs.
template <class Run, class Told>
void explain_order(Section& section, std::string_view where, const std::vector<const Run*>& runs, const Told& told) {
    for (const Reason& reason : reasons) {
        std::vector<std::string> places;
        for (const Run* const run : runs) {
            const auto climbs = all_of(*run);
            const auto find = [&](std::string_view name) {
                const auto found = std::ranges::find_if(
                    climbs, [&](const Climb* climb) { return measured(*climb) && climb->rung.name == name; });
                return found == climbs.end() ? nullptr : *found;
            };
            const Climb* const rung = find(reason.rung);
            const Climb* const than = find(reason.than);
            if (rung != nullptr && than != nullptr && rung->microseconds.median > than->microseconds.median) {
                places.push_back(told(*run));
            }
        }
        if (!places.empty()) {
            section.sentences.push_back(fmt::format("{}{}: \"{}\" is slower than \"{}\": {}.", where,
                                                    fmt::join(places, ", "), reason.rung, reason.than, reason.why));
        }
    }
}

// Of the largest picture, and of the layers.
void explain(Section& section, const Runs& runs) {
    std::vector<const FilterRun*> largest;
    for (const FilterRun& run : runs.filters) {
        if (run.filter.picture == runs.filters.back().filter.picture) {
            largest.push_back(&run);
        }
    }
    explain_order(section, runs.filters.back().filter.picture + ", radius ", largest,
                  [](const FilterRun& run) { return std::to_string(run.filter.radius); });
    std::vector<const LayerRun*> all;
    for (const LayerRun& run : runs.layers) {
        all.push_back(&run);
    }
    explain_order(section, "Layer ", all, [](const LayerRun& run) { return std::string(run.layer.name); });
}

void promise_margins(Section& section, const Runs& runs) {
    for (const FilterRun& run : runs.filters) {
        const auto* const margin = std::ranges::find_if(margins, [&](const Margin& row) {
            return run.filter.picture == row.picture && run.filter.radius == row.radius;
        });
        const Climb* const ours = ours_of(run.gpu);
        const Climb* const library = library_of(run.gpu);
        if (margin != std::end(margins) && ours != nullptr && library != nullptr) {
            section.promises.push_back({name_of(run.filter) + ": times as fast as the best library",
                                        times_faster(*ours, *library), margin->times, true});
        }
    }
}

// Which rungs beat ours, by name; a plain copy is none.
std::vector<std::string> faster_than_ours(const FilterRun& run) {
    std::vector<std::string> result;
    const Climb* const ours = ours_of(run.gpu);
    for (const Climb& climb : run.gpu) {
        if (ours != nullptr && measured(climb) && !climb.rung.floor && !climb.rung.ours &&
            climb.microseconds.median < ours->microseconds.median) {
            result.push_back(row_name(name_of(run.filter), climb.rung));
        }
    }
    return result;
}

void promise_first(Section& section, const Runs& runs) {
    for (const Picture& picture : pictures) {
        std::size_t faster = 0;
        bool any = false;
        for (const FilterRun& run : runs.filters) {
            if (run.filter.picture == picture.name && ours_of(run.gpu) != nullptr) {
                const std::vector<std::string> names = faster_than_ours(run);
                any = true;
                faster += names.size();
                if (!names.empty()) {
                    section.sentences.push_back(fmt::format("Faster than ours: {}.", fmt::join(names, "; ")));
                }
            }
        }
        if (any) {
            section.promises.push_back({fmt::format("{}: rungs faster than ours, at any radius", picture.name),
                                        static_cast<double>(faster), 0});
        }
    }
}

// What a library gets wrong is named among what is left out.
void promise_right(Section& section, const Runs& runs) {
    const auto wrong = [](const auto& each) {
        return std::ranges::count_if(all_of(each),
                                     [](const Climb* climb) { return climb->wrong && !climb->rung.library; });
    };
    std::ptrdiff_t count = 0;
    for (const FilterRun& run : runs.filters) {
        count += wrong(run);
    }
    for (const LayerRun& run : runs.layers) {
        count += wrong(run);
    }
    section.promises.push_back({"rungs of this repository that gave wrong results", static_cast<double>(count), 0});
}

void describe_filters(Section& section, const Runs& runs) {
    for (const Picture& picture : pictures) {
        Table table = filter_table_of(picture, runs.filters);
        if (table.rows.empty()) {
            continue;
        }
        // Once is enough.
        const auto same = [&](const Table& other) { return other.text == table.text; };
        if (std::ranges::any_of(section.tables, same)) {
            table.text = "Measured as above.";
        }
        section.tables.push_back(std::move(table));
        section.plots.push_back(filter_plot_of(picture, runs.filters));
    }
    for (const FilterRun& run : runs.filters) {
        add_left_out(section, name_of(run.filter), all_of(run));
    }
}

void describe_layers(Section& section, const Runs& runs) {
    bool told = false;
    for (const LayerRun& run : runs.layers) {
        Table table = layer_table_of(run);
        add_left_out(section, std::string(run.layer.name), all_of(run));
        if (!table.rows.empty()) {
            table.text = told ? "Measured as above." : table.text;
            told = true;
            section.tables.push_back(std::move(table));
        }
    }
    if (told) {
        section.plots.push_back(layer_plot(runs.layers));
    }
}

}  // namespace

Section measure_ladder(const Wishes& wishes, Progress& progress) {
    Section section{.key = "ladder",
                    .title = "The ladder",
                    .text =
                        "How a filter, and a convolution layer, became fast: each rung adds one idea to the one "
                        "before, and is measured in the same run on the same machine.",
                    .sentences = {},
                    .plots = {},
                    .tables = {},
                    .promises = {},
                    .left_out = {}};
    Runs runs = planned(wishes);
    std::size_t steps = wishes.cuda ? planned_on_gpu(wishes, runs) : 0;
    for (const FilterRun& run : runs.filters) {
        steps += wishes.cpu ? wanted_of(wishes, name_of(run.filter), cpu_rungs()) : 0;
    }
    progress.plan(steps);
    if (wishes.cpu) {
        run_cpu(wishes, progress, runs);
    }
    if (wishes.cuda) {
        run_gpu(wishes, progress, runs, section);
    } else {
        section.left_out.push_back({"the GPU's rungs and all layers", "no GPU is measured"});
    }
    section.tables.push_back(ideas());
    describe_filters(section, runs);
    describe_layers(section, runs);
    add_sentences(section, runs);
    explain(section, runs);
    promise_margins(section, runs);
    promise_first(section, runs);
    promise_right(section, runs);
    return section;
}

}  // namespace vfilter::bench
