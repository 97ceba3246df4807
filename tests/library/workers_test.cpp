// The threads of a context.

#include "library/workers.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <stdexcept>
#include <thread>

namespace {

// What is thrown while others work is thrown once none of them has anything of the call's.
TEST(Workers, AreWaitedForBeforeSomethingIsThrown) {
    struct Call {
        std::thread::id caller = std::this_thread::get_id();
        std::atomic<bool> begun = false;
        std::atomic<bool> thrown = false;
        std::atomic<bool> done = false;
    } call;
    vfilter::Workers workers(1);
    const auto task = [](void* argument, std::size_t) {
        Call& given = *static_cast<Call*>(argument);
        const auto wait = [](const std::atomic<bool>& flag) {
            while (!flag) {
                std::this_thread::yield();
            }
        };
        if (std::this_thread::get_id() == given.caller) {
            wait(given.begun);
            return;
        }
        given.begun = true;
        wait(given.thrown);
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
        given.done = true;
    };
    const auto meanwhile = [&] {
        call.thrown = true;
        throw std::runtime_error("enough");
    };
    EXPECT_THROW(workers.run(task, &call, 2, meanwhile), std::runtime_error);
    EXPECT_TRUE(call.done);
    while (!call.done) {  // who has not waited must not take its memory away
        std::this_thread::yield();
    }
    std::atomic<int> made = 0;
    workers.run([](void* argument, std::size_t) { ++*static_cast<std::atomic<int>*>(argument); }, &made, 5);
    EXPECT_EQ(made, 5);
}

}  // namespace
