// Our kernels for every filter over sizes, depths and resolutions, on both devices: what is promised and told of them.

#include "bench/kernels.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <iterator>

namespace vfilter::bench {

namespace {

enum class Against { copy, opencv };

// What vfilter promises of a kind of hardware: our time is at most that many of the other's.
struct Limit {
    std::string_view kind;
    std::string_view row;
    Against against;
    double limit;
};

// "{}" stands for each of `promised_sizes`.
constexpr int promised_sizes[] = {3, 5, 7, 15, 31, 63};
constexpr Limit limits[] = {
    {best_simd, "1080p plane, 8 bits, gaussian {}", Against::opencv, 0.5},
    {best_simd, "1080p plane, 10 bits, gaussian {}", Against::opencv, 0.35},
    {best_simd, "1080p plane, 8 bits, gaussian 5", Against::copy, 3},
    {best_simd, "1080p plane, 8 bits, box 31", Against::opencv, 0.6},
    {best_simd, "1080p plane, 8 bits, sobel", Against::opencv, 0.6},
    {best_simd, "1080p plane, 8 bits, sobel 5", Against::opencv, 0.6},
    {best_simd, "1080p plane, 8 bits, sobel direction=x", Against::opencv, 0.6},
    {forced_avx2, "1080p plane, 8 bits, gaussian {}", Against::opencv, 0.7},
    {forced_avx2, "1080p plane, 10 bits, gaussian {}", Against::opencv, 0.7},
    // Of a GPU whose memory is as fast as the H200's; others have more arithmetic for each byte. Gaussians are the
    // sweep's.
    {hopper, "2160p plane, 8 bits, sobel", Against::copy, 2},
    {hopper, "2160p plane, 8 bits, sharpen", Against::copy, 2},
};

// The rows that a limit is for.
std::vector<std::string> rows_of(const Limit& limit) {
    if (limit.row.find("{}") == std::string_view::npos) {
        return {std::string(limit.row)};
    }
    std::vector<std::string> rows;
    for (const int size : promised_sizes) {
        rows.push_back(fmt::format(fmt::runtime(limit.row), size));
    }
    return rows;
}

constexpr double two_threads_limit = 1.8;
constexpr int two_threads_largest = 63;  // of sizes

struct Measured {
    KernelRow row;
    KernelTimes times;
};
using Results = std::vector<Measured>;

std::string_view title_of(Backend backend) {
    return backend == Backend::cpu ? "CPU" : "GPU";
}

std::string key_of(Backend backend, std::string_view what) {
    return fmt::format("{}_{}", backend == Backend::cpu ? "cpu" : "gpu", what);
}

const Rival* fastest_rival(const KernelTimes& times) {
    const auto found = std::ranges::min_element(times.rivals, {}, [](const Rival& rival) { return rival.us.median; });
    return found == times.rivals.end() ? nullptr : &*found;
}

const Measured* find_row(const Results& results, std::string_view name) {
    const auto found = std::ranges::find(results, name, [](const Measured& one) { return one.row.name; });
    return found == results.end() ? nullptr : &*found;
}

// Rows that differ in filter and depth alone.
bool usual(const Measured& one, Backend backend) {
    return !one.row.chroma && one.row.components == 1 && one.row.height == usual_height(backend);
}

template <class Value>
Cell optional_cell(const Value* value, const Spread Value::*member) {
    return value != nullptr ? Cell(value->*member) : Cell();
}

Table table_of(const KernelMeter& meter, const Results& results) {
    Table table{
        key_of(meter.backend, "kernels"), fmt::format("Kernels, {}", title_of(meter.backend)), meter.text, {}, {}};
    using One = const Measured&;
    std::vector<Field<Measured>> fields{
        {{"name", "picture and filter", ""}, [](One one) { return Cell(one.row.name); }},
        {{"kernel", "kernel", ""}, [](One one) { return Cell(one.times.kernel); }},
        {{"us", "vfilter", "us"}, [](One one) { return Cell(one.times.us); }},
        {{"gb_per_s", "read and written", "GB/s"}, [](One one) { return Cell(one.times.gb_per_s()); }},
        {{"of_copy", "time / copy", "times"}, [](One one) { return Cell(one.times.of_copy); }},
        {{"copy_us", "copy", "us"}, [](One one) { return Cell(one.times.copy_us); }}};
    for (const std::string& name : meter.rivals) {
        fields.push_back({{rival_key(name), name, "us"},
                          [name](One one) { return optional_cell(one.times.find_rival(name), &Rival::us); }});
    }
    fields.push_back({{"best_rival", "best rival / vfilter", "times"},
                      [](One one) { return optional_cell(fastest_rival(one.times), &Rival::ratio); }});
    const auto cached = [](const Spread Cached::*member) {
        return [member](One one) { return optional_cell(one.times.cached ? &*one.times.cached : nullptr, member); };
    };
    fields.push_back({{"cached_us", "in cache", "us"}, cached(&Cached::us), true});
    fields.push_back({{"cached_best_rival", "best rival / vfilter, in cache", "times"},
                      [](One one) {
                          const bool rival = one.times.cached && !one.times.rivals.empty();
                          return rival ? Cell(one.times.cached->of_rival) : Cell();
                      },
                      true});
    fields.push_back({{"threads_us", "all threads", "us"},
                      [](One one) { return one.times.threads_us ? Cell(*one.times.threads_us) : Cell(); },
                      true});
    fill(table, results, fields);
    return table;
}

Plot sizes_plot(const KernelMeter& meter, const Results& results) {
    Plot plot{key_of(meter.backend, "sizes"),
              fmt::format("Gaussian, {}", title_of(meter.backend)),
              fmt::format("A {}p plane; times of a copy of the same bytes in the same run. Rivals at 8 bits.",
                          usual_height(meter.backend)),
              {"size, pixels", true},
              {"time / copy", true},
              {},
              {}};
    const auto add = [&](const std::string& name, bool ours, int depth, const auto& time_of) {
        Series series{name, {}, ours};
        for (const Measured& one : results) {
            if (usual(one, meter.backend) && one.row.def->name == "gaussian" && one.row.depth == depth) {
                if (const double time = time_of(one.times); time > 0) {
                    series.points.push_back({std::stod(one.row.arguments), time});
                }
            }
        }
        if (series.points.size() > 1) {
            plot.series.push_back(std::move(series));
        }
    };
    for (const int depth : {8, 10, 16}) {
        add(fmt::format("vfilter, {} bits", depth), true, depth,
            [](const KernelTimes& times) { return times.of_copy.median; });
    }
    for (const std::string& name : meter.rivals) {
        add(name, false, 8, [&](const KernelTimes& times) {
            const Rival* const rival = times.find_rival(name);
            return rival != nullptr ? rival->us.median / times.copy_us.median : 0;
        });
    }
    return plot;
}

Plot filters_plot(const KernelMeter& meter, const Results& results) {
    Plot plot{key_of(meter.backend, "filters"),
              fmt::format("All filters, {}", title_of(meter.backend)),
              fmt::format("A {}p plane of 8 bits; times of a copy of the same bytes in the same run.",
                          usual_height(meter.backend)),
              {"", false},
              {"time / copy", false},
              {},
              {{"vfilter", {}, true}}};
    for (const std::string& name : meter.rivals) {
        plot.series.push_back({name, {}, false});
    }
    for (const Measured& one : results) {
        const KernelTimes& times = one.times;
        if (!usual(one, meter.backend) || one.row.depth != 8 || one.row.arguments != usual_arguments(*one.row.def)) {
            continue;
        }
        const auto x = static_cast<double>(plot.categories.size());
        plot.categories.push_back(one.row.filter);
        plot.series[0].points.push_back({x, times.of_copy.median});
        for (std::size_t i = 1; i < plot.series.size(); ++i) {
            if (const Rival* const rival = times.find_rival(plot.series[i].name)) {
                plot.series[i].points.push_back({x, rival->us.median / times.copy_us.median});
            }
        }
    }
    std::erase_if(plot.series, [](const Series& series) { return series.points.empty(); });
    return plot;
}

// The table of what a second thread brings; empty where there is none.
Table two_threads_table(const KernelMeter& meter, const std::vector<KernelRow>& plan, Progress& progress,
                        Section& section) {
    Table table{key_of(meter.backend, "two_threads"),
                "Two threads over one, CPU",
                "One plane after the other as in a video, always the same one, so that it is not the memory's "
                "bandwidth that is told.",
                {{"name", "picture and filter", ""}, {"speed_up", "one thread / two", "times"}},
                {}};
    for (const KernelRow& row : plan) {
        const std::string name = row.name + ", two threads";
        progress.step(name);
        const Spread speed_up = meter.two_threads(row);
        table.rows.push_back({{row.name, speed_up}});
        section.promises.push_back({name + " over one", speed_up.median, two_threads_limit, true});
    }
    return table;
}

void add_promises(const KernelMeter& meter, const Results& results, Section& section) {
    const auto wrong = std::ranges::count_if(results, [](const Measured& one) { return !one.times.right; });
    section.promises.push_back(
        {fmt::format("{}: rows with wrong bytes", title_of(meter.backend)), static_cast<double>(wrong), 0});
    for (const Limit& limit : limits) {
        for (const std::string& row : rows_of(limit)) {
            const Measured* const found = limit.kind == meter.kind ? find_row(results, row) : nullptr;
            if (found == nullptr) {
                continue;
            }
            // The CPU's were made for pictures in the cache.
            const KernelTimes& times = found->times;
            const std::string where = times.cached ? ", in cache" : "";
            if (limit.against == Against::copy) {
                const Spread& spread = times.cached ? times.cached->of_copy : times.of_copy;
                section.promises.push_back({row + ": time / copy" + where, spread.median, limit.limit});
            } else if (times.cached) {
                section.promises.push_back(
                    {row + ": time / OpenCV" + where, 1 / times.cached->of_rival.median, limit.limit});
            }
        }
    }
}

// A promise about a row that no plan has is one that nobody would miss.
void tell_promises_without_rows(const KernelMeter& meter, Section& section) {
    const std::vector<KernelRow> plan = plan_kernels(meter.backend, false);
    for (const Limit& limit : limits) {
        for (const std::string& row : rows_of(limit)) {
            if (limit.kind == meter.kind && std::ranges::find(plan, row, &KernelRow::name) == plan.end()) {
                section.left_out.push_back(
                    {fmt::format("{}: {}", title_of(meter.backend), row), "it is promised, and no row of the plan"});
            }
        }
    }
}

void add_sentences(const KernelMeter& meter, const Results& results, Section& section) {
    const std::string_view device = meter.backend == Backend::cpu ? "On one thread of the CPU" : "On the GPU";
    for (const std::string_view size : {"5", "31"}) {
        const Measured* const found =
            find_row(results, fmt::format("{}p plane, 8 bits, gaussian {}", usual_height(meter.backend), size));
        if (found == nullptr) {
            continue;
        }
        const KernelTimes& times = found->times;
        const Rival* const rival = fastest_rival(times);
        section.sentences.push_back(fmt::format(
            "{}, gaussian {} of a {}p plane takes {:.{}f} us: {:.2f} times a copy of it{}.", device, size,
            found->row.height, times.us.median, times.us.median < 100 ? 1 : 0, times.of_copy.median,
            rival == nullptr ? "" : fmt::format(", and {} is {:.1f} times as slow", rival->name, rival->ratio.median)));
    }
    std::vector<double> advantages;
    const Measured* least = nullptr;
    for (const Measured& one : results) {
        if (const Rival* const rival = fastest_rival(one.times)) {
            advantages.push_back(rival->ratio.median);
            if (advantages.back() == std::ranges::min(advantages)) {
                least = &one;
            }
        }
    }
    if (advantages.size() > 1) {
        std::ranges::sort(advantages);
        section.sentences.push_back(fmt::format(
            "{}, vfilter is {:.2g} to {:.2g} times as fast as {}{} over {} rows that {} can do, {:.2g} times in the "
            "middle; least for {}.",
            device, advantages.front(), advantages.back(), meter.rivals.size() > 1 ? "the faster one of " : "",
            joined(meter.rivals), advantages.size(), joined(meter.rivals, "or"), advantages[advantages.size() / 2],
            least->row.name));
    }
    std::vector<double> speed_ups;
    for (const Measured& one : results) {
        if (one.times.threads_us) {
            speed_ups.push_back(one.times.us.median / one.times.threads_us->median);
        }
    }
    if (!speed_ups.empty()) {
        std::ranges::sort(speed_ups);
        section.sentences.push_back(
            fmt::format("All threads are {:.2g} to {:.2g} times as fast as one, {:.2g} in the middle.",
                        speed_ups.front(), speed_ups.back(), speed_ups[speed_ups.size() / 2]));
    }
    std::vector<std::string> wrong;
    for (const Measured& one : results) {
        if (!one.times.right) {
            wrong.push_back(one.row.name);
        }
    }
    section.sentences.push_back(
        wrong.empty()
            ? fmt::format("{}: each row's bytes are the contract's ({} rows).", title_of(meter.backend), results.size())
            : fmt::format("{}: WRONG BYTES: {}.", title_of(meter.backend), joined(wrong)));
}

}  // namespace

const Rival* KernelTimes::find_rival(std::string_view name) const {
    const auto found = std::ranges::find(rivals, name, &Rival::name);
    return found == rivals.end() ? nullptr : &*found;
}

std::string rival_key(std::string_view name) {
    std::string key;
    std::ranges::transform(name, std::back_inserter(key), [](unsigned char c) {
        return std::isalnum(c) != 0 ? static_cast<char>(std::tolower(c)) : '_';
    });
    return key + "_us";
}

void tell_kernels(const KernelMeter& meter, const Wishes& wishes, Progress& progress, Section& section) {
    std::vector<KernelRow> plan = plan_kernels(meter.backend, wishes.quick);
    std::erase_if(plan, [&](const KernelRow& row) { return !wanted(wishes, row.name); });
    std::vector<KernelRow> pairs;
    if (meter.two_threads && !wishes.quick) {
        std::ranges::copy_if(plan, std::back_inserter(pairs), [&](const KernelRow& row) {
            return row.def->name == "gaussian" && row.depth == 8 && row.components == 1 &&
                   row.height == usual_height(meter.backend) && std::stoi(row.arguments) <= two_threads_largest;
        });
    }
    progress.plan(plan.size() + pairs.size());
    Results results;
    for (const KernelRow& row : plan) {
        progress.step(row.name);
        try {
            results.push_back({row, meter.measure(row)});
        } catch (const std::exception& error) {
            section.left_out.push_back({fmt::format("{}: {}", title_of(meter.backend), row.name), error.what()});
            continue;
        }
        if (!results.back().times.right) {
            progress.remark(fmt::format("{}: {}: WRONG BYTES", title_of(meter.backend), row.name));
        }
    }
    tell_promises_without_rows(meter, section);
    section.left_out.insert(section.left_out.end(), meter.left_out.begin(), meter.left_out.end());
    if (results.empty()) {
        return;
    }
    add_sentences(meter, results, section);
    add_promises(meter, results, section);
    for (Plot& plot : std::vector{sizes_plot(meter, results), filters_plot(meter, results)}) {
        if (!plot.series.empty()) {
            section.plots.push_back(std::move(plot));
        }
    }
    section.tables.push_back(table_of(meter, results));
    if (!pairs.empty()) {
        section.tables.push_back(two_threads_table(meter, pairs, progress, section));
    }
}

Section measure_kernels(const Wishes& wishes, Progress& progress) {
    Section section;
    section.key = "kernels";
    section.title = "Kernels";
    section.text =
        "Single planes and pictures from memory to memory, without decoding or transfers. Every time stands beside a "
        "copy of the same bytes, and the other programs' times, from the same run; contestants take turns, ratios are "
        "taken round by round, and a figure is the median of the rounds. What was timed is compared with the contract "
        "afterwards.";
    if (wishes.cpu) {
        tell_kernels(cpu_meter(wishes), wishes, progress, section);
    }
#ifdef VFILTER_WITH_CUDA
    if (wishes.cuda) {
        tell_kernels(gpu_meter(wishes), wishes, progress, section);
    } else {
        section.left_out.push_back({"kernels on the GPU", "there is no NVIDIA GPU, or it was not wanted"});
    }
#else
    section.left_out.push_back({"kernels on the GPU", "this program was built without CUDA"});
#endif
    return section;
}

}  // namespace vfilter::bench
