// Callers with settings, executors and handlers of their own.

#include <gtest/gtest.h>
#include <pthread.h>

#include <algorithm>
#include <cfenv>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "vfilter/vfilter.hpp"

#if defined(__SSE__)
#include <xmmintrin.h>
#endif

namespace {

using vfilter::Context;
using vfilter::Operation;

constexpr int width = 97;
constexpr int height = 61;

std::vector<std::uint16_t> drawn() {
    std::vector<std::uint16_t> made(std::size_t{width} * height);
    std::uint32_t now = 1;
    for (std::uint16_t& sample : made) {
        now = now * 1664525U + 1013904223U;
        sample = static_cast<std::uint16_t>(now >> 16U);
    }
    return made;
}

std::vector<std::uint16_t> filtered(const Operation& operation) {
    std::vector<std::uint16_t> source = drawn();
    std::vector<std::uint16_t> result(source.size());
    operation.run(vfilter::packed_picture(source.data(), width, height),
                  vfilter::packed_picture(result.data(), width, height));
    return result;
}

std::vector<std::uint16_t> all_filtered(const Context& context) {
    std::vector<std::uint16_t> all;
    for (const auto& [filter, arguments] :
         std::vector<std::pair<const char*, const char*>>{{"gaussian", "sigma=2.3"},
                                                          {"gaussian", "sigma=30"},
                                                          {"gaussian", "31"},
                                                          {"guided", "20"},
                                                          {"dog", "0.6744"},
                                                          {"dog", "1.5190"},
                                                          {"log", "1.3555"},
                                                          {"log", "13.8222"},
                                                          {"sharpen", "1.3:sigma=4.6012"},
                                                          {"sharpen", "1.3:sigma=0.0500"},
                                                          {"bilateral", "1.000"},
                                                          {"bilateral", "20"},
                                                          {"nlmeans", "9:search=3"},
                                                          {"log", "1.7"},
                                                          {"emboss", "0.7:angle=33"},
                                                          {"sharpen", "1.3:sigma=4.1"},
                                                          {"sobel", "scale=0.1768"},
                                                          {"kernel", "1.1 2.3 1.7; 4.9 5.1 2; 7 8.3 1"},
                                                          {"gaussian", "sigma=2:region=10%,11%,33.3%,20%:feather=9"}}) {
        const std::vector<std::uint16_t> one =
            filtered(Operation(context, filter, arguments, vfilter::picture_format(16, 1)));
        all.insert(all.end(), one.begin(), one.end());
    }
    return all;
}

vfilter_executor executor_of(void (*run)(void*, void (*)(void*, std::size_t), void*, std::size_t)) {
    vfilter_executor executor = VFILTER_EXECUTOR_INIT;
    executor.threads = 2;
    executor.run = run;
    return executor;
}

TEST(Library, BytesAreTheSameHoweverTheCallerRounds) {
    const std::vector<std::uint16_t> expected = all_filtered(Context());
    for (const int mode : {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO}) {
        ASSERT_EQ(std::fesetround(mode), 0);
        const bool alone = all_filtered(Context()) == expected;
        const bool threads = all_filtered(Context(3)) == expected;
        const int after = std::fegetround();
        std::fesetround(FE_TONEAREST);
        EXPECT_TRUE(alone) << mode;
        EXPECT_TRUE(threads) << mode;
        EXPECT_EQ(after, mode);
    }
    const vfilter_executor executor =
        executor_of([](void*, void (*task)(void*, std::size_t), void* argument, std::size_t count) {
            std::thread([&] {
                std::fesetround(FE_UPWARD);
                for (std::size_t i = 0; i < count; ++i) {
                    task(argument, i);
                }
                EXPECT_EQ(std::fegetround(), FE_UPWARD);
            }).join();
        });
    EXPECT_EQ(all_filtered(Context(executor)), expected);
#if defined(__SSE__)
    const unsigned before = _mm_getcsr();
    for (const unsigned control : {0x8040U, 0x6000U}) {
        _mm_setcsr(before | control);
        const bool same = all_filtered(Context()) == expected;
        const unsigned after = _mm_getcsr();
        _mm_setcsr(before);
        EXPECT_TRUE(same) << control;
        EXPECT_EQ(after & control, control);
    }
#endif
}

TEST(Library, AnExecutorCallsAllTasks) {
    for (const auto run : {+[](void*, void (*)(void*, std::size_t), void*, std::size_t) {},
                           +[](void*, void (*task)(void*, std::size_t), void*argument, std::size_t count) {
                               for (std::size_t i = 1; i < count; ++i) {
                                   task(argument, i);
                               }
                           }}) {
        const Context context(executor_of(run));
        const Operation operation(context, "gaussian", "5", vfilter::picture_format(16, 1));
        try {
            filtered(operation);
            ADD_FAILURE() << "nothing was thrown";
        } catch (const vfilter::Error& error) {
            EXPECT_EQ(error.status(), VFILTER_ERROR_INTERNAL);
            EXPECT_STREQ(error.what(), "the executor has not called all tasks");
        }
    }
}

// The thread is cancelled after the call, if at all, and not in the middle of what never throws.
TEST(Library, AThreadMayBeCancelledInACall) {
    static std::vector<std::uint16_t> made;
    made.clear();
    const auto work = [](void*) -> void* {
        const Context context(
            executor_of([](void*, void (*task)(void*, std::size_t), void* argument, std::size_t count) {
                pthread_testcancel();  // as what waits for threads does
                for (std::size_t i = 0; i < count; ++i) {
                    task(argument, i);
                }
            }));
        const Operation operation(context, "gaussian", "5", vfilter::picture_format(16, 1));
        pthread_cancel(pthread_self());  // as another thread might at any time
        std::vector<std::uint16_t> result = filtered(operation);
        int state = 0;
        pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
        EXPECT_EQ(state, PTHREAD_CANCEL_ENABLE);
        made = std::move(result);
        return nullptr;
    };
    pthread_t thread{};
    ASSERT_EQ(pthread_create(&thread, nullptr, work, nullptr), 0);
    pthread_join(thread, nullptr);
    EXPECT_EQ(made, filtered(Operation(Context(), "gaussian", "5", vfilter::picture_format(16, 1))));
}

// While the weights of its region are made, who is asked may use the operation himself.
TEST(Library, WhoIsAskedMayUseTheOperation) {
    constexpr int side = 3000;
    constexpr int small = 50;
    struct Caller {
        const Operation& operation;
        std::vector<std::uint8_t> source = std::vector<std::uint8_t>(std::size_t{small} * small, 9);
        std::vector<std::uint8_t> result = std::vector<std::uint8_t>(std::size_t{small} * small);
        int asked = 0;
    };
    std::string region = "0%,0%,100%,100%";
    for (int i = 1; i < 600; ++i) {
        region += "+0%,0%,100%,100%";
    }
    std::vector<std::uint8_t> source(std::size_t{side} * side, 9);
    std::vector<std::uint8_t> result(source.size());
    for (const int threads : {1, 3}) {
        const Context context(threads);
        const Operation operation(context, "fill", "white:region=" + region, vfilter::picture_format(8, 1));
        Caller caller{.operation = operation};
        vfilter_run_options options = VFILTER_RUN_OPTIONS_INIT;
        options.cancelled_data = &caller;
        options.cancelled = [](void* data) {
            Caller& given = *static_cast<Caller*>(data);
            if (++given.asked == 1) {
                given.operation.run(vfilter::packed_picture(given.source.data(), small, small),
                                    vfilter::packed_picture(given.result.data(), small, small));
            }
            return 0;
        };
        operation.run(vfilter::packed_picture(source.data(), side, side),
                      vfilter::packed_picture(result.data(), side, side), &options);
        EXPECT_GT(caller.asked, 0);
        EXPECT_EQ(std::ranges::count(caller.result, 255), small * small) << threads;
        EXPECT_EQ(std::ranges::count(result, 255), std::ptrdiff_t{side} * side);
    }
}

// What is thrown there is told, and nobody is asked again.
TEST(Library, WhoIsAskedMayThrow) {
    constexpr int side = 32;
    constexpr int count = 4000;
    std::vector<std::uint8_t> source(std::size_t{side} * side * count, 9);
    std::vector<std::uint8_t> result(source.size());
    for (const int threads : {1, 3}) {
        const Context context(threads);
        const Operation operation(context, "nlmeans", "20:search=15", vfilter::picture_format(8, 1));
        int asked = 0;
        vfilter_run_options options = VFILTER_RUN_OPTIONS_INIT;
        options.cancelled_data = &asked;
        options.cancelled = [](void* data) -> int {
            ++*static_cast<int*>(data);
            throw std::runtime_error("enough");
        };
        try {
            operation.run(vfilter::packed_picture(source.data(), side, side, 1, count),
                          vfilter::packed_picture(result.data(), side, side, 1, count), &options);
            ADD_FAILURE() << "nothing was thrown";
        } catch (const vfilter::Error& error) {
            EXPECT_EQ(error.status(), VFILTER_ERROR_INTERNAL);
            EXPECT_STREQ(error.what(), "enough");
        }
        EXPECT_EQ(asked, 1);
        EXPECT_EQ(result.back(), 0) << "the others were still made";
    }
}

// Its tables are never given back, so that each time that it is loaded anew would leave others behind.
TEST(Library, StaysWhereItIsClosed) {
    FILE* const pipe = popen("readelf -d '" VFILTER_LIBRARY "'", "r");
    ASSERT_NE(pipe, nullptr);
    std::string text;
    for (int letter = fgetc(pipe); letter != EOF; letter = fgetc(pipe)) {
        text += static_cast<char>(letter);
    }
    EXPECT_EQ(pclose(pipe), 0);
    EXPECT_NE(text.find("NODELETE"), std::string::npos) << text;
}

}  // namespace
