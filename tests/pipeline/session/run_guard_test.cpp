#include "pipeline/session/run_guard.h"

#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <ctime>

namespace vfilter {
namespace {

using namespace std::chrono_literals;
using Verdict = RunGuard::Verdict;

// On a clock of its own, which a machine that stands still does not move.
class RunGuardTest : public ::testing::Test {
protected:
    RunGuard guard(double stall_timeout, bool filters_reckon = false) {
        return {stats_, signal_, stall_timeout, filters_reckon, begin_};
    }
    [[nodiscard]] RunGuard::Clock::time_point at(std::chrono::milliseconds passed) const { return begin_ + passed; }

    Stats stats_;
    std::atomic<int> signal_{0};
    RunGuard::Clock::time_point begin_ = RunGuard::Clock::now();
};

TEST_F(RunGuardTest, NamesTheStageThatMakesNoProgress) {
    stats_[StageId::decode].enter(Activity::waiting_for_input);
    stats_[StageId::encode].count(7);
    stats_[StageId::encode].enter(Activity::working);
    RunGuard guard = this->guard(0.05);
    EXPECT_EQ(guard.look(at(0ms)), Verdict::go_on);
    EXPECT_EQ(guard.look(at(50ms)), Verdict::go_on) << "not longer than that";
    stats_[StageId::encode].count();
    EXPECT_EQ(guard.look(at(80ms)), Verdict::go_on) << "something has happened";
    EXPECT_EQ(guard.look(at(130ms)), Verdict::go_on);
    EXPECT_EQ(guard.look(at(131ms)), Verdict::abandon);
    EXPECT_EQ(guard.stall(),
              "encode: no progress for 0.05 s, which --stall-timeout sets (decode waiting for input after 0, encode "
              "working after 8)");
    EXPECT_EQ(guard.look(at(631ms)), Verdict::abandon) << "the muxer has its time";
    EXPECT_EQ(guard.look(at(632ms)), Verdict::leave);
}

// Who is slow makes progress: a reader that takes a piece every half second, and the run goes on for ever.
TEST_F(RunGuardTest, WaitsForWhoIsSlow) {
    stats_[StageId::write].enter(Activity::working);
    RunGuard guard = this->guard(1);
    for (auto passed = 0ms; passed < 20s; passed += 500ms) {
        stats_[StageId::write].count();
        EXPECT_EQ(guard.look(at(passed)), Verdict::go_on);
        EXPECT_EQ(guard.look(at(passed + 250ms)), Verdict::go_on);
    }
}

TEST_F(RunGuardTest, LetsEverybodyWait) {
    stats_[StageId::read].enter(Activity::waiting_for_input);
    stats_[StageId::filter].enter(Activity::waiting_for_output);
    RunGuard guard = this->guard(0.02);
    EXPECT_EQ(guard.look(at(0ms)), Verdict::go_on);
    EXPECT_EQ(guard.look(at(1h)), Verdict::go_on);
}

TEST_F(RunGuardTest, LooksAtFurtherVideosToo) {
    stats_.set_videos(2);
    stats_.of(StageId::filter, 1).enter(Activity::working);
    RunGuard guard = this->guard(0.02);
    EXPECT_EQ(guard.look(at(0ms)), Verdict::go_on);
    EXPECT_EQ(guard.look(at(50ms)), Verdict::abandon);
    EXPECT_EQ(guard.stall().rfind("filter of video 2: no progress", 0), 0U) << guard.stall();
}

// "filter 1" is a step of the first video's chain, and a filter as well.
TEST_F(RunGuardTest, StepsOfAChainAreNoStages) {
    stats_.set_videos(2);
    StepStats& step = stats_.steps.emplace_back();
    step.name = "filter 1";
    step.stage.enter(Activity::working);
    RunGuard guard = this->guard(0.02);
    EXPECT_EQ(guard.look(at(0ms)), Verdict::go_on);
    EXPECT_EQ(guard.look(at(50ms)), Verdict::abandon);
    EXPECT_EQ(guard.stall(), "filter 1: no progress for 0.02 s, which --stall-timeout sets (filter 1 working after 0)");
}

void use_the_processor(std::chrono::milliseconds time) {
    const std::clock_t begin = std::clock();
    while (std::clock() - begin < time.count() * CLOCKS_PER_SEC / 1000) {
    }
}

// One large picture.
TEST_F(RunGuardTest, FiltersThatUseTheProcessorMakeProgress) {
    for (const bool reckon : {true, false}) {
        stats_[StageId::filter].enter(Activity::working);
        RunGuard guard = this->guard(0.05, reckon);
        EXPECT_EQ(guard.look(at(0ms)), Verdict::go_on);
        use_the_processor(5ms);
        EXPECT_EQ(guard.look(at(60ms)), reckon ? Verdict::go_on : Verdict::abandon);
        if (reckon) {
            EXPECT_EQ(guard.look(at(1h)), Verdict::abandon) << "it sleeps";
        }
    }
}

// Ctrl-Z for an hour, in the middle of a picture that takes its time.
TEST_F(RunGuardTest, ARunThatWasPausedHasNotStalled) {
    stats_[StageId::encode].enter(Activity::working);
    RunGuard guard = this->guard(60);
    EXPECT_EQ(guard.look(at(0ms)), Verdict::go_on);
    EXPECT_EQ(guard.look(at(200ms)), Verdict::go_on);
    std::chrono::milliseconds passed = 1h;
    EXPECT_EQ(guard.look(at(passed)), Verdict::go_on);
    while (passed < 1h + 58s) {
        passed += 200ms;
        EXPECT_EQ(guard.look(at(passed)), Verdict::go_on);
    }
    EXPECT_EQ(guard.look(at(1h + 58500ms)), Verdict::go_on);
    EXPECT_EQ(guard.look(at(1h + 59500ms)), Verdict::abandon) << "and then it does";
}

// Live, the others go on without it: what they make is dropped.
TEST_F(RunGuardTest, AnOutputThatTakesNothingIsJudgedByItself) {
    stats_[StageId::write].enter(Activity::working);
    std::int64_t taken = 0;
    RunGuard alone = this->guard(4);
    RunGuard both = this->guard(4);
    alone.judge_output([&] { return taken; });
    alone.name_limit("--timeout");
    Verdict verdict = Verdict::go_on;
    auto passed = 0ms;
    const auto go_on_until = [&](std::chrono::milliseconds end) {
        for (; passed < end && verdict == Verdict::go_on; passed += 125ms) {
            stats_[StageId::filter].enter(Activity::working);
            verdict = alone.look(at(passed));
            EXPECT_EQ(both.look(at(passed)), Verdict::go_on) << "something happens all the time";
        }
    };
    go_on_until(3s);
    taken += 4096;  // of a picture of some megabytes
    go_on_until(6500ms);
    EXPECT_EQ(verdict, Verdict::go_on) << "who is slow makes progress";
    go_on_until(20s);
    EXPECT_EQ(verdict, Verdict::abandon);
    EXPECT_LT(passed, 8s);
    EXPECT_TRUE(alone.stall().starts_with("write: no progress for 4 s, which --timeout sets (filter working"))
        << alone.stall();
}

TEST_F(RunGuardTest, AnOutputThatHasNothingToWriteIsNoStall) {
    stats_[StageId::write].enter(Activity::working);
    RunGuard guard = this->guard(1);
    guard.judge_output([] { return 0; });
    stats_[StageId::write].enter(Activity::waiting_for_input);
    for (auto passed = 0ms; passed < 20s; passed += 125ms) {
        stats_[StageId::filter].enter(Activity::working);
        EXPECT_EQ(guard.look(at(passed)), Verdict::go_on);
    }
}

TEST_F(RunGuardTest, WithoutALimitWaitsForEver) {
    stats_[StageId::encode].enter(Activity::working);
    RunGuard guard = this->guard(0);
    EXPECT_EQ(guard.look(at(0ms)), Verdict::go_on);
    EXPECT_EQ(guard.look(at(1h)), Verdict::go_on);
}

TEST_F(RunGuardTest, EndsARunWithinTwoSecondsOfASignal) {
    RunGuard guard = this->guard(0);
    EXPECT_EQ(guard.look(at(0ms)), Verdict::go_on);
    signal_ = SIGINT;
    EXPECT_EQ(guard.look(at(100ms)), Verdict::go_on) << "codecs may give what is inside";
    Verdict verdict = Verdict::go_on;
    auto passed = 100ms;
    while (verdict != Verdict::leave && passed < 1h) {
        passed += 20ms;
        verdict = guard.look(at(passed));
    }
    EXPECT_LT(passed, 2100ms);
    EXPECT_GT(passed, 1000ms) << "they have a second for it, and the muxer has its time";
    EXPECT_EQ(guard.stall(), "") << "a signal is no stall";
}

}  // namespace
}  // namespace vfilter
