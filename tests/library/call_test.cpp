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

}  // namespace
