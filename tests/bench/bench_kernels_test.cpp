// What can go wrong in the kernels' benchmark without anyone seeing it: rows that are missing, results that are not
// looked at.

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <stdexcept>

#include "bench/kernels.h"
#include "kernels/cpu/simd.h"

namespace vfilter::bench {

namespace {

constexpr Backend backends[] = {Backend::cpu, Backend::cuda};

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

KernelTimes some_times() {
    KernelTimes times;
    times.kernel = "none";
    times.bytes = 1000;
    times.us = always(2);
    times.copy_us = always(1);
    times.of_copy = always(2);
    times.rivals = {{"OpenCV", always(8), always(4)}};
    times.cached = {always(2), always(2), always(4)};
    times.right = true;
    return times;
}

KernelMeter some_meter(std::string_view kind, Backend backend = Backend::cpu) {
    KernelMeter meter;
    meter.backend = backend;
    meter.kind = kind;
    meter.rivals = {"OpenCV"};
    meter.measure = [](const KernelRow& /*row*/) { return some_times(); };
    meter.two_threads = [](const KernelRow& /*row*/) { return always(1.9); };
    return meter;
}

TEST(KernelBench, EveryFilterIsInThePlan) {
    for (const Backend backend : backends) {
        for (const bool quick : {false, true}) {
            const std::vector<KernelRow> plan = plan_kernels(backend, quick);
            for (const FilterDef& def : filter_table()) {
                EXPECT_TRUE(std::ranges::any_of(plan, [&](const KernelRow& row) { return row.def == &def; }))
                    << def.name;
            }
        }
    }
}

TEST(KernelBench, NamesTellRowsApart) {
    for (const Backend backend : backends) {
        const std::vector<KernelRow> plan = plan_kernels(backend, false);
        std::set<std::string> names;
        for (const KernelRow& row : plan) {
            EXPECT_TRUE(names.insert(row.name).second) << row.name;
        }
    }
}

TEST(KernelBench, InterleavedPicturesAreTheCpusAlone) {
    const auto interleaved = [](Backend backend) {
        return std::ranges::count_if(plan_kernels(backend, false),
                                     [](const KernelRow& row) { return row.components > 1; });
    };
    EXPECT_GT(interleaved(Backend::cpu), 0);
    EXPECT_EQ(interleaved(Backend::cuda), 0);
}

TEST(KernelBench, EveryRowCanBeMade) {
    for (const Backend backend : backends) {
        for (const KernelRow& row : plan_kernels(backend, false)) {
            EXPECT_NO_THROW(make_filters(*row.def, row.arguments, row.depth, true)) << row.name;
        }
    }
}

TEST(KernelBench, EveryPromiseHasItsRow) {
    for (const auto& [kind, backend] :
         {std::pair{best_simd, Backend::cpu}, {forced_avx2, Backend::cpu}, {hopper, Backend::cuda}}) {
        Section section;
        Silent progress;
        tell_kernels(some_meter(kind, backend), {}, progress, section);
        EXPECT_TRUE(std::ranges::any_of(section.promises, [](const Promise& promise) {
            return promise.what.find(": time /") != std::string::npos;
        })) << kind;
        for (const LeftOut& left : section.left_out) {
            ADD_FAILURE() << left.what << ": " << left.why;
        }
    }
}

TEST(KernelBench, RowsAreToldAndPromisesKept) {
    Section section;
    Silent progress;
    tell_kernels(some_meter(best_simd), {}, progress, section);
    ASSERT_EQ(section.tables.size(), 2U);
    EXPECT_EQ(section.tables[0].rows.size(), plan_kernels(Backend::cpu, false).size());
    for (const Table& table : section.tables) {
        for (const Row& row : table.rows) {
            EXPECT_EQ(row.cells.size(), table.columns.size());
        }
    }
    EXPECT_EQ(progress.steps, progress.planned);
    EXPECT_TRUE(progress.remarks.empty());
    EXPECT_TRUE(section.left_out.empty());
    // One about the bytes, one for each row of two threads, and those about a row each.
    EXPECT_GT(section.promises.size(), 1 + section.tables[1].rows.size());
    EXPECT_TRUE(std::ranges::all_of(section.promises, &Promise::kept));
}

TEST(KernelBench, PromisesOfOtherMachinesAreNotMade) {
    Section section;
    Silent progress;
    Wishes wishes;
    wishes.quick = true;
    tell_kernels(some_meter("SSE4"), wishes, progress, section);
    EXPECT_EQ(section.promises.size(), 1U);
}

TEST(KernelBench, WrongBytesAreAPromiseMissed) {
    const std::string wrong = "1080p plane, 8 bits, sobel";
    KernelMeter meter = some_meter("");
    meter.measure = [&](const KernelRow& row) {
        KernelTimes times = some_times();
        times.right = row.name != wrong;
        return times;
    };
    Section section;
    Silent progress;
    tell_kernels(meter, {}, progress, section);
    EXPECT_EQ(std::ranges::count_if(section.promises, [](const Promise& promise) { return !promise.kept(); }), 1);
    ASSERT_EQ(progress.remarks.size(), 1U);
    EXPECT_NE(progress.remarks[0].find(wrong), std::string::npos);
    EXPECT_TRUE(std::ranges::any_of(section.sentences, [&](const std::string& sentence) {
        return sentence.find("WRONG BYTES: " + wrong) != std::string::npos;
    }));
}

TEST(KernelBench, ARowThatFailsIsNamed) {
    const std::string failing = "1080p plane, 8 bits, box 5";
    KernelMeter meter = some_meter("");
    meter.measure = [&](const KernelRow& row) {
        if (row.name == failing) {
            throw std::runtime_error("no memory");
        }
        return some_times();
    };
    Section section;
    Silent progress;
    tell_kernels(meter, {}, progress, section);
    EXPECT_EQ(section.tables.at(0).rows.size(), plan_kernels(Backend::cpu, false).size() - 1);
    ASSERT_EQ(section.left_out.size(), 1U);
    EXPECT_NE(section.left_out[0].what.find(failing), std::string::npos);
    EXPECT_EQ(section.left_out[0].why, "no memory");
}

TEST(KernelBench, OneWrongSampleIsSeen) {
    constexpr int width = 40;
    constexpr int height = 30;
    std::vector<std::uint16_t> src(std::size_t{width} * height);
    for (std::size_t i = 0; i < src.size(); ++i) {
        src[i] = static_cast<std::uint16_t>(i * 7919 % 1024);
    }
    std::vector<std::uint16_t> result(src.size());
    const auto view = [](std::vector<std::uint16_t>& samples) -> PlaneView<std::uint16_t> {
        return {samples.data(), width, height, 2 * width};
    };
    const FilterDef& gaussian = *find_filter("gaussian");
    const Operation filter = make_operation(gaussian.make(parse_filter(gaussian, "5"), 1, 1), 10);
    SimdFilter(filter).run<std::uint16_t>(view(src), view(result), Border::reflect_101, 0, 0, height);
    const auto right = [&] { return holds_contract<std::uint16_t>(filter, view(src), view(result)); };
    EXPECT_TRUE(right());
    for (const std::size_t at : {std::size_t{0}, src.size() / 2, src.size() - 1}) {
        result[at] ^= 1U;
        EXPECT_FALSE(right()) << at;
        result[at] ^= 1U;
    }
}

TEST(HoldsContract, LooksAtTheNeighboursInTime) {
    constexpr int side = 16;
    std::vector<std::vector<std::uint8_t>> samples;
    for (int picture = 0; picture < 4; ++picture) {
        samples.emplace_back(side * side, static_cast<std::uint8_t>(50 * picture));
    }
    std::vector<PlaneView<const std::uint8_t>> views;
    for (const std::vector<std::uint8_t>& one : samples) {
        views.push_back({one.data(), side, side, side});
    }
    const Operation median = make_filters(*find_filter("tmedian"), "1", 8, false).front();
    const auto right = [&](std::size_t result) {
        return holds_contract<std::uint8_t>(median, views[0], views[result], std::span(views).subspan(1, 2));
    };
    EXPECT_TRUE(right(1));
    EXPECT_FALSE(right(0));
    EXPECT_FALSE(right(2));
}

}  // namespace

}  // namespace vfilter::bench
