#include "pipeline/channel.h"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <optional>
#include <random>
#include <thread>
#include <utility>
#include <vector>

namespace vfilter {
namespace {

using namespace std::chrono_literals;

TEST(Channel, KeepsTheOrderOfOneSender) {
    Channel<int> channel(3);
    std::jthread sender([&] {
        for (int i = 0; i < 20000; ++i) {
            ASSERT_TRUE(channel.send(i));
        }
        channel.close();
    });
    for (int i = 0; i < 20000; ++i) {
        ASSERT_EQ(channel.receive(), i);
    }
    EXPECT_FALSE(channel.receive().has_value());
    EXPECT_FALSE(channel.receive().has_value()) << "the end stays the end";
}

TEST(Channel, KeepsEachSendersOrderAndEndsWhenAllHaveClosed) {
    Channel<std::pair<int, int>> channel(5, 2);
    std::vector<std::jthread> senders;
    for (int who = 0; who < 2; ++who) {
        senders.emplace_back([&channel, who] {
            for (int i = 0; i < 5000; ++i) {
                ASSERT_TRUE(channel.send({who, i}));
            }
            channel.close();
        });
    }
    int next[2] = {0, 0};
    while (const auto item = channel.receive()) {
        ASSERT_EQ(item->second, next[item->first]++);
    }
    EXPECT_EQ(next[0], 5000);
    EXPECT_EQ(next[1], 5000);
}

TEST(Channel, HoldsNoMoreThanItsCapacity) {
    Channel<int> channel(4);
    std::atomic<int> sent{0};
    std::jthread sender([&] {
        for (int i = 0; i < 10; ++i) {
            channel.send(i);
            ++sent;
        }
        channel.close();
    });
    while (sent < 4) {
        std::this_thread::yield();
    }
    std::this_thread::sleep_for(50ms);
    EXPECT_EQ(sent, 4);
    for (int i = 0; i < 10; ++i) {
        EXPECT_EQ(channel.receive(), i);
    }
    EXPECT_FALSE(channel.receive().has_value());
}

TEST(Channel, CancelWakesASenderThatWaitsForRoom) {
    Channel<int> channel(1);
    ASSERT_TRUE(channel.send(1));
    std::jthread canceller([&] {
        std::this_thread::sleep_for(20ms);
        channel.cancel();
    });
    EXPECT_FALSE(channel.send(2));
    EXPECT_FALSE(channel.send(3));
}

TEST(Channel, CancelWakesAReceiverThatWaitsForAnItem) {
    Channel<int> channel(1);
    std::jthread canceller([&] {
        std::this_thread::sleep_for(20ms);
        channel.cancel();
    });
    EXPECT_FALSE(channel.receive().has_value());
}

TEST(Channel, WhatLiesInsideIsDeliveredAfterCloseAndNotAfterCancel) {
    Channel<int> closed(4);
    closed.send(1);
    closed.close();
    EXPECT_EQ(closed.receive(), 1);
    EXPECT_FALSE(closed.receive().has_value());
    Channel<int> cancelled(4);
    cancelled.send(1);
    cancelled.cancel();
    EXPECT_FALSE(cancelled.receive().has_value());
}

TEST(Channel, FreesWhatNobodyTook) {
    const auto item = std::make_shared<int>(7);
    {
        Channel<std::shared_ptr<int>> channel(4);
        channel.send(item);
        channel.send(item);
    }
    EXPECT_EQ(item.use_count(), 1);
}

TEST(Channel, ACancelAtAnyTimeEndsBothSides) {
    std::mt19937 random(5);
    for (int round = 0; round < 300; ++round) {
        Channel<int> channel(1 + random() % 3);
        const auto delay = std::chrono::microseconds(random() % 300);
        std::jthread sender([&] {
            for (int i = 0; channel.send(i); ++i) {
            }
        });
        std::jthread receiver([&] {
            int expected = 0;
            while (const auto item = channel.receive()) {
                ASSERT_EQ(*item, expected++);
            }
        });
        std::this_thread::sleep_for(delay);
        channel.cancel();
    }
}

TEST(Channel, ReplaceLetsTheOldestGo) {
    Channel<int> channel(2);
    EXPECT_EQ(channel.replace(1).overtaken, std::nullopt);
    EXPECT_EQ(channel.replace(2).overtaken, std::nullopt);
    const auto [overtaken, wanted] = channel.replace(3);
    EXPECT_EQ(overtaken, 1);
    EXPECT_TRUE(wanted);
    channel.close();
    EXPECT_EQ(channel.receive(), 2);
    EXPECT_EQ(channel.receive(), 3);
    EXPECT_FALSE(channel.receive().has_value());
    channel.cancel();
    const auto [none, still_wanted] = channel.replace(4);
    EXPECT_EQ(none, std::nullopt);
    EXPECT_FALSE(still_wanted);
}

TEST(Channel, ReplaceLosesNothingThatItDoesNotReturn) {
    constexpr int items = 200000;
    for (const std::size_t capacity : {std::size_t{1}, std::size_t{3}}) {
        Channel<int> channel(capacity);
        int overtaken = 0;
        std::jthread sender([&] {
            for (int i = 0; i < items; ++i) {
                overtaken += channel.replace(i).overtaken ? 1 : 0;
            }
            channel.close();
        });
        int received = 0;
        int last = -1;
        while (const auto item = channel.receive()) {
            ASSERT_GT(*item, last) << "the order is kept";
            last = *item;
            ++received;
        }
        sender.join();
        EXPECT_EQ(received + overtaken, items);
        EXPECT_EQ(last, items - 1) << "the newest is never the one that goes";
    }
}

TEST(Channel, OfferKeepsTheItemWhereThereIsNoRoom) {
    Channel<std::unique_ptr<int>> channel(1);
    auto first = std::make_unique<int>(1);
    auto second = std::make_unique<int>(2);
    EXPECT_EQ(channel.offer(first), Offered::taken);
    EXPECT_EQ(channel.offer(second), Offered::no_room);
    EXPECT_TRUE(second);
    channel.cancel();
    EXPECT_EQ(channel.offer(second), Offered::unwanted);
    EXPECT_TRUE(second);
}

TEST(Channel, ReceiveForTellsAPauseFromTheEnd) {
    Channel<int> channel(1);
    const auto receive = [&] {
        const auto [item, ended] = channel.receive_for(1000us);
        return std::pair(item, ended);
    };
    EXPECT_EQ(receive(), std::pair(std::optional<int>(), false));
    channel.send(1);
    EXPECT_EQ(receive(), std::pair(std::optional(1), false));
    channel.close();
    EXPECT_EQ(receive(), std::pair(std::optional<int>(), true));
}

}  // namespace
}  // namespace vfilter
