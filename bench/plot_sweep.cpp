// The sweep as curves: where they are flat, the size of a filter is free; where they jump, something else began to run.

#include <fmt/format.h>

#include <algorithm>

#include "bench/sweep.h"

namespace vfilter::bench {

namespace {

constexpr int plotted_height = 2160;
constexpr int rivals_depth = 8;  // and the targets'

}  // namespace

Plot sweep_plot(bool by_sigma, const std::vector<SweepResult>& results, const std::vector<SweepLimit>& limits) {
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
            const auto found = std::ranges::find(times.rivals, name, &Rival::name);
            return found == times.rivals.end() ? 0 : found->us.median / times.copy_us.median;
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

}  // namespace vfilter::bench
