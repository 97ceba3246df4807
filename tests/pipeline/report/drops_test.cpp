#include "pipeline/report/drops.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace vfilter {
namespace {

TEST(Drops, AreCountedWhereTheyFell) {
    DropCounters counters;
    counters.count(Drop::undecoded);
    for (int i = 0; i < 10; ++i) {
        counters.count(Drop::overtaken);
    }
    for (int i = 0; i < 100; ++i) {
        counters.count(Drop::unseen);
    }
    const Drops drops = counters.so_far();
    EXPECT_EQ(drops[Drop::undecoded], 1);
    EXPECT_EQ(drops[Drop::overtaken], 10);
    EXPECT_EQ(drops[Drop::shed], 0);
    EXPECT_EQ(drops[Drop::unseen], 100);
    EXPECT_EQ(drops.decoded(), 10) << "what was only not seen is in the recording";
    EXPECT_EQ(drops.total(), 11);
}

TEST(Drops, HaveTheirNamesInOrder) {
    for (std::size_t i = 0; i < drop_names.size(); ++i) {
        EXPECT_EQ(static_cast<std::size_t>(drop_names[i].drop), i);
    }
}

TEST(Drops, AreCountedByManyThreads) {
    DropCounters counters;
    {
        std::vector<std::jthread> threads;
        for (int i = 0; i < 4; ++i) {
            threads.emplace_back([&] {
                for (int n = 0; n < 1000; ++n) {
                    counters.count(Drop::shed);
                }
            });
        }
    }
    EXPECT_EQ(counters.so_far()[Drop::shed], 4000);
}

}  // namespace
}  // namespace vfilter
