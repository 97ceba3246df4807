// What is told of the sweep over sizes and sigmas.

#include "bench/sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>
#include <stdexcept>

namespace vfilter::bench {

namespace {

constexpr int plotted_height = 2160;
constexpr int rivals_depth = 8;  // and that of targets

// The row of that name, or null.
const SweepResult* find_result(const std::vector<SweepResult>& results, std::string_view name) {
    const auto found = std::ranges::find(results, name, [](const SweepResult& one) { return one.row.name; });
    return found == results.end() ? nullptr : &*found;
}

// Names of what is measured next to ours in any row, in the order in which they appear.
std::vector<std::string> rivals_of(const std::vector<SweepResult>& results) {
    std::vector<std::string> names;
    for (const SweepResult& one : results) {
        for (const Rival& rival : one.times.rivals) {
            if (std::ranges::find(names, rival.name) == names.end()) {
                names.push_back(rival.name);
            }
        }
    }
    return names;
}

double percent_of_tensor(const SweepResult& result, double rate) {
    return 100 * 2 * result.products / (1e-6 * result.times.us.median) / rate;
}

// Its title says what the pictures are, unless they differ.
Table table_of(const SweepMeter& meter, const std::vector<SweepResult>& here, Table table, bool pictures_differ) {
    using One = const SweepResult&;
    std::vector<Field<SweepResult>> fields{
        {{"name", pictures_differ ? "picture and filter" : "filter", ""},
         [=](One one) {
             return Cell(pictures_differ ? one.row.name
                                         : fmt::format("{} bits, gaussian {}", one.row.depth, one.row.arguments));
         }},
        {{"kernel", "kernel", ""}, [](One one) { return Cell(one.times.kernel); }},
        {{"taps", "taps", ""}, [](One one) { return Cell(static_cast<double>(one.taps)); }},
        {{"us", "vfilter", "us"}, [](One one) { return Cell(one.times.us); }},
        {{"gb_per_s", "read and written", "GB/s"}, [](One one) { return Cell(one.times.gb_per_s()); }},
        {{"of_copy", "time / copy", "times"}, [](One one) { return Cell(one.times.of_copy); }},
        {{"copy_us", "copy", "us"}, [](One one) { return Cell(one.times.copy_us); }},
        {{"tensor_percent", "tensor peak", "%"},
         [rate = meter.tensor_rate](One one) { return rate > 0 ? Cell(percent_of_tensor(one, rate)) : Cell(); },
         true}};
    for (const std::string& name : rivals_of(here)) {
        fields.push_back({{rival_key(name), name, "us"}, [name](One one) {
                              const Rival* const rival = one.times.find_rival(name);
                              return rival != nullptr ? Cell(rival->us) : Cell();
                          }});
    }
    fill(table, here, fields);
    return table;
}

void add_tables(const SweepMeter& meter, const std::vector<SweepResult>& results, Section& section) {
    std::string text = "Times are for one plane, or for one 4:2:0 picture; taps are those of one axis.";
    if (meter.tensor_rate > 0) {
        text += fmt::format(
            " The share of the tensor cores' peak is told of the products of two bytes that an exact result takes at "
            "least, each two operations: for each sample as many as the row has taps, times 2 for 16-bit taps and "
            "bytes, 4 for 16-bit taps and samples of two bytes, and as many as the column has taps, times 4; taps of "
            "24 bits count as 3 bytes. The peak, {:.0f} TOP/s, is mma.sync.m16n8k32 of this run.",
            meter.tensor_rate / 1e12);
    }
    const auto add = [&](const char* key, const char* title, bool pictures_differ, const auto& belongs) {
        std::vector<SweepResult> here;
        std::ranges::copy_if(results, std::back_inserter(here),
                             [&](const SweepResult& one) { return belongs(one.row); });
        if (!here.empty()) {
            Table table{key, title, section.tables.empty() ? text : "Measured as above.", {}, {}};
            section.tables.push_back(table_of(meter, here, std::move(table), pictures_differ));
        }
    };
    const auto sizes = [](const SweepRow& row) { return !row.by_sigma && !row.chroma && row.height == 2160; };
    add("sweep_sizes", "Sizes, 2160p planes, eight to a launch", false,
        [&](const SweepRow& row) { return sizes(row) && row.batch; });
    add("sweep_sizes_alone", "Sizes, 2160p planes, each alone", false,
        [&](const SweepRow& row) { return sizes(row) && !row.batch; });
    add("sweep_sigmas", "Sigmas, 2160p planes, eight to a launch", false,
        [](const SweepRow& row) { return row.by_sigma; });
    add("sweep_pictures", "Other pictures", true, [&](const SweepRow& row) { return !row.by_sigma && !sizes(row); });
}

// Times of a copy over size, or over sigma, with what is promised there of 8 bits. No series: nothing to be drawn.
Plot plot_of(bool by_sigma, const std::vector<SweepResult>& results, const std::vector<SweepLimit>& limits) {
    Plot plot{by_sigma ? "sweep_sigmas" : "sweep_sizes",
              by_sigma ? "Gaussian over sigma, GPU" : "Gaussian over size, GPU",
              fmt::format("{}p planes, eight to a launch; 1 is a kernel that copies the same bytes in the same run.",
                          plotted_height),
              {by_sigma ? "sigma, pixels" : "size, pixels", true},
              {"time / copy; less is better", true},
              {},
              {}};
    const auto shown = [&](const SweepRow& row) {
        return row.batch && row.height == plotted_height && row.by_sigma == by_sigma;
    };
    const auto add = [&](Series series, int depth, const auto& times_copy) {
        for (const SweepResult& result : results) {
            if (shown(result.row) && result.row.depth == depth) {
                if (const double y = times_copy(result.times); y > 0) {
                    series.points.push_back({result.row.value, y});
                }
            }
        }
        if (series.points.size() > 1) {
            plot.series.push_back(std::move(series));
        }
    };
    for (const int depth : {8, 10, 16}) {
        add({fmt::format("vfilter, {} bits", depth), {}, true}, depth,
            [](const KernelTimes& times) { return times.of_copy.median; });
    }
    for (const std::string& name : rivals_of(results)) {
        add({fmt::format("{}, {} bits", name, rivals_depth), {}, false}, rivals_depth, [&](const KernelTimes& times) {
            const Rival* const rival = times.find_rival(name);
            return rival == nullptr ? 0 : rival->us.median / times.copy_us.median;
        });
    }
    Series targets{fmt::format("aim, {} bits", rivals_depth), {}, false, true};
    for (const SweepLimit& limit : limits) {
        const SweepResult* const found = find_result(results, limit.row);
        if (found != nullptr && limit.copies && shown(found->row) && found->row.depth == rivals_depth) {
            targets.points.push_back({found->row.value, limit.limit});
        }
    }
    if (!plot.series.empty() && !targets.points.empty()) {
        plot.series.push_back(std::move(targets));
    }
    return plot;
}

void add_promises(const SweepMeter& meter, const std::vector<SweepResult>& results, Section& section) {
    const auto wrong = std::ranges::count_if(results, [](const SweepResult& one) { return !one.times.right; });
    section.promises.push_back({"sweep: rows with wrong bytes", static_cast<double>(wrong), 0});
    for (const SweepLimit& limit : sweep_limits(meter.kind)) {
        if (const SweepResult* const found = find_result(results, limit.row)) {
            const double measured = limit.copies ? found->times.of_copy.median : found->times.us.median;
            section.promises.push_back(
                {found->row.name + (limit.copies ? ": time / copy" : ": us"), measured, limit.limit});
        }
    }
}

// From one width to the next of the same kind of picture, where the time grows most in relation to the taps.
struct Step {
    const SweepResult* from = nullptr;
    const SweepResult* to = nullptr;

