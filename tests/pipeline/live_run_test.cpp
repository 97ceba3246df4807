// Live runs in one process: what is dropped where, and how long pictures take.

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <csignal>
#include <thread>

#include "tests/pipeline/run_test.h"
#include "tests/support/stopwatch.h"

namespace vfilter {
namespace {

using namespace std::chrono_literals;

// 50 pictures of a file, one each 40 ms, as if they came from a camera.
class Live : public testing::RunTest {
protected:
    void SetUp() override {
        RunTest::SetUp();
        options_.input.live = true;
        options_.device = "cpu";
    }
};

TEST_F(Live, DropsNothingWhereNothingIsSlow) {
    const test::Stopwatch watch;
    const Outcome outcome = run();
    const auto stolen = static_cast<std::int64_t>(25 * watch.stolen());  // pictures
    EXPECT_EQ(outcome.end.code, ExitCode::finished) << outcome.end.message;
    EXPECT_TRUE(outcome.live.is_live);
    EXPECT_EQ(outcome.counts.frames_in + outcome.live.drops[Drop::undecoded], 50);
    EXPECT_LE(outcome.live.drops.total(), 5 + stolen) << "a machine may have something else to do for 40 ms";
    EXPECT_EQ(outcome.counts.frames_out + outcome.live.drops.total(), 50);
    EXPECT_GE(outcome.counts.seconds, 1.9) << "at its own pace";
    EXPECT_LT(std::abs(outcome.live.clock_drift), 0.5 + watch.stolen());
    for (const Leg leg : {Leg::decode, Leg::queue, Leg::filter, Leg::ready, Leg::write}) {
        EXPECT_EQ(stats_->latency[leg].count(),
                  leg == Leg::decode ? outcome.counts.frames_in : outcome.counts.frames_out);
    }
    EXPECT_EQ(stats_->latency[Leg::show].count(), 0);
    EXPECT_GE(stats_->latency[Leg::write].percentile(0.5), stats_->latency[Leg::ready].percentile(0.5));
}

TEST_F(Live, ASlowFilterIsOvertakenAndItsLatencyStaysBounded) {
    const test::Stopwatch watch;
    const Outcome outcome = run([](StageId id, std::int64_t) {
        if (id == StageId::filter) {
            std::this_thread::sleep_for(100ms);
        }
    });
    EXPECT_EQ(outcome.end.code, ExitCode::finished) << outcome.end.message;
    EXPECT_EQ(outcome.counts.frames_in + outcome.live.drops[Drop::undecoded], 50);
    EXPECT_GE(outcome.live.drops[Drop::overtaken] + outcome.live.drops[Drop::undecoded], 15);
    EXPECT_EQ(outcome.counts.frames_out + outcome.live.drops[Drop::overtaken], outcome.counts.frames_in);
    EXPECT_EQ(outcome.live.drops[Drop::unrecorded] + outcome.live.drops[Drop::shed], 0);
    // One in the filter and one that waits: without dropping the last would be three seconds late.
    EXPECT_LT(stats_->latency[Leg::ready].max(), 1500 + 1000 * watch.stolen());
}

TEST_F(Live, ASlowEncoderHoldsUpNobodyAndItsLossesAreTold) {
    const test::Stopwatch watch;
    const Outcome outcome = run([](StageId id, std::int64_t) {
        if (id == StageId::encode) {
            std::this_thread::sleep_for(150ms);
        }
    });
    EXPECT_EQ(outcome.end.code, ExitCode::finished) << outcome.end.message;
    EXPECT_EQ(outcome.counts.frames_in + outcome.live.drops[Drop::undecoded], 50);
    EXPECT_GT(outcome.live.drops[Drop::unrecorded], 0);
    EXPECT_EQ(outcome.counts.frames_out + outcome.live.drops.decoded(), outcome.counts.frames_in);
    EXPECT_GE(static_cast<double>(stats_->latency[Leg::ready].count()), 45 - 25 * watch.stolen());
}

TEST_F(Live, WhatCannotBeDecodedInTimeIsLeftOutUpToAKeyFrame) {
    const Outcome outcome = run([](StageId id, std::int64_t) {
        if (id == StageId::decode) {
            std::this_thread::sleep_for(200ms);
        }
    });
    // The clip has one key frame: what came after the gap is not worth decoding, and nothing is decoded wrongly.
    EXPECT_EQ(outcome.end.code, ExitCode::finished) << outcome.end.message;
    EXPECT_GT(outcome.live.drops[Drop::undecoded], 0);
    EXPECT_EQ(outcome.damage.frames, 0);
    EXPECT_EQ(outcome.counts.frames_in + outcome.live.drops[Drop::undecoded], 50);
    EXPECT_EQ(outcome.counts.frames_out, outcome.counts.frames_in);
}

TEST_F(Live, MaxLatencyLeavesOutWhatWouldBeLate) {
    options_.max_latency = 60;
    const Outcome outcome = run([](StageId id, std::int64_t n) {
        if (id == StageId::filter && n >= 10 && n < 40) {
            std::this_thread::sleep_for(70ms);
        }
    });
    EXPECT_EQ(outcome.end.code, ExitCode::finished) << outcome.end.message;
    EXPECT_GE(outcome.live.drops[Drop::shed], 5);
    EXPECT_EQ(outcome.counts.frames_out + outcome.live.drops[Drop::shed] + outcome.live.drops[Drop::overtaken], 50);
    const LatencyHistogram& ready = stats_->latency[Leg::ready];
    ASSERT_GE(ready.count(), 5) << "a starved machine sheds more";
    EXPECT_LE(ready.percentile(1 - 4.0 / static_cast<double>(ready.count())), 90) << "but for one a second";
    EXPECT_GT(ready.max(), 60) << "that one is there";
}

TEST_F(Live, AnErrorLeavesCountsThatAddUp) {
    const Outcome outcome = run([](StageId id, std::int64_t n) {
        if (id == StageId::encode) {
            std::this_thread::sleep_for(100ms);
            if (n == 8) {
                throw Error(ExitCode::encoder, "no");
            }
        }
    });
    EXPECT_EQ(outcome.end.code, ExitCode::encoder);
    EXPECT_GT(outcome.end.abandoned, 0);
    EXPECT_EQ(outcome.counts.frames_in,
              outcome.counts.frames_out + outcome.live.drops.decoded() + outcome.end.abandoned);
}

TEST_F(Live, AStopLeavesAFinishedFile) {
    const test::Stopwatch watch;
    const Outcome outcome = run([&](StageId id, std::int64_t n) {
        if (id == StageId::write && n == 10) {
            signal_ = SIGTERM;
        }
    });
    EXPECT_EQ(outcome.end.code, ExitCode::terminated) << outcome.end.message;
    EXPECT_LT(watch.seconds(), 1.5) << "nobody waits for the next picture's time";
    EXPECT_EQ(outcome.counts.frames_in, outcome.counts.frames_out + outcome.live.drops.total());
    EXPECT_TRUE(exists("out.mkv"));
}

}  // namespace
}  // namespace vfilter
