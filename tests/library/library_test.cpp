// libvfilter as others use it: its headers and its shared library.

#include <gtest/gtest.h>
#include <malloc.h>
#include <sched.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "tests/library/c_interface.h"
#include "tests/library/plain_filter.h"
#include "tests/library/test_pictures.h"
#include "vfilter/vfilter.hpp"

namespace {

using vfilter::Context;
using vfilter::Operation;
using vfilter::test::PlainFormat;
using vfilter::test::PlainPlane;
using namespace vfilter_library_test;

struct Run {
    std::string filter;
    std::string arguments{};
    int depth = 8;
    int channels = 1;
    int count = 1;
    int width = 37;
    int height = 21;
    const Layout* layout = &layouts[0];
    const Layout* result_layout = nullptr;  // null: the same
};

template <class T>
void expect_plain_result(const Context& context, const Run& run) {
    SCOPED_TRACE(run.filter + " " + run.arguments + ", " + std::to_string(run.depth) + " bits, " +
                 std::to_string(run.channels) + " channels, " + run.layout->name);
    const vfilter_format format = vfilter::picture_format(run.depth, run.channels);
    const Operation operation(context, run.filter, run.arguments, format);
    const Layout& result_layout = run.result_layout != nullptr ? *run.result_layout : *run.layout;
    TestPictures<T> source(*run.layout, run.width, run.height, run.channels, run.count);
    TestPictures<T> result(result_layout, run.width, run.height, run.channels, run.count);
    const auto plane = [&](int picture, int channel) {
        return random_plane(run.width, run.height, run.depth, static_cast<unsigned>(picture * 10 + channel));
    };
    for (int i = 0; i < run.count * run.channels; ++i) {
        source.set(i / run.channels, i % run.channels, plane(i / run.channels, i % run.channels));
    }
    operation.run(source.picture(), result.picture());
    for (int i = 0; i < run.count * run.channels; ++i) {
        const int picture = i / run.channels;
        const int channel = i % run.channels;
        const PlainPlane expected = vfilter::test::filter_plainly(
            run.filter, run.arguments, {.depth = run.depth, .component = format.components[channel]}, run.width,
            run.height, plane(picture, channel));
        EXPECT_TRUE(result.get(picture, channel) == expected) << "channel " << channel << " of picture " << picture;
        EXPECT_TRUE(source.get(picture, channel) == plane(picture, channel)) << "the source is another";
    }
    EXPECT_TRUE(result.guards_intact());
}

void expect_plain(const Context& context, const Run& run) {
    run.depth == 8 ? expect_plain_result<std::uint8_t>(context, run) : expect_plain_result<std::uint16_t>(context, run);
}

TEST(Library, ServesC) {
    const char* const wrong = use_c_interface();
    EXPECT_EQ(wrong, nullptr) << wrong;
}

TEST(Library, EveryFilterInEveryLayout) {
    const Context context(2);
    std::size_t turn = 0;
    for (const std::string& filter : vfilter::test::filter_names()) {
        for (const int depth : {8, 10, 16}) {
            for (const int channels : {1, 3, 4}) {
                const Layout& layout = layouts[turn++ % std::size(layouts)];
                expect_plain(context, {.filter = filter,
                                       .arguments = vfilter::test::example_arguments(filter),
                                       .depth = depth,
                                       .channels = channels,
                                       .layout = &layout});
            }
        }
    }
}

TEST(Library, EveryLayoutOfBatchesAndSizes) {
    const Context context(3);
    for (const char* const size : {"5", "15", "31", "sigma=14"}) {
        for (const Layout& layout : layouts) {
            for (const Layout& result : layouts) {
                expect_plain(context, {.filter = "gaussian",
                                       .arguments = size,
                                       .channels = 3,
                                       .count = 2,
                                       .layout = &layout,
                                       .result_layout = &result});
            }
        }
    }
    expect_plain(context, {.filter = "box", .arguments = "9", .channels = 2, .width = 1, .height = 1});
    expect_plain(context, {.filter = "sobel", .channels = 4, .width = 300, .height = 129});
}

TEST(Library, BordersAndBlack) {
    const Context context;
    for (const char* const border : {"reflect_101", "reflect", "replicate", "constant", "wrap"}) {
        expect_plain(context, {.filter = "gaussian", .arguments = std::string("9:border=") + border, .channels = 3});
    }
}

TEST(Library, ChromaAsTheProgramHasIt) {
    const Context context;
    vfilter_format format = VFILTER_FORMAT_INIT;
    format.depth = 8;
    format.channels = 1;
    format.components[0] = VFILTER_CB;
    format.subsampling_x = format.subsampling_y = 1;
    for (const std::string arguments : {"9:border=constant", "9:chroma=same", "9:chroma=off", "9:chroma=neutral"}) {
        const Operation operation(context, "gaussian", arguments, format);
        TestPictures<std::uint8_t> source(layouts[0], 20, 10, 1, 1);
        TestPictures<std::uint8_t> result(layouts[0], 20, 10, 1, 1);
        source.set(0, 0, random_plane(20, 10, 8, 1));
        operation.run(source.picture(), result.picture());
        const PlainFormat plain{.component = VFILTER_CB, .subsampling = 1, .full_range = false};
        EXPECT_EQ(result.get(0, 0),
                  vfilter::test::filter_plainly("gaussian", arguments, plain, 20, 10, source.get(0, 0)))
            << arguments;
    }
}

TEST(Library, ChainsAreTheirStepsOneAfterAnother) {
    const Context context;
    const Operation chain(context, {{"gaussian", "5"}, {"sharpen", "1"}, {"identity", ""}, {"sobel", ""}},
                          vfilter::picture_format(8, 3));
    TestPictures<std::uint8_t> source(layouts[0], 33, 17, 3, 2);
    TestPictures<std::uint8_t> result(layouts[4], 33, 17, 3, 2);
    for (int i = 0; i < 6; ++i) {
        source.set(i / 3, i % 3, random_plane(33, 17, 8, static_cast<unsigned>(i)));
    }
    chain.run(source.picture(), result.picture());
    for (int i = 0; i < 6; ++i) {
        PlainPlane plane = random_plane(33, 17, 8, static_cast<unsigned>(i));
        for (const auto& [filter, arguments] : {std::pair{"gaussian", "5"}, {"sharpen", "1"}, {"sobel", ""}}) {
            plane = vfilter::test::filter_plainly(filter, arguments, {.component = VFILTER_RED}, 33, 17, plane);
        }
        EXPECT_TRUE(result.get(i / 3, i % 3) == plane) << i;
    }
}

TEST(Library, RegionsAndMasksBlend) {
    const Context context(2);
    const vfilter_format format = vfilter::picture_format(8, 3);
    TestPictures<std::uint8_t> source(layouts[0], 40, 30, 3, 1);
    for (int channel = 0; channel < 3; ++channel) {
        source.set(0, channel, random_plane(40, 30, 8, static_cast<unsigned>(channel)));
    }
    std::vector<std::uint8_t> weights(40 * 30, 0);
    for (int y = 5; y < 25; ++y) {
        std::fill_n(weights.begin() + y * 40 + 10, 20, 255);
    }
    TestPictures<std::uint8_t> by_region(layouts[0], 40, 30, 3, 1);
    Operation(context, "gaussian", "9:region=10,5,20,20", format).run(source.picture(), by_region.picture());
    TestPictures<std::uint8_t> by_mask(layouts[3], 40, 30, 3, 1);  // another order than the source's
    const vfilter_picture mask = vfilter::packed_picture(weights.data(), 40, 30);
    vfilter_run_options options = VFILTER_RUN_OPTIONS_INIT;
    options.mask = &mask;
    Operation(context, "gaussian", "9", format).run(source.picture(), by_mask.picture(), &options);
    for (int channel = 0; channel < 3; ++channel) {
        const PlainPlane before = source.get(0, channel);
        const PlainPlane made =
            vfilter::test::filter_plainly("gaussian", "9", {.component = VFILTER_RED}, 40, 30, before);
        for (int i = 0; i < 40 * 30; ++i) {
            const int expected = weights[static_cast<std::size_t>(i)] != 0 ? made[static_cast<std::size_t>(i)]
                                                                           : before[static_cast<std::size_t>(i)];
            ASSERT_EQ(by_region.at(0, channel, i % 40, i / 40), expected) << i;
            ASSERT_EQ(by_mask.at(0, channel, i % 40, i / 40), expected) << i;
        }
    }
}

TEST(Library, EightThreadsWithOneOperation) {
    const Context context(2);
    const Operation operation(context, {{"gaussian", "5:region=10%,10%,50%,50%"}, {"sobel", ""}},
                              vfilter::picture_format(8, 3));
    const auto make = [&](unsigned seed, int width) {
        TestPictures<std::uint8_t> source(layouts[0], width, 40, 3, 1);
        TestPictures<std::uint8_t> result(layouts[3], width, 40, 3, 1);
        for (int channel = 0; channel < 3; ++channel) {
            source.set(0, channel, random_plane(width, 40, 8, seed));
        }
        operation.run(source.picture(), result.picture());
        return result.get(0, 2);
    };
    std::array<PlainPlane, 8> alone;
    for (unsigned i = 0; i < 8; ++i) {
        alone[i] = make(i, 50 + static_cast<int>(i % 2));
    }
    std::atomic<int> wrong = 0;
    std::vector<std::thread> threads;
    for (unsigned i = 0; i < 8; ++i) {
        threads.emplace_back([&, i] {
            for (int turn = 0; turn < 20; ++turn) {
                wrong += make(i, 50 + static_cast<int>(i % 2)) == alone[i] ? 0 : 1;
            }
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    EXPECT_EQ(wrong, 0);
}

// A thread that may run on one processor is all that is wanted then.
TEST(Library, HasAThreadForEachProcessorThatItMayUse) {
    const auto threads = [] { return std::distance(std::filesystem::directory_iterator("/proc/self/task"), {}); };
    std::thread([&] {
        cpu_set_t before;
        ASSERT_EQ(sched_getaffinity(0, sizeof(before), &before), 0);
        cpu_set_t one;
        CPU_ZERO(&one);
        for (int i = 0; CPU_COUNT(&one) == 0; ++i) {
            if (CPU_ISSET(i, &before)) {
                CPU_SET(i, &one);
            }
        }
        ASSERT_EQ(sched_setaffinity(0, sizeof(one), &one), 0);
        const auto alone = threads();
        const Context context(0);
        EXPECT_EQ(threads(), alone);
        const Context two(2);
        EXPECT_EQ(threads(), alone + 1);
    }).join();
}

TEST(Library, WorksOnTheCallersThreads) {
    static std::atomic<int> pieces;
    pieces = 0;
    vfilter_executor executor = VFILTER_EXECUTOR_INIT;
    executor.threads = 4;
    executor.run = [](void*, void (*task)(void*, std::size_t), void* argument, std::size_t count) {
        for (std::size_t i = count; i-- > 0;) {
            task(argument, i);
            ++pieces;
        }
    };
    const Context context(executor);
    expect_plain(context, {.filter = "gaussian", .arguments = "5", .width = 64, .height = 300});
    EXPECT_GE(pieces, 4);
}

TEST(Library, AnExecutorOfOneThreadIsCalledToo) {
    static int calls;
    calls = 0;
    vfilter_executor executor = VFILTER_EXECUTOR_INIT;
    executor.threads = 1;
    executor.run = [](void*, void (*task)(void*, std::size_t), void* argument, std::size_t count) {
        ++calls;
        for (std::size_t i = 0; i < count; ++i) {
            task(argument, i);
        }
    };
    expect_plain(Context(executor), {.filter = "gaussian", .arguments = "5"});
    EXPECT_EQ(calls, 1);
}

TEST(Library, TallPicturesAreCutForManyThreads) {
    vfilter_executor executor = VFILTER_EXECUTOR_INIT;
    executor.threads = 1024;
    executor.run = [](void*, void (*task)(void*, std::size_t), void* argument, std::size_t count) {
        for (std::size_t i = 0; i < count; ++i) {
            task(argument, i);
        }
    };
    constexpr int height = 1 << 20;
    const std::vector<std::uint8_t> source(height, 77);
    std::vector<std::uint8_t> result(height);
    const Context context(executor);
    Operation(context, "gaussian", "3", vfilter::picture_format(8, 1))
        .run(vfilter::packed_picture(source.data(), 1, height), vfilter::packed_picture(result.data(), 1, height));
    EXPECT_EQ(source, result);
}

TEST(Library, TakesNoMoreMemoryWithEveryCall) {
    const Context context(2);
    const Operation operation(context, {{"gaussian", "5"}, {"sobel", ""}, {"fill", "red:region=0,0,3,3"}},
                              vfilter::picture_format(8, 3));
    std::vector<std::uint8_t> source(30 * 20 * 3, 7);
    std::vector<std::uint8_t> result(source.size());
    const auto run = [&](int times) {
        for (int i = 0; i < times; ++i) {
            operation.run(vfilter::packed_picture(source.data(), 30, 20, 3),
                          vfilter::packed_picture(result.data(), 30, 20, 3));
        }
        return mallinfo2().uordblks;
    };
    const std::size_t warm = run(200);
    EXPECT_LE(run(2000), warm + 64 * 1024);
}

TEST(Library, FiltersHalvesOfOnePicture) {
    const Context context;
    const Operation operation(context, "gaussian", "5", vfilter::picture_format(8, 1));
    std::vector<std::uint8_t> memory(40 * 10, 9);
    vfilter_picture left = vfilter::packed_picture(memory.data(), 20, 10);
    left.row_pitch = 40;
    vfilter_picture right = left;
    right.data = memory.data() + 20;
    EXPECT_NO_THROW(operation.run(left, right));
    right.data = memory.data() + 19;
    EXPECT_THROW(operation.run(left, right), vfilter::Error);
}

TEST(Library, TellsWhatFiltersThereAre) {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < vfilter_filter_count(); ++i) {
        const vfilter_filter* const filter = vfilter_filter_at(i);
        names.emplace_back(filter->name);
        EXPECT_EQ(vfilter_filter_named(filter->name), filter);
        EXPECT_STRNE(filter->help, "");
        std::set<std::string> parameters;
        for (std::size_t j = 0; j < filter->parameter_count; ++j) {
            const vfilter_parameter& parameter = *vfilter_parameter_at(filter, j);
            EXPECT_TRUE(parameters.insert(parameter.name).second) << parameter.name;
            EXPECT_EQ(parameter.kind == VFILTER_WORD, parameter.word_count > 0);
            EXPECT_STRNE(parameter.help, "") << filter->name << " " << parameter.name;
        }
        EXPECT_EQ(parameters.count("border"), 1U);
        EXPECT_EQ(vfilter_parameter_at(filter, filter->parameter_count), nullptr);
    }
    EXPECT_EQ(names, vfilter::test::filter_names());
    EXPECT_EQ(vfilter_filter_at(names.size()), nullptr);
    const vfilter_parameter* const size = vfilter_parameter_at(vfilter_filter_named("gaussian"), 0);
    EXPECT_STREQ(size->name, "size");
    EXPECT_EQ(size->kind, VFILTER_ODD_NUMBER);
    EXPECT_EQ(size->maximum, 601);
}

TEST(Library, ShowsItsOwnFunctionsAlone) {
    FILE* const pipe = popen("nm -D --defined-only --format=posix '" VFILTER_LIBRARY "'", "r");
    ASSERT_NE(pipe, nullptr);
    std::array<char, 256> line{};
    int functions = 0;
    while (std::fgets(line.data(), line.size(), pipe) != nullptr) {
        const std::string name(line.data(), std::strcspn(line.data(), " \n"));
        functions += name.starts_with("vfilter_") ? 1 : 0;
        EXPECT_TRUE(name.starts_with("vfilter_") || name.starts_with("VFILTER_")) << name;
    }
    EXPECT_EQ(pclose(pipe), 0);
    EXPECT_EQ(functions, 20);
}

}  // namespace
