// What can go wrong in the sweep without anyone seeing it.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>

#include "bench/report.h"
#include "bench/sweep.h"

namespace vfilter::bench {
namespace {

struct Silent : Progress {
    void plan(std::size_t more) override { planned += more; }
    void step(std::string_view /*what*/) override { ++steps; }
    void remark(std::string_view what) override { remarks.emplace_back(what); }

    std::size_t planned = 0;
    std::size_t steps = 0;
    std::vector<std::string> remarks;
};

Spread always(double value) {
    return {value, value, value, 1};
}

// A time that grows slowly with the taps.
KernelTimes some_times(const SweepRow& row, const std::vector<Operation>& filters) {
    const double copy = 4.7 * row.height * row.height / 2160 / 2160 * (row.depth > 8 ? 2 : 1) * (row.chroma ? 1.5 : 1) *
                        (row.batch ? 1 : 1.3);
    const double of_copy = 1.1 + 0.01 * taps_of(filters.at(0)) * (row.depth == 16 ? 2 : 1);
    KernelTimes times;
    times.kernel = taps_of(filters.at(0)) < 9 ? "fused, radius 3" : "tensor chain";
    times.bytes = 2.0 * row.width() * row.height * (row.depth > 8 ? 2 : 1);
    times.us = {copy * of_copy, 0.99 * copy * of_copy, 1.02 * copy * of_copy, 7};
    times.copy_us = always(copy);
    times.of_copy = always(of_copy);
    if (row.npp) {
        times.rivals.push_back({"NPP", always(4 * copy * of_copy), always(4)});
    }
    times.right = true;
    return times;
}

SweepMeter some_meter(std::string_view kind) {
    SweepMeter meter;
    meter.kind = kind;
    meter.text = "Nowhere.";
    meter.tensor_rate = 1e15;
    meter.measure = some_times;
    return meter;
}

Section told(const SweepMeter& meter, const Wishes& wishes = {}) {
    Section section;
    section.key = "sweep";
    Silent progress;
    tell_sweep(meter, wishes, progress, section);
    EXPECT_EQ(progress.steps, progress.planned);
    return section;
}

// Filters of this program: the limit of sigma is the table's.
std::vector<SweepRow> possible(bool quick) {
    std::vector<SweepRow> plan = plan_sweep(quick);
    std::erase_if(plan, [](const SweepRow& row) {
        try {
            return parse_gaussian(row.arguments).values.empty();
        } catch (const std::invalid_argument&) {
            return true;
        }
    });
    return plan;
}

const Table& table_of(const Section& section, std::string_view key) {
    const auto found = std::ranges::find(section.tables, key, &Table::key);
    if (found == section.tables.end()) {
        throw std::runtime_error(fmt::format("no table {}", key));
    }
    return *found;
}

std::size_t column_of(const Table& table, std::string_view key) {
    return static_cast<std::size_t>(std::ranges::find(table.columns, key, &Column::key) - table.columns.begin());
}

TEST(Sweep, NamesTellRowsApart) {
    for (const bool quick : {false, true}) {
        std::set<std::string> names;
        for (const SweepRow& row : plan_sweep(quick)) {
            EXPECT_TRUE(names.insert(row.name).second) << row.name;
        }
    }
    EXPECT_LT(plan_sweep(true).size() * 8, plan_sweep(false).size());
}

TEST(Sweep, EveryRowCanBeMade) {
    for (const SweepRow& row : possible(false)) {
        EXPECT_EQ(filters_of(row).size(), row.chroma ? 2U : 1U) << row.name;
    }
}

TEST(Sweep, EverySizeAndSigmaIsThere) {
    for (const int depth : {8, 10, 16}) {
        std::set<double> sizes;
        std::set<double> sigmas;
        for (const SweepRow& row : plan_sweep(false)) {
            if (row.height == 2160 && row.depth == depth && row.batch) {
                (row.by_sigma ? sigmas : sizes).insert(row.value);
            }
        }
        ASSERT_EQ(sizes.size(), 23U) << depth;
        EXPECT_EQ(*sizes.begin(), 3);
        EXPECT_EQ(*sizes.rbegin(), 255);
        ASSERT_EQ(sigmas.size(), 18U) << depth;
        EXPECT_EQ(*sigmas.begin(), 0.3);
        EXPECT_EQ(*sigmas.rbegin(), 100);
    }
}

TEST(Sweep, EveryPromiseHasItsRow) {
    const std::vector<SweepRow> plan = plan_sweep(false);
    EXPECT_EQ(sweep_limits(hopper).size(), 16U);
    for (const SweepLimit& limit : sweep_limits(hopper)) {
        EXPECT_NE(std::ranges::find(plan, limit.row, &SweepRow::name), plan.end()) << limit.row;
    }
    EXPECT_TRUE(sweep_limits("sm_75").empty());
}

TEST(Sweep, CountsTheProductsOfBytes) {
    SweepRow row{"", "5", false, 5, 2, 8, false, true};  // 3x2
    EXPECT_EQ(byte_products(row, filters_of(row)), 6 * (5 * 2 * 1 + 5 * 2 * 2));
    row.depth = 10;
    EXPECT_EQ(byte_products(row, filters_of(row)), 6 * (5 * 2 * 2 + 5 * 2 * 2));
    row = {"", "255", false, 255, 2, 16, false, true};
    ASSERT_EQ(std::get<LinearFilter>(filters_of(row).at(0)).arithmetic, Arithmetic::split);
    EXPECT_EQ(byte_products(row, filters_of(row)), 6 * (255 * 3 * 2 + 255 * 3 * 2));
    // Of a decimated filter, its inner one's.
    row = {"", "255", false, 255, 2, 8, false, true};
    const auto decimated = std::get<DecimatedFilter>(filters_of(row).at(0));
    EXPECT_EQ(taps_of(filters_of(row).at(0)), 255);
    EXPECT_EQ(byte_products(row, filters_of(row)), 6.0 * static_cast<double>(decimated.inner.terms[0].rows.size()) * 8 /
                                                       (decimated.factor() * decimated.factor()));
    // Chroma: half as many samples, and about half the taps.
    row = {"", "31", false, 31, 1080, 8, true, false};
    const int small = taps_of(filters_of(row).at(1));
    EXPECT_LT(small, 19);
    EXPECT_EQ(byte_products(row, filters_of(row)), 1920 * 1080 * (31 * 6 + small * 3));
}

TEST(Sweep, RowsAreTold) {
    const Section section = told(some_meter(hopper));
    std::size_t rows = 0;
    for (const Table& table : section.tables) {
        rows += table.rows.size();
        for (const Row& row : table.rows) {
            EXPECT_EQ(row.cells.size(), table.columns.size());
        }
    }
    EXPECT_EQ(rows, possible(false).size());
    const Table& sizes = table_of(section, "sweep_sizes");
    EXPECT_EQ(sizes.rows.size(), 69U);
    const auto at = [&](std::string_view key) {
        const Row& row = sizes.rows.at(1);
        return row.cells.at(column_of(sizes, key));
    };
    EXPECT_EQ(std::get<std::string>(at("name")), "8 bits, gaussian 5");
    EXPECT_EQ(std::get<std::string>(table_of(section, "sweep_pictures").rows.at(0).cells.at(0)),
              "720p plane, 8 bits, gaussian 5, batch");
    EXPECT_EQ(std::get<std::string>(at("kernel")), "fused, radius 3");
    EXPECT_EQ(std::get<double>(at("taps")), 5);
    const double us = 4.7 * 1.15;
    EXPECT_DOUBLE_EQ(std::get<Spread>(at("us")).median, us);
    EXPECT_DOUBLE_EQ(std::get<double>(at("gb_per_s")), 2 * 3840 * 2160 / us / 1e3);
    EXPECT_DOUBLE_EQ(std::get<Spread>(at("of_copy")).median, 1.15);
    EXPECT_DOUBLE_EQ(std::get<double>(at("tensor_percent")), 100 * 2 * 3840 * 2160 * 30.0 / (us * 1e-6) / 1e15);
    EXPECT_TRUE(std::holds_alternative<std::monostate>(at("npp_us"))) << "its results are wrong there";
    EXPECT_TRUE(std::holds_alternative<Spread>(sizes.rows.at(2).cells.at(column_of(sizes, "npp_us"))));
}

TEST(Sweep, PromisesAreOfHopperAlone) {
    const Section section = told(some_meter(hopper));
    const std::size_t possible_ones =
        static_cast<std::size_t>(std::ranges::count_if(sweep_limits(hopper), [](const SweepLimit& limit) {
            const std::vector<SweepRow> plan = possible(false);
            return std::ranges::find(plan, limit.row, &SweepRow::name) != plan.end();
        }));
    EXPECT_EQ(section.promises.size(), possible_ones + 1);
    const auto find = [&](const std::string& what) {
        return std::ranges::find(section.promises, what, &Promise::what);
    };
    const auto copies = find("2160p plane, 8 bits, gaussian 31, batch: time / copy");
    ASSERT_NE(copies, section.promises.end());
    EXPECT_DOUBLE_EQ(copies->measured, 1.41);
    EXPECT_EQ(copies->limit, 2);
    const auto us = find("1080p 4:2:0, 8 bits, gaussian 15, replayed: us");
    ASSERT_NE(us, section.promises.end());
    EXPECT_DOUBLE_EQ(us->measured, 4.7 / 4 * 1.5 * 1.3 * 1.25);
    EXPECT_EQ(us->limit, 6);
    EXPECT_EQ(told(some_meter("sm_75")).promises.size(), 1U);
}

TEST(Sweep, PlotsHaveALineForEachDepthAndTheAims) {
    const Section section = told(some_meter(hopper));
    ASSERT_EQ(section.plots.size(), 2U);
    EXPECT_EQ(section.plots[0].key, "sweep_sizes");
    EXPECT_EQ(section.plots[1].key, "sweep_sigmas");
    for (const Plot& plot : section.plots) {
        ASSERT_GE(plot.series.size(), 4U);
        for (std::size_t i = 0; i < 3; ++i) {
            EXPECT_TRUE(plot.series[i].ours);
            EXPECT_GE(plot.series[i].points.size(), 14U);
            EXPECT_TRUE(std::ranges::is_sorted(plot.series[i].points, {}, &Point::x));
        }
        EXPECT_EQ(plot.series[3].name, "NPP, 8 bits");
    }
    const Series& aims = section.plots[0].series.back();
    EXPECT_TRUE(aims.target);
    EXPECT_EQ(aims.points.size(), 6U);
    EXPECT_EQ(aims.points[5].x, 63);
    EXPECT_EQ(aims.points[5].y, 3.5);
    for (const Plot& plot : told(some_meter("sm_75")).plots) {
        EXPECT_TRUE(std::ranges::none_of(plot.series, &Series::target));
    }
}

TEST(Sweep, ACliffIsNamed) {
    SweepMeter meter = some_meter(hopper);
    meter.measure = [](const SweepRow& row, const std::vector<Operation>& filters) {
        KernelTimes times = some_times(row, filters);
        if (row.depth == 10 && row.value > 127) {
            times.us = always(10 * times.us.median);
        }
        return times;
    };
    const Section section = told(meter);
    EXPECT_TRUE(std::ranges::any_of(section.sentences, [](const std::string& sentence) {
        return sentence.starts_with("The steepest step over size is from 127 to 129 of a 2160p plane of 10 bits: 10.");
    })) << to_text(section);
}

TEST(Sweep, WrongBytesAreAPromiseMissed) {
    const std::string wrong = "2160p plane, 8 bits, gaussian 15, alone";
    SweepMeter meter = some_meter("");
    meter.measure = [&](const SweepRow& row, const std::vector<Operation>& filters) {
        KernelTimes times = some_times(row, filters);
        times.right = row.name != wrong;
        return times;
    };
    Section section;
    Silent progress;
    tell_sweep(meter, {}, progress, section);
    ASSERT_EQ(section.promises.size(), 1U);
    EXPECT_FALSE(section.promises[0].kept());
    ASSERT_EQ(progress.remarks.size(), 1U);
    EXPECT_NE(progress.remarks[0].find(wrong), std::string::npos);
    EXPECT_EQ(section.sentences.back(), "WRONG BYTES: " + wrong + ".");
}

TEST(Sweep, WhatCannotBeMeasuredIsNamed) {
    const std::string failing = "2160p plane, 8 bits, gaussian 15, batch";
    SweepMeter meter = some_meter("");
    meter.left_out = {{"NPP", "not there"}};
    meter.measure = [&](const SweepRow& row, const std::vector<Operation>& filters) {
        if (row.name == failing) {
            throw std::runtime_error("no memory");
        }
        return some_times(row, filters);
    };
    const Section section = told(meter);
    const auto why = [&](std::string_view what) {
        const auto found = std::ranges::find(section.left_out, what, &LeftOut::what);
        return found != section.left_out.end() ? found->why : "it is not named";
    };
    EXPECT_EQ(why(failing), "no memory");
    EXPECT_EQ(why("NPP"), "not there");
    // A filter that is not to be had, once for all its rows.
    std::set<std::string> unknown;
    for (const SweepRow& row : plan_sweep(false)) {
        try {
            parse_gaussian(row.arguments);
        } catch (const std::invalid_argument& error) {
            unknown.insert(row.arguments);
            EXPECT_EQ(why("gaussian " + row.arguments), error.what());
        }
    }
    EXPECT_EQ(section.left_out.size(), unknown.size() + 2);
}

TEST(Sweep, WithoutAGpuItIsNamed) {
    Silent progress;
    const Section section = measure_sweep({}, progress);
    EXPECT_EQ(section.key, "sweep");
    EXPECT_TRUE(section.tables.empty());
    ASSERT_EQ(section.left_out.size(), 1U);
    EXPECT_EQ(section.left_out[0].what, "the sweep");
}

TEST(Sweep, AnotherContestantStandsBesideOurs) {
    SweepMeter meter = some_meter(hopper);
    meter.measure = [](const SweepRow& row, const std::vector<Operation>& filters) {
        KernelTimes times = some_times(row, filters);
        times.rivals.insert(times.rivals.begin(), {"CUDA cores", always(2 * times.us.median), always(2)});
        return times;
    };
    const Section section = told(meter);
    for (const Table& table : section.tables) {
        ASSERT_LT(column_of(table, "cuda_cores_us"), table.columns.size()) << table.key;
        for (const Row& row : table.rows) {
            EXPECT_TRUE(std::holds_alternative<Spread>(row.cells[column_of(table, "cuda_cores_us")]));
        }
    }
    for (const Plot& plot : section.plots) {
        EXPECT_EQ(plot.series.at(3).name, "CUDA cores, 8 bits");
        EXPECT_EQ(plot.series.at(4).name, "NPP, 8 bits");
    }
}

TEST(Sweep, IsToldAsTextAndJson) {
    const Section section = told(some_meter(hopper));
    const std::string json = to_json({"sweep", "", "", {}, {section}}).dump();
    const std::string text = to_text(section);
    for (const char* const part : {"Sizes, 2160p", "Sigmas, 2160p", "tensor peak", "16 bits, gaussian 255",
                                   "4320p plane, 8 bits, gaussian 255"}) {
        EXPECT_NE(json.find(part), std::string::npos) << part;
    }
    EXPECT_NE(text.find("tensor chain"), std::string::npos);
}

}  // namespace
}  // namespace vfilter::bench