    [[nodiscard]] double time() const { return to->times.us.median / from->times.us.median; }
    [[nodiscard]] double taps() const { return static_cast<double>(to->taps) / from->taps; }
};

std::optional<Step> steepest(const std::vector<SweepResult>& results, bool by_sigma) {
    std::optional<Step> most;
    for (std::size_t i = 1; i < results.size(); ++i) {
        const SweepRow& from = results[i - 1].row;
        const SweepRow& to = results[i].row;
        if (from.by_sigma == by_sigma && to.by_sigma == by_sigma && from.batch && to.batch && from.depth == to.depth &&
            from.height == to.height && from.value < to.value) {
            const Step step{&results[i - 1], &results[i]};
            if (!most || step.time() / step.taps() > most->time() / most->taps()) {
                most = step;
            }
        }
    }
    return most;
}

void add_sentences(const SweepMeter& meter, const std::vector<SweepResult>& results, Section& section) {
    std::vector<std::string> costs;
    for (const int size : {5, 15, 31, 63, 127, 255}) {
        if (const SweepResult* const found =
                find_result(results, fmt::format("2160p plane, 8 bits, gaussian {}, batch", size))) {
            costs.push_back(fmt::format("{:.2f} at size {}", found->times.of_copy.median, size));
        }
    }
    if (!costs.empty()) {
        section.sentences.push_back(
            fmt::format("A Gaussian of 2160p planes of 8 bits takes, in times of a copy: {}.", joined(costs)));
    }
    for (const bool by_sigma : {false, true}) {
        if (const std::optional<Step> step = steepest(results, by_sigma)) {
            section.sentences.push_back(
                fmt::format("The steepest step over {} is from {} to {} of a {}p plane of {} bits: {:.2f} times the "
                            "time for {:.2f} "
                            "times the taps.",
                            by_sigma ? "sigma" : "size", step->from->row.value, step->to->row.value,
                            step->to->row.height, step->to->row.depth, step->time(), step->taps()));
        }
    }
    std::vector<std::string> frames;
    for (const SweepResult& one : results) {
        if (one.row.chroma) {
            frames.push_back(fmt::format("{:.1f} us at size {}", one.times.us.median, one.row.value));
        }
    }
    if (!frames.empty()) {
        section.sentences.push_back(
            fmt::format("One 1080p 4:2:0 picture, a graph's replay, takes {}.", joined(frames)));
    }
    if (meter.tensor_rate > 0) {
        const auto most = std::ranges::max_element(
            results, {}, [&](const SweepResult& one) { return percent_of_tensor(one, meter.tensor_rate); });
        section.sentences.push_back(fmt::format("The largest share of the tensor cores' {:.0f} TOP/s is {:.0f} %: {}.",
                                                meter.tensor_rate / 1e12, percent_of_tensor(*most, meter.tensor_rate),
                                                most->row.name));
    }
    std::vector<std::string> wrong;
    for (const SweepResult& one : results) {
        if (!one.times.right) {
            wrong.push_back(one.row.name);
        }
    }
    section.sentences.push_back(wrong.empty()
                                    ? fmt::format("Each row's bytes are the contract's ({} rows).", results.size())
                                    : fmt::format("WRONG BYTES: {}.", joined(wrong)));
}

// Leaves out what vfilter has not at any depth, and says so once for all its rows.
void leave_out_unknown(std::vector<SweepRow>& plan, Section& section) {
    std::set<std::string> asked;
    std::set<std::string> unknown;
    for (const SweepRow& row : plan) {
        if (asked.insert(row.arguments).second) {
            try {
                parse_gaussian(row.arguments);
            } catch (const std::invalid_argument& error) {
                unknown.insert(row.arguments);
                section.left_out.push_back({"gaussian " + row.arguments, error.what()});
            }
        }
    }
    std::erase_if(plan, [&](const SweepRow& row) { return unknown.contains(row.arguments); });
}

}  // namespace

void tell_sweep(const SweepMeter& meter, const Wishes& wishes, Progress& progress, Section& section) {
    std::vector<SweepRow> plan = plan_sweep(wishes.quick);
    std::erase_if(plan, [&](const SweepRow& row) { return !wanted(wishes, row.name); });
    leave_out_unknown(plan, section);
    progress.plan(plan.size());
    std::vector<SweepResult> results;
    for (const SweepRow& row : plan) {
        progress.step(row.name);
        try {
            const std::vector<Operation> filters = filters_of(row);
            results.push_back({row, taps_of(filters.at(0)), byte_products(row, filters), meter.measure(row, filters)});
        } catch (const std::exception& error) {
            section.left_out.push_back({row.name, error.what()});
            continue;
        }
        if (!results.back().times.right) {
            progress.remark(row.name + ": WRONG BYTES");
        }
    }
    section.left_out.insert(section.left_out.end(), meter.left_out.begin(), meter.left_out.end());
    if (results.empty()) {
        return;
    }
    section.text += " " + meter.text;
    add_sentences(meter, results, section);
    add_promises(meter, results, section);
    for (const bool by_sigma : {false, true}) {
        if (Plot plot = plot_of(by_sigma, results, sweep_limits(meter.kind)); !plot.series.empty()) {
            section.plots.push_back(std::move(plot));
        }
    }
    add_tables(meter, results, section);
}

Section measure_sweep([[maybe_unused]] const Wishes& wishes, [[maybe_unused]] Progress& progress) {
    Section section;
    section.key = "sweep";
    section.title = "The sweep";
    section.text =
        "How the time of a Gaussian grows with its size, on a GPU, beside a kernel that copies the same bytes in the "
        "same run.";
#ifdef VFILTER_WITH_CUDA
    if (wishes.cuda) {
        tell_sweep(sweep_meter(wishes), wishes, progress, section);
    } else {
        section.left_out.push_back({"the sweep", "there is no NVIDIA GPU, or it was not wanted"});
    }
#else
    section.left_out.push_back({"the sweep", "this program was built without CUDA"});
#endif
    return section;
}

}  // namespace vfilter::bench
