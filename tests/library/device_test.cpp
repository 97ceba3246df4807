// libvfilter on pictures in device memory: the bytes are those of host memory, and around them none changes.

#include <array>
#include <cstdlib>
#include <string_view>
#include <thread>

#include "tests/library/device_pictures.h"

namespace {

using namespace vfilter_device_test;

// Each filter of the table with its example, and what takes other kernels.
std::vector<std::pair<std::string, std::string>> steps_there_are() {
    std::vector<std::pair<std::string, std::string>> all;
    for (std::size_t i = 0; i < vfilter_filter_count(); ++i) {
        const vfilter_filter& filter = *vfilter_filter_at(i);
        std::string arguments = filter.example;
        std::erase_if(arguments, [](char letter) { return letter == '\'' || letter == '"'; });
        all.emplace_back(filter.name, arguments);
    }
    for (const char* const size : {"3", "5", "7", "15", "21", "31", "5:alpha=on", "9:chroma=off", "sigma=14"}) {
        all.emplace_back("gaussian", size);
    }
    for (const char* const size : {"3", "5", "9", "15", "41"}) {
        all.emplace_back("box", size);
    }
    for (const char* const more : {"60:range=30", "40:blur=on:dither=off"}) {
        all.emplace_back("deband", more);
    }
    all.emplace_back("guided", "30:size=37");
    all.emplace_back("sharpen", "1:size=5");
    all.emplace_back("sobel", "scale=0.5");
    all.emplace_back("sobel", "5");
    all.emplace_back("median", "5");
    all.emplace_back("median", "11");
    all.emplace_back("tmedian", "2:after=1");
    all.emplace_back("taverage", "1:limit=200");
    all.emplace_back("nlmeans", "9:frames=1:search=3");
    return all;
}

Case random_case(unsigned seed) {
    static const auto steps = steps_there_are();
    std::mt19937 random(seed);
    const auto below = [&](int end) { return static_cast<int>(random() % static_cast<unsigned>(end)); };
    const auto one_in = [&](int n) { return below(n) == 0; };
    const auto lie = [&] {
        const bool tidy = one_in(2);  // as most pictures are
        return Lie{.interleaved = !one_in(3),
                   .backwards = one_in(6),
                   .upside_down = one_in(6),
                   .gap = tidy ? 0 : below(20),
                   .before = tidy ? 0 : below(4)};
    };
    Case test;
    const int count = one_in(4) ? 2 + below(2) : 1;
    for (int i = 0; i < count; ++i) {
        // By their names: a lambda cannot capture parts of a structured binding in clang 14.
        auto step = steps[static_cast<std::size_t>(below(static_cast<int>(steps.size())))];
        auto& filter = step.first;
        auto& arguments = step.second;
        const auto add = [&](const std::string& argument) { arguments += (arguments.empty() ? "" : ":") + argument; };
        if (one_in(3) && filter != "identity" && filter != "fill" && filter != "pixelate") {
            constexpr const char* borders[] = {"reflect", "replicate", "constant", "wrap"};
            add(std::string("border=") + borders[below(4)]);
        }
        if (one_in(5) && filter != "identity") {
            add("region=20%,10%,50%,60%:feather=" + std::to_string(below(4)));
        }
        test.steps.emplace_back(filter, arguments);
    }
    constexpr int depths[] = {8, 8, 8, 10, 12, 16};
    test.depth = depths[below(6)];
    if (test.depth < 16 && one_in(4)) {
        for (auto& [filter, arguments] : test.steps) {
            const bool rounds = filter == "gaussian" || filter == "box" || filter == "guided" || filter == "bilateral";
            arguments += rounds ? ":dither=on" : "";
        }
    }
    test.shift = test.depth > 8 && one_in(2) ? 16 - test.depth : 0;
    constexpr int channels[] = {1, 2, 3, 3, 4};
    test.channels = channels[below(5)];
    test.yuv = one_in(5);
    test.count = one_in(3) ? 2 + below(9) : 1;
    constexpr int sides[] = {1, 2, 7, 32, 48, 64, 96, 33, 130, 16, 208};
    const int most = emulated ? 7 : 11;
    test.width = sides[below(most)];
    test.height = sides[below(most)];
    test.source = lie();
    test.result = one_in(2) ? test.source : lie();
    test.masks = one_in(5) ? (one_in(2) ? 1 : test.count) : 0;
    return test;
}

// Skips the test where there is no GPU, unless there must be one.
bool gpu_is_there() {
    int count = 0;
    const bool there = cudaGetDeviceCount(&count) == cudaSuccess && count > 0;
    EXPECT_TRUE(there || std::getenv("VFILTER_TEST_NEEDS_GPU") == nullptr) << "no GPU";
    return there;
}
#define SKIP_WITHOUT_GPU()                 \
    if (!gpu_is_there()) {                 \
        GTEST_SKIP() << "there is no GPU"; \
    }

TEST(CudaLibrary, RandomPicturesHaveTheBytesOfTheCpu) {
    SKIP_WITHOUT_GPU();
    const ContextOwner context = make_context();
    constexpr unsigned cases = emulated ? 20 : 1000;
    for (unsigned seed = 0; seed < cases && !testing::Test::HasFailure(); ++seed) {
        expect_same_bytes(context.get(), random_case(seed), seed);
    }
}

// More planes than a launch takes, and orders that are moved into planes.
TEST(CudaLibrary, DebandingGuidedFiltersAndDithering) {
    SKIP_WITHOUT_GPU();
    const ContextOwner context = make_context();
    const std::vector<std::pair<std::string, std::string>> steps{{"deband", "60:range=30:border=wrap"},
                                                                 {"guided", "20:size=9:region=20%,10%,50%,60%"},
                                                                 {"gaussian", "5:dither=on:border=constant"},
                                                                 {"guided", "20:dither=on"}};
    unsigned seed = 0;
    for (const auto& step : steps) {
        for (const auto& [channels, depth] : {std::pair{1, 8}, {2, 10}, {3, 8}, {4, 12}}) {
            expect_same_bytes(
                context.get(),
                {.steps = {step}, .depth = depth, .channels = channels, .count = 3, .width = 70, .height = 33}, ++seed);
        }
    }
}

// Of pixels that are filtered as they lie, their alpha is copied.
TEST(CudaLibrary, EdgesLeaveAlphaAsItIs) {
    SKIP_WITHOUT_GPU();
    const ContextOwner context = make_context();
    unsigned seed = 0;
    for (const int width : {1, 33, 64}) {
        for (const auto& [channels, depth] : {std::pair{4, 8}, {2, 8}, {4, 10}, {2, 16}}) {
            for (const bool backwards : {false, true}) {
                const Lie lie{.interleaved = true, .backwards = backwards};
                expect_same_bytes(context.get(),
                                  {.steps = {{"sobel", ""}},
                                   .depth = depth,
                                   .channels = channels,
                                   .count = 2,
                                   .width = width,
                                   .height = 21,
                                   .source = lie,
                                   .result = lie},
                                  ++seed);
            }
        }
    }
}

// Bits below the samples stay where nothing is filtered.
TEST(CudaLibrary, MasksOverWhatIsLeftAlone) {
    SKIP_WITHOUT_GPU();
    const ContextOwner context = make_context();
    for (const char* const filter : {"identity", "gaussian"}) {
        const char* const arguments = std::string_view(filter) == "identity" ? "" : "5:region=0,0,3,3";
        expect_same_bytes(context.get(),
                          {.steps = {{filter, arguments}},
                           .depth = 12,
                           .shift = 4,
                           .channels = 2,
                           .width = 20,
                           .height = 9,
                           .masks = 1},
                          1);
    }
}

TEST(CudaLibrary, InterleavedPicturesAsTheyLie) {
    SKIP_WITHOUT_GPU();
    const ContextOwner context = make_context();
    const std::vector<std::pair<std::string, std::string>> steps{{"gaussian", "5"},
                                                                 {"gaussian", "15:border=wrap"},
                                                                 {"gaussian", "21:border=constant"},
                                                                 {"box", "31:border=reflect"},
                                                                 {"sharpen", "1"},
                                                                 {"sobel", ""}};
    unsigned seed = 0;
    for (const auto& [channels, depth] : {std::pair{3, 8}, {4, 16}, {4, 8}, {3, 16}}) {
        for (const auto& step : steps) {
            if (emulated && seed++ % 2 != 0) {
                continue;
            }
            expect_same_bytes(context.get(),
                              {.steps = {step},
                               .depth = depth,
                               .channels = channels,
                               .count = emulated ? 1 : 10,
                               .width = 48,
                               .height = 33},
                              seed);
        }
    }
}

TEST(CudaLibrary, ThreadsAndStreamsShareAnOperation) {
    SKIP_WITHOUT_GPU();
    const ContextOwner context = make_context();
    const Case test{.steps = {{"gaussian", "5"}, {"median", "3"}, {"sobel", "region=10%,10%,50%,50%"}},
                    .width = 37,
                    .height = 30,
                    .result = {.interleaved = false}};
    const OperationOwner operation = make_operation(context.get(), test);
    std::vector<std::thread> threads;
    std::array<int, 4> wrong{};
    for (unsigned number = 0; number < wrong.size(); ++number) {
        threads.emplace_back([&, number] {
            const DeviceStream stream;
            for (unsigned turn = 0; turn < (emulated ? 2 : 50); ++turn) {
                std::mt19937 random(number * 100 + turn);
                Case own = test;
                own.width += static_cast<int>(number % 2);  // weights of two sizes
                Sides sides(own, random);
                const DeviceBytes source(sides.source_bytes);
                const DeviceBytes result(sides.result_bytes);
                vfilter_run_options options = VFILTER_RUN_OPTIONS_INIT;
                options.stream = stream.get();
                const vfilter_picture from = sides.source.at(source.data(), true);
                const vfilter_picture to = sides.result.at(result.data(), true);
                const bool ran = vfilter_run(operation.get(), &from, &to, &options) == VFILTER_OK &&
                                 sides.run_here(operation.get(), false) == VFILTER_OK;
                stream.wait();
                wrong[number] += ran && result.get() == sides.result_bytes ? 0 : 1;
            }
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    EXPECT_EQ(wrong, (std::array<int, 4>{}));
}

TEST(CudaLibrary, TellsWhatIsWrong) {
    SKIP_WITHOUT_GPU();
    const ContextOwner context = make_context();
    const Case test{.steps = {{"gaussian", "5"}}, .width = 20, .height = 10};
    const OperationOwner operation = make_operation(context.get(), test);
    std::mt19937 random(1);
    Sides sides(test, random);
    const DeviceBytes source(sides.source_bytes);
    const DeviceBytes result(sides.result_bytes);
    const vfilter_picture from = sides.source.at(source.data(), true);
    const vfilter_picture to = sides.result.at(result.data(), true);
    const auto expect = [&](const vfilter_picture& given, const vfilter_picture& made, vfilter_status status,
                            const char* text) {
        EXPECT_EQ(vfilter_run(operation.get(), &given, &made, nullptr), status) << text;
        EXPECT_NE(std::string(vfilter_error_text()).find(text), std::string::npos) << vfilter_error_text();
    };
    expect(from, sides.result.at(sides.result_bytes.data(), false), VFILTER_ERROR_PICTURE,
           "source is in the memory of");
    if (!emulated) {
        expect(sides.source.at(sides.source_bytes.data(), true), to, VFILTER_ERROR_PICTURE, "no device memory");
    }
    vfilter_picture elsewhere = from;
    elsewhere.device = 99;
    vfilter_picture there = to;
    there.device = 99;
    expect(elsewhere, there, VFILTER_ERROR_DEVICE, "there is no GPU number 99");
    expect(from, from, VFILTER_ERROR_PICTURE, "share memory");
    int device = -1;
    EXPECT_EQ(cudaGetDevice(&device), cudaSuccess);
    EXPECT_EQ(device, 0);
    EXPECT_VFILTER(vfilter_run(operation.get(), &from, &to, nullptr));
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    ASSERT_VFILTER(sides.run_here(operation.get(), false));
    EXPECT_TRUE(result.get() == sides.result_bytes);
}

#ifndef VFILTER_CUDA_EMULATOR
TEST(CudaLibrary, TakesNoMoreMemoryWithEveryCall) {
    SKIP_WITHOUT_GPU();
    const ContextOwner context = make_context();
    const Case test{.steps = {{"gaussian", "5"}, {"median", "3"}, {"fill", "red:region=0,0,3,3"}},
                    .count = 3,
                    .width = 70,
                    .height = 50};
    const OperationOwner operation = make_operation(context.get(), test);
    std::mt19937 random(1);
    const Sides sides(test, random);
    const DeviceBytes source(sides.source_bytes);
    const DeviceBytes result(sides.result_bytes);
    const vfilter_picture from = sides.source.at(source.data(), true);
    const vfilter_picture to = sides.result.at(result.data(), true);
    EXPECT_VFILTER(vfilter_operation_prepare(operation.get(), &from));
    const auto free_after = [&](int calls) {
        for (int i = 0; i < calls; ++i) {
            EXPECT_VFILTER(vfilter_run(operation.get(), &from, &to, nullptr));
        }
        EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
        std::size_t free = 0;
        std::size_t all = 0;
        EXPECT_EQ(cudaMemGetInfo(&free, &all), cudaSuccess);
        return free;
    };
    const std::size_t warm = free_after(200);
    EXPECT_EQ(free_after(2000), warm);
}

TEST(CudaLibrary, WorkIsQueuedAndNotWaitedFor) {
    SKIP_WITHOUT_GPU();
    const ContextOwner context = make_context();
    const Case test{.steps = {{"gaussian", "5"}, {"median", "3:region=5,5,20,20"}}, .width = 70, .height = 50};
    const OperationOwner operation = make_operation(context.get(), test);
    std::mt19937 random(1);
    Sides sides(test, random);
    const DeviceBytes source(sides.source_bytes);
    const DeviceBytes result(sides.result_bytes);
    const vfilter_picture from = sides.source.at(source.data(), true);
    const vfilter_picture to = sides.result.at(result.data(), true);
    ASSERT_VFILTER(vfilter_operation_prepare(operation.get(), &from));
    // For pictures of another size, too, and it remembers both.
    const Case other{.steps = test.steps, .width = 64, .height = 40};
    Sides other_sides(other, random);
    const DeviceBytes other_source(other_sides.source_bytes);
    const DeviceBytes other_result(other_sides.result_bytes);
    const vfilter_picture other_from = other_sides.source.at(other_source.data(), true);
    const vfilter_picture other_to = other_sides.result.at(other_result.data(), true);
    ASSERT_VFILTER(vfilter_operation_prepare(operation.get(), &other_from));
    // A stream that is recorded refuses whatever would wait.
    const DeviceStream stream;
    vfilter_run_options options = VFILTER_RUN_OPTIONS_INIT;
    options.stream = stream.get();
    auto* const own = static_cast<cudaStream_t>(stream.get());
    ASSERT_EQ(cudaStreamBeginCapture(own, cudaStreamCaptureModeThreadLocal), cudaSuccess);
    EXPECT_VFILTER(vfilter_run(operation.get(), &from, &to, &options));
    cudaGraph_t graph = nullptr;
    ASSERT_EQ(cudaStreamEndCapture(own, &graph), cudaSuccess);
    cudaGraphExec_t replay = nullptr;
    ASSERT_EQ(cudaGraphInstantiate(&replay, graph, 0), cudaSuccess);
    // What the graph reads stays, whatever the operation does meanwhile.
    ASSERT_VFILTER(vfilter_run(operation.get(), &other_from, &other_to, &options));
    stream.wait();
    ASSERT_VFILTER(other_sides.run_here(operation.get(), false));
    EXPECT_TRUE(other_result.get() == other_sides.result_bytes);
    ASSERT_EQ(cudaGraphLaunch(replay, own), cudaSuccess);
    stream.wait();
    ASSERT_VFILTER(sides.run_here(operation.get(), false));
    EXPECT_TRUE(result.get() == sides.result_bytes);
    cudaGraphExecDestroy(replay);
    cudaGraphDestroy(graph);
}
#endif

}  // namespace
