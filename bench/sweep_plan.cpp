// The sweep over sizes and sigmas: what is measured, what is promised of it, and what it takes.

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <stdexcept>
#include <utility>
#include <variant>

#include "bench/sweep.h"

namespace vfilter::bench {

namespace {

// Gaussians of all these widths, on pictures of all these kinds.
struct Grid {
    std::vector<double> widths;
    bool by_sigma;
    std::vector<int> depths;
    std::vector<int> heights;
    std::vector<bool> batches;
    bool chroma = false;
};

const std::vector<Grid>& grids(bool quick) {
    static const std::vector<double> sizes{3,  5,  7,  9,  11, 13, 15,  17,  21,  25,  31, 33,
                                           41, 49, 63, 65, 81, 97, 127, 129, 161, 191, 255};
    static const std::vector<double> few_sizes{5, 15, 31, 63, 127, 255};
    static const std::vector<double> sigmas{0.3, 0.5, 0.8, 1, 1.5, 2, 3, 5, 7, 10, 14, 20, 28, 40, 50, 60, 80, 100};
    static const std::vector<Grid> all{
        {sizes, false, {8, 10, 16}, {2160}, {true, false}},
        {sigmas, true, {8, 10, 16}, {2160}, {true}},
        {few_sizes, false, {8}, {720, 1080, 4320}, {true, false}},
        {{5, 15, 31}, false, {8}, {1080}, {false}, true},
    };
    static const std::vector<Grid> few{
        {{5, 15, 31, 63}, false, {8, 10}, {2160}, {true}},
        {{5, 31}, false, {8}, {2160}, {false}},
        {{1, 10, 40}, true, {8}, {2160}, {true}},
        {{5}, false, {8}, {1080}, {false}, true},
    };
    return quick ? few : all;
}

// Where NPP is measured as well. Not at size 5, for which its results are wrong.
constexpr double npp_sizes[] = {3, 7, 15, 31, 63, 127, 255};
constexpr double npp_sigmas[] = {0.5, 1, 5, 20, 40};
constexpr int npp_height = 2160;
constexpr int npp_depth = 8;

constexpr SweepLimit hopper_limits[] = {
    {"2160p plane, 8 bits, gaussian 3, batch", true, 1.3},
    {"2160p plane, 8 bits, gaussian 5, batch", true, 1.3},
    {"2160p plane, 8 bits, gaussian 7, batch", true, 1.3},
    {"2160p plane, 8 bits, gaussian 15, batch", true, 1.5},
    {"2160p plane, 8 bits, gaussian 31, batch", true, 2},
    {"2160p plane, 8 bits, gaussian 63, batch", true, 3.5},
    {"2160p plane, 8 bits, gaussian sigma=50, batch", true, 8},
    {"2160p plane, 10 bits, gaussian 3, batch", true, 1.5},
    {"2160p plane, 10 bits, gaussian 5, batch", true, 1.5},
    {"2160p plane, 10 bits, gaussian 7, batch", true, 1.5},
    {"2160p plane, 10 bits, gaussian 15, batch", true, 2},
    {"2160p plane, 10 bits, gaussian 31, batch", true, 3},
    {"2160p plane, 10 bits, gaussian 63, batch", true, 5.5},
    {"2160p plane, 10 bits, gaussian sigma=50, batch", true, 12},
    {"1080p 4:2:0, 8 bits, gaussian 5, replayed", false, 6},
    {"1080p 4:2:0, 8 bits, gaussian 15, replayed", false, 6},
};

const FilterDef& gaussian() {
    return *find_filter("gaussian");
}

// What is multiplied on tensor cores, and how many samples it has for each of the plane's.
struct Multiplied {
    const LinearFilter& filter;
    double share;
};

Multiplied multiplied(const Operation& operation) {
    if (const auto* const decimated = std::get_if<DecimatedFilter>(&operation)) {
        return {decimated->inner, 1.0 / (decimated->factor() * decimated->factor())};
    }
    return {std::get<LinearFilter>(operation), 1};
}

}  // namespace

FilterSpec parse_gaussian(const std::string& arguments) {
    return parse_filter(gaussian(), arguments);
}

int taps_of(const Operation& filter) {
    return static_cast<int>(exact_kernel(filter).terms.at(0).rows.size());
}

std::vector<SweepRow> plan_sweep(bool quick) {
    std::vector<SweepRow> plan;
    for (const Grid& grid : grids(quick)) {
        for (const int height : grid.heights) {
            for (const bool batch : grid.batches) {
                for (const int depth : grid.depths) {
                    for (const double width : grid.widths) {
                        SweepRow row{"",
                                     fmt::format("{}{}", grid.by_sigma ? "sigma=" : "", width),
                                     grid.by_sigma,
                                     width,
                                     height,
                                     depth,
                                     grid.chroma,
                                     batch};
                        row.name = fmt::format("{}p {}, {} bits, {}, {}", height, grid.chroma ? "4:2:0" : "plane",
                                               depth, "gaussian " + row.arguments,
                                               batch         ? "batch"
                                               : grid.chroma ? "replayed"
                                                             : "alone");
                        row.npp = batch && height == npp_height && depth == npp_depth &&
                                  (grid.by_sigma ? std::ranges::find(npp_sigmas, width) != std::end(npp_sigmas)
                                                 : std::ranges::find(npp_sizes, width) != std::end(npp_sizes));
                        plan.push_back(std::move(row));
                    }
                }
            }
        }
    }
    return plan;
}

std::vector<Operation> filters_of(const SweepRow& row) {
    return make_filters(gaussian(), row.arguments, row.depth, row.chroma);
}

double byte_products(const SweepRow& row, const std::vector<Operation>& filters) {
    const auto of_sample = [](const Operation& filter) {
        const auto& [linear, share] = multiplied(filter);
        const double tap_bytes = linear.arithmetic == Arithmetic::split ? 3 : 2;
        const double sample_bytes = linear.depth > 8 ? 2 : 1;
        const Term& term = linear.terms.at(0);
        return share * tap_bytes *
               (static_cast<double>(term.rows.size()) * sample_bytes + static_cast<double>(term.columns.size()) * 2);
    };
    const double luma = double{1} * row.width() * row.height;
    return luma * of_sample(filters.at(0)) + (row.chroma ? luma / 2 * of_sample(filters.at(1)) : 0);
}

std::vector<SweepLimit> sweep_limits(std::string_view kind) {
    return kind == hopper ? std::vector(std::begin(hopper_limits), std::end(hopper_limits)) : std::vector<SweepLimit>{};
}

}  // namespace vfilter::bench
