// Live inputs that are lost and come back.

#include "io/input/layers/reconnecting.h"

#include <gtest/gtest.h>

#include "tests/io/input/scripted_source.h"

namespace vfilter {
namespace {

using std::chrono::milliseconds;
using testing::Given;

class ReconnectingTest : public ::testing::Test {
protected:
    [[nodiscard]] Reconnecting make(std::unique_ptr<PacketSource> first, Reconnecting::Open open) const {
        return {std::move(first), std::move(open), *description_, options_, interrupted_};
    }

    InputOptions options_ = [] {
        InputOptions options;
        options.path = "rtsp://me:secret@camera/1";
        options.reconnect = 1;
        return options;
    }();
    std::function<bool()> interrupted_ = [] { return false; };
    DescriptionPtr description_ = testing::make_streams({{}});
    int opened_ = 0;
};

TEST_F(ReconnectingTest, GoesOnAfterThePause) {
    Reconnecting source = make(testing::scripted({{0, 7000}, {0, 7040}}), [&] {
        ++opened_;
        return opened_ == 1 ? testing::scripted({{0, 90}, {0, 130}}) : nullptr;
    });
    const std::vector<std::int64_t> times = testing::times_of(testing::read_all(source));
    ASSERT_EQ(times.size(), 4U);
    EXPECT_EQ(times[1], 7040);
    EXPECT_GE(times[2], 7540);  // half a second passed
    EXPECT_LT(times[2], 60000);
    EXPECT_EQ(times[3], times[2] + 40);
    EXPECT_EQ(source.reconnects(), 1);
}

// A camera's clock is the system's: it knows when the picture was taken, and not when it came.
TEST_F(ReconnectingTest, KeepsAClockThatWentOn) {
    Reconnecting source = make(testing::scripted({{0, 7000}}), [&] {
        ++opened_;
        return opened_ == 1 ? testing::scripted({{0, 7750}}) : nullptr;
    });
    EXPECT_EQ(testing::times_of(testing::read_all(source)).at(1), 7750);
}

// As of RTSP, whose first packets after each opening have none.
TEST_F(ReconnectingTest, APacketWithoutATimeDoesNotEndTheLoss) {
    Reconnecting source = make(testing::scripted({{0, 7000}, {0, 7040}}), [&] {
        ++opened_;
        return opened_ == 1 ? testing::scripted({{0, AV_NOPTS_VALUE}, {0, 40}, {0, 80}, {0, AV_NOPTS_VALUE}, {0, 160}})
                            : nullptr;
    });
    const std::vector<std::int64_t> times = testing::times_of(testing::read_all(source));
    ASSERT_EQ(times.size(), 7U);
    EXPECT_GE(times[2], 7540);  // half a second passed
    EXPECT_GE(times[3], times[2] + 40);
    EXPECT_LT(times[3], 60000);
    EXPECT_EQ(times[4], times[3] + 40);
    EXPECT_EQ(times[5], AV_NOPTS_VALUE) << "of a stream that has times";
    EXPECT_EQ(times[6], times[4] + 80);
    EXPECT_EQ(source.reconnects(), 1);
}

// What never has times is passed on as it is, and comes back once for each loss.
TEST_F(ReconnectingTest, WhatNeverHasTimesGetsNone) {
    Reconnecting source = make(testing::scripted({{0, AV_NOPTS_VALUE}}), [&] {
        ++opened_;
        return opened_ < 3 ? testing::scripted({{0, AV_NOPTS_VALUE}, {0, AV_NOPTS_VALUE}}) : nullptr;
    });
    EXPECT_EQ(testing::times_of(testing::read_all(source)), std::vector<std::int64_t>(5, AV_NOPTS_VALUE));
    EXPECT_EQ(source.reconnects(), 2);
}

// The time that passes in a second loss counts from the last time that is known.
TEST_F(ReconnectingTest, ALossBeforeAnyTimeIsPartOfTheOneBefore) {
    Reconnecting source = make(testing::scripted({{0, 7000}}), [&] {
        ++opened_;
        return opened_ == 1   ? testing::scripted({{0, AV_NOPTS_VALUE}})
               : opened_ == 2 ? testing::scripted({{0, 10}})
                              : nullptr;
    });
    const std::vector<std::int64_t> times = testing::times_of(testing::read_all(source));
    ASSERT_EQ(times.size(), 3U);
    EXPECT_GE(times[2], 8000) << "half a second twice";
    EXPECT_GT(times[2], times[1]);
    EXPECT_EQ(source.reconnects(), 2);
}

// One failure is allowed since the last packet, not in all.
TEST_F(ReconnectingTest, EveryPacketForgivesFailures) {
    Reconnecting source = make(testing::scripted({{0, 0}}), [&]() -> std::unique_ptr<PacketSource> {
        if (++opened_ > 2) {
            throw Error(ExitCode::input, "gone");
        }
        return testing::scripted({{0, 0}});
    });
    EXPECT_EQ(testing::read_all(source).size(), 3U);
    EXPECT_EQ(source.reconnects(), 2);
    EXPECT_EQ(opened_, 3);
}

TEST_F(ReconnectingTest, StaysLostAfterAsManyFailures) {
    options_.reconnect = 2;
    Reconnecting source = make(testing::scripted({{0, 0}}, {{}}, AVERROR(EIO)), [&]() -> std::unique_ptr<PacketSource> {
        ++opened_;
        throw Error(ExitCode::input, "rtsp://...@camera/1: nobody is there");
    });
    const PacketPtr packet = make_packet();
    ASSERT_EQ(source.read(*packet), 0);
    EXPECT_EQ(source.read(*packet), AVERROR(EIO));
    EXPECT_EQ(opened_, 2);
    EXPECT_EQ(source.reconnects(), 0);
    EXPECT_EQ(source.complaints(), nullptr);
    EXPECT_LT(source.read(*packet), 0);
    EXPECT_EQ(opened_, 2);
}

TEST_F(ReconnectingTest, WithOtherStreamsIsAnotherOne) {
    options_.reconnect = 5;
    Reconnecting source = make(testing::scripted({{0, 0}}), [&]() -> std::unique_ptr<PacketSource> {
        ++opened_;
        throw CameBackOtherwise("its video is hevc, and was h264");
    });
    EXPECT_EQ(testing::read_all(source).size(), 1U);
    EXPECT_EQ(opened_, 1);
}

TEST_F(ReconnectingTest, AnInterruptEndsThePause) {
    const auto begin = std::chrono::steady_clock::now();
    interrupted_ = [begin] { return std::chrono::steady_clock::now() - begin > milliseconds(100); };
    Reconnecting source = make(testing::scripted({{0, 0}}), [&] {
        ++opened_;
        return testing::scripted({{0, 0}});
    });
    EXPECT_EQ(testing::read_all(source).size(), 1U);
    EXPECT_EQ(opened_, 0);
}

TEST_F(ReconnectingTest, SaysWhyItWasLost) {
    options_.timeout = 2.5;
    EXPECT_EQ(why_lost(AVERROR_EOF, options_), "it ended");
    EXPECT_EQ(why_lost(AVERROR(ETIMEDOUT), options_), "nothing came for 2.5 s");
    EXPECT_EQ(why_lost(AVERROR(EIO), options_), av_message(AVERROR(EIO)));
}

}  // namespace
}  // namespace vfilter
