// Calls that the caller gives up.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "vfilter/vfilter.hpp"

namespace {

using vfilter::Context;
using vfilter::Operation;

// Pictures that take longer than a caller has patience, the more filters the longer.
class LongCalls {
public:
    // How many samples are made if `options` are given, and what the call says.
    std::pair<std::ptrdiff_t, vfilter_status> made(const Context& context, const vfilter_run_options& options,
                                                   std::size_t filters) {
        std::ranges::fill(result_, 0);
        const std::vector<std::pair<std::string, std::string>> steps(filters, {"nlmeans", "6"});
        const Operation operation(context, steps, vfilter::picture_format(8, 1));
        vfilter_status status = VFILTER_OK;
        try {
            operation.run(pictures(source_), pictures(result_), &options);
        } catch (const vfilter::Error& error) {
            status = error.status();
        }
        return {samples - std::ranges::count(result_, 0), status};
    }
    static constexpr std::ptrdiff_t samples = 4000 * 32 * 32;

private:
    static vfilter_picture pictures(std::vector<std::uint8_t>& memory) {
        vfilter_picture picture = vfilter::packed_picture(memory.data(), 32, 32);
        picture.count = 4000;
        return picture;
    }
    std::vector<std::uint8_t> source_ = std::vector<std::uint8_t>(samples, 9);
    std::vector<std::uint8_t> result_ = std::vector<std::uint8_t>(samples);
};

TEST(Library, ACallMayBeCancelled) {
    constexpr std::size_t many = 16;
    LongCalls calls;
    std::pair<std::thread::id, int> asked;
    vfilter_run_options options = VFILTER_RUN_OPTIONS_INIT;
    options.cancelled_data = &asked;
    options.cancelled = [](void* data) {
        auto& [thread, count] = *static_cast<decltype(asked)*>(data);
        thread = std::this_thread::get_id();
        return ++count == 2 ? 1 : 0;
    };
    for (const int threads : {1, 3}) {
        asked = {};
        const auto [made, status] = calls.made(Context(threads), options, many);
        EXPECT_EQ(status, VFILTER_ERROR_CANCELLED) << threads;
        EXPECT_LT(made, LongCalls::samples);
        EXPECT_EQ(asked.first, std::this_thread::get_id());
        EXPECT_EQ(asked.second, 2) << "nobody is asked who has given up";
    }
    // By threads that are not the caller's.
    vfilter_executor executor = VFILTER_EXECUTOR_INIT;
    executor.threads = 2;
    executor.run = [](void*, void (*task)(void*, std::size_t), void* argument, std::size_t count) {
        std::thread([&] {
            for (std::size_t i = 0; i < count; ++i) {
                task(argument, i);
            }
        }).join();
    };
    asked = {};
    EXPECT_EQ(calls.made(Context(executor), options, many).second, VFILTER_ERROR_CANCELLED);
    EXPECT_NE(asked.first, std::this_thread::get_id());
    // Of a caller who was compiled when there was no such member.
    options.struct_size = offsetof(vfilter_run_options, cancelled);
    asked = {};
    EXPECT_EQ(calls.made(Context(), options, 1), std::pair(LongCalls::samples, VFILTER_OK));
    EXPECT_EQ(asked.second, 0);
}

// One picture has parts, too, in whose middle the caller may give up.
TEST(Library, ACallForOnePictureMayBeCancelled) {
    constexpr int side = 1500;
    const std::vector<std::uint8_t> source(std::size_t{side} * side * 3, 9);
    std::vector<std::uint8_t> result(source.size());
    const auto run = [&](const Context& context, const char* filter, const char* arguments) {
        int asked = 0;
        vfilter_run_options options = VFILTER_RUN_OPTIONS_INIT;
        options.cancelled_data = &asked;
        options.cancelled = [](void* data) { return ++*static_cast<int*>(data); };
        std::ranges::fill(result, 0);
        const Operation operation(context, filter, arguments, vfilter::picture_format(8, 3));
        const auto picture = [](auto& memory) { return vfilter::packed_picture(memory.data(), side, side, 3); };
        try {
            operation.run(picture(source), picture(result), &options);
        } catch (const vfilter::Error& error) {
            EXPECT_EQ(error.status(), VFILTER_ERROR_CANCELLED);
            EXPECT_EQ(asked, 1);
            return std::ranges::count(result, 0);
        }
        return std::ptrdiff_t{0};
    };
    for (const int threads : {1, 3}) {
        const Context context(threads);
        EXPECT_GT(run(context, "nlmeans", "20:search=15"), side) << threads;
        EXPECT_GT(run(context, "nlmeans", "20:search=15:region=0%,0%,100%,100%:feather=9"), side) << threads;
    }
    vfilter_executor executor = VFILTER_EXECUTOR_INIT;
    executor.threads = 1;
    executor.run = [](void*, void (*task)(void*, std::size_t), void* argument, std::size_t count) {
        for (std::size_t i = 0; i < count; ++i) {
            task(argument, i);
        }
    };
    EXPECT_GT(run(Context(executor), "nlmeans", "20:search=15"), side);
}

// Boxes one over the other, which take much longer than the filter.
TEST(Library, ACallMayBeCancelledWhileTheWeightsOfARegionAreMade) {
    constexpr int side = 4000;
    std::string region = "0,0,4000,4000";
    for (int i = 1; i < 1000; ++i) {
        region += "+0,0,4000,4000";
    }
    const std::vector<std::uint8_t> source(std::size_t{side} * side, 9);
    std::vector<std::uint8_t> result(source.size());
    int asked = 0;
    vfilter_run_options options = VFILTER_RUN_OPTIONS_INIT;
    options.cancelled_data = &asked;
    options.cancelled = [](void* data) { return ++*static_cast<int*>(data) == 2 ? 1 : 0; };
    for (const int threads : {1, 3}) {
        asked = 0;
        const Context context(threads);
        const Operation operation(context, "fill", "white:region=" + region, vfilter::picture_format(8, 1));
        const auto picture = [](auto& memory) { return vfilter::packed_picture(memory.data(), side, side); };
        EXPECT_THROW(operation.run(picture(source), picture(result), &options), vfilter::Error);
        EXPECT_EQ(asked, 2);
        EXPECT_EQ(std::ranges::count(result, 0), std::ptrdiff_t{side} * side) << "nothing was made yet";
    }
}

TEST(Library, PartsHaveTheBytesOfTheWhole) {
    constexpr int width = 290;  // twice as many samples as the first part may have
    constexpr int height = 371;
    std::vector<std::uint8_t> source(std::size_t{width} * height * 3);
    for (std::size_t i = 0; i < source.size(); ++i) {
        source[i] = static_cast<std::uint8_t>(i * i >> 7 ^ i);
    }
    std::vector<std::uint8_t> mask(std::size_t{width} * height);
    for (std::size_t i = 0; i < mask.size(); ++i) {
        mask[i] = static_cast<std::uint8_t>(i >> 4);
    }
    const vfilter_picture weights = vfilter::packed_picture(mask.data(), width, height);
    const Context context;
    vfilter_format yuv = vfilter::picture_format(8, 3);  // whose channels are filtered by themselves
    yuv.components[0] = VFILTER_LUMA;
    yuv.components[1] = VFILTER_CB;
    yuv.components[2] = VFILTER_CR;
    yuv.full_range = 0;
    for (std::size_t i = 0; i < vfilter_filter_count(); ++i) {
        const vfilter_filter& filter = *vfilter_filter_at(i);
        const std::string example = filter.example;
        const std::string region = (example.empty() ? "" : ":") + std::string("region=5%,9%,70%,60%+200,100,50,200");
        for (const vfilter_format& format : {vfilter::picture_format(8, 3), yuv}) {
            for (const std::string& arguments : {example, example + region}) {
                SCOPED_TRACE(filter.name + std::string(" ") + arguments);
                const auto made = [&](bool in_parts) {
                    vfilter_run_options options = VFILTER_RUN_OPTIONS_INIT;
                    options.mask = &weights;
                    if (in_parts) {
                        options.cancelled = [](void*) { return 0; };
                    }
                    std::vector<std::uint8_t> result(source.size());
                    Operation(context, filter.name, arguments, format)
                        .run(vfilter::packed_picture(source.data(), width, height, 3),
                             vfilter::packed_picture(result.data(), width, height, 3), &options);
                    return result;
                };
                EXPECT_EQ(made(true), made(false));
            }
        }
    }
}

}  // namespace
