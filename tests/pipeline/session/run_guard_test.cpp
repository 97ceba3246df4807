#include "pipeline/session/run_guard.h"

#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <thread>

namespace vfilter {
namespace {

using namespace std::chrono_literals;
using Verdict = RunGuard::Verdict;

TEST(RunGuard, NamesTheStageThatMakesNoProgress) {
    Stats stats;
    const std::atomic<int> signal{0};
    stats[StageId::decode].enter(Activity::waiting_for_input);
    stats[StageId::encode].count(7);
    stats[StageId::encode].enter(Activity::working);
    RunGuard guard(stats, signal, 0.05);
    EXPECT_EQ(guard.look(), Verdict::go_on);
    std::this_thread::sleep_for(80ms);
    stats[StageId::encode].count();
    EXPECT_EQ(guard.look(), Verdict::go_on) << "something has happened";
    std::this_thread::sleep_for(80ms);
    EXPECT_EQ(guard.look(), Verdict::abandon);
    EXPECT_EQ(guard.stall(),
              "encode: no progress for 0.05 s, which --stall-timeout sets (decode waiting for input after 0, encode "
              "working after 8)");
    EXPECT_EQ(guard.look(), Verdict::abandon) << "the muxer has its time";
    std::this_thread::sleep_for(550ms);
    EXPECT_EQ(guard.look(), Verdict::leave);
}

TEST(RunGuard, LetsEverybodyWait) {
    Stats stats;
    const std::atomic<int> signal{0};
    stats[StageId::read].enter(Activity::waiting_for_input);
    stats[StageId::filter].enter(Activity::waiting_for_output);
    RunGuard guard(stats, signal, 0.02);
    EXPECT_EQ(guard.look(), Verdict::go_on);
    std::this_thread::sleep_for(50ms);
    EXPECT_EQ(guard.look(), Verdict::go_on);
}

TEST(RunGuard, LooksAtFurtherVideosToo) {
    Stats stats;
    stats.set_videos(2);
    const std::atomic<int> signal{0};
    stats.of(StageId::filter, 1).enter(Activity::working);
    RunGuard guard(stats, signal, 0.02);
    EXPECT_EQ(guard.look(), Verdict::go_on);
    std::this_thread::sleep_for(50ms);
    EXPECT_EQ(guard.look(), Verdict::abandon);
    EXPECT_EQ(guard.stall().rfind("filter of video 2: no progress", 0), 0U) << guard.stall();
}

// "filter 1" is a step of the first video's chain, and a filter as well.
TEST(RunGuard, StepsOfAChainAreNoStages) {
    Stats stats;
    stats.set_videos(2);
    StepStats& step = stats.steps.emplace_back();
    step.name = "filter 1";
    const std::atomic<int> signal{0};
    step.stage.enter(Activity::working);
    RunGuard guard(stats, signal, 0.02);
    EXPECT_EQ(guard.look(), Verdict::go_on);
    std::this_thread::sleep_for(50ms);
    EXPECT_EQ(guard.look(), Verdict::abandon);
    EXPECT_EQ(guard.stall(), "filter 1: no progress for 0.02 s, which --stall-timeout sets (filter 1 working after 0)");
}

// One large picture.
TEST(RunGuard, FiltersThatUseTheProcessorMakeProgress) {
    for (const bool reckon : {true, false}) {
        Stats stats;
        const std::atomic<int> signal{0};
        stats[StageId::filter].enter(Activity::working);
        RunGuard guard(stats, signal, 0.05, reckon);
        EXPECT_EQ(guard.look(), Verdict::go_on);
        for (int i = 0; i < 4; ++i) {
            const auto begin = RunGuard::Clock::now();
            while (RunGuard::Clock::now() - begin < 30ms) {
            }
            EXPECT_TRUE(guard.look() == Verdict::go_on || !reckon);
        }
        EXPECT_EQ(guard.look(), reckon ? Verdict::go_on : Verdict::abandon);
        if (reckon) {
            std::this_thread::sleep_for(80ms);
            EXPECT_EQ(guard.look(), Verdict::abandon) << "it sleeps";
        }
    }
}

TEST(RunGuard, WithoutALimitWaitsForEver) {
    Stats stats;
    const std::atomic<int> signal{0};
    stats[StageId::encode].enter(Activity::working);
    RunGuard guard(stats, signal, 0);
    std::this_thread::sleep_for(50ms);
    EXPECT_EQ(guard.look(), Verdict::go_on);
}

TEST(RunGuard, EndsARunWithinTwoSecondsOfASignal) {
    Stats stats;
    std::atomic<int> signal{0};
    RunGuard guard(stats, signal, 0);
    EXPECT_EQ(guard.look(), Verdict::go_on);
    signal = SIGINT;
    const auto begin = std::chrono::steady_clock::now();
    Verdict verdict = guard.look();
    EXPECT_EQ(verdict, Verdict::go_on) << "codecs may give what is inside";
    for (; verdict != Verdict::leave; verdict = guard.look()) {
        std::this_thread::sleep_for(20ms);
    }
    EXPECT_LT(std::chrono::steady_clock::now() - begin, 2s);
    EXPECT_EQ(guard.stall(), "") << "a signal is no stall";
}

}  // namespace
}  // namespace vfilter
