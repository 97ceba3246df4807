// Live runs in one process: what is dropped where, and how long pictures take.

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <random>
#include <thread>

#include "pipeline/report/about.h"
#include "pipeline/session.h"
#include "tests/support/clips.h"

namespace vfilter {
namespace {

using namespace std::chrono_literals;
using testing::Folder;
using testing::make_clip;

TEST(Latency, percentiles_are_right_to_a_bucket) {
    LatencyHistogram histogram;
    EXPECT_EQ(histogram.percentile(0.5), 0);
    std::mt19937 random(7);
    std::vector<double> values;
    for (int i = 0; i < 5000; ++i) {
        // From a microsecond to a minute, every octave as often.
        const double milliseconds = std::exp2(std::uniform_real_distribution<double>(-10, 16)(random));
        values.push_back(milliseconds);
        histogram.add(std::chrono::duration_cast<std::chrono::nanoseconds>(
            std::chrono::duration<double, std::milli>(milliseconds)));
    }
    std::ranges::sort(values);
    for (const double share : {0.01, 0.5, 0.95, 0.99, 1.0}) {
        const double exact = values[static_cast<std::size_t>(std::ceil(share * 5000)) - 1];
        EXPECT_GE(histogram.percentile(share), exact * 0.999);
        EXPECT_LE(histogram.percentile(share), exact * (1 + 1.0 / 32) + 0.001);
    }
    EXPECT_NEAR(histogram.largest(), values.back(), 1e-5);
    EXPECT_EQ(histogram.count(), 5000);
}

TEST(Latency, forgets_nothing_that_is_too_long_or_negative) {
    LatencyHistogram histogram;
    histogram.add(-1ms);
    histogram.add(24h * 365);
    EXPECT_EQ(histogram.count(), 2);
    EXPECT_EQ(histogram.percentile(0.5), 0.001);
    EXPECT_GT(histogram.percentile(1), 0);
}

// 50 pictures of a file, one each 40 ms, as if they came from a camera.
class Live : public ::testing::Test {
protected:
    void SetUp() override {
        connect_ffmpeg_log(false);
#ifdef __SANITIZE_THREAD__
        options_.threads = 1;  // TBB's own threads are not instrumented
#endif
        make_clip(folder_ / "in.mp4");
        options_.input.path = folder_ / "in.mp4";
        options_.input.live = true;
        options_.output.path = folder_ / "out.mkv";
        options_.output.overwrite = Overwrite::yes;
        options_.device = "cpu";
        options_.filters = {parse_filter(*find_filter("gaussian"), "5")};
    }

    Outcome run(const StageHook& hook = {}) {
        stats_ = std::make_unique<Stats>();
        return run_session(options_, signal_, *stats_, {{}, hook});
    }

    Folder folder_;
    Options options_;
    std::atomic<int> signal_{0};
    std::unique_ptr<Stats> stats_;
};

TEST_F(Live, drops_nothing_where_nothing_is_slow) {
    const Outcome outcome = run();
    EXPECT_EQ(outcome.code, ExitCode::finished) << outcome.message;
    EXPECT_TRUE(outcome.live);
    EXPECT_EQ(outcome.frames_in, 50);
    EXPECT_LE(outcome.drops.total(), 5) << "a machine may have something else to do for 40 ms";
    EXPECT_EQ(outcome.frames_out + outcome.drops.total(), 50);
    EXPECT_GE(outcome.seconds, 1.9) << "at its own pace";
    EXPECT_LT(std::abs(outcome.clock_drift), 0.5);
    for (const Leg leg : {Leg::decode, Leg::queue, Leg::filter, Leg::ready, Leg::write}) {
        EXPECT_EQ(stats_->latency[leg].count(), leg == Leg::decode ? 50 : outcome.frames_out);
    }
    EXPECT_EQ(stats_->latency[Leg::show].count(), 0);
    EXPECT_GE(stats_->latency[Leg::write].percentile(0.5), stats_->latency[Leg::ready].percentile(0.5));
}

TEST_F(Live, a_slow_filter_is_overtaken_and_its_latency_stays_bounded) {
    const Outcome outcome = run([](StageId id, std::int64_t) {
        if (id == StageId::filter) {
            std::this_thread::sleep_for(100ms);
        }
    });
    EXPECT_EQ(outcome.code, ExitCode::finished) << outcome.message;
    EXPECT_EQ(outcome.frames_in, 50);
    EXPECT_GE(outcome.drops.overtaken, 15);
    EXPECT_EQ(outcome.frames_out + outcome.drops.overtaken, 50);
    EXPECT_EQ(outcome.drops.unrecorded + outcome.drops.shed, 0);
    // One in the filter and one that waits: without dropping the last would be three seconds late.
    EXPECT_LT(stats_->latency[Leg::ready].largest(), 1500);
}

TEST_F(Live, a_slow_encoder_holds_up_nobody_and_its_losses_are_told) {
    const Outcome outcome = run([](StageId id, std::int64_t) {
        if (id == StageId::encode) {
            std::this_thread::sleep_for(150ms);
        }
    });
    EXPECT_EQ(outcome.code, ExitCode::finished) << outcome.message;
    EXPECT_EQ(outcome.frames_in, 50);
    EXPECT_GT(outcome.drops.unrecorded, 0);
    EXPECT_EQ(outcome.frames_out + outcome.drops.decoded(), 50);
    EXPECT_GE(stats_->latency[Leg::ready].count(), 45);
}

TEST_F(Live, what_cannot_be_decoded_in_time_is_left_out_up_to_a_key_frame) {
    const Outcome outcome = run([](StageId id, std::int64_t) {
        if (id == StageId::decode) {
            std::this_thread::sleep_for(200ms);
        }
    });
    // The clip has one key frame: what came after the gap is not worth decoding, and nothing is decoded wrongly.
    EXPECT_EQ(outcome.code, ExitCode::finished) << outcome.message;
    EXPECT_GT(outcome.drops.undecoded, 0);
    EXPECT_EQ(outcome.damage.frames, 0);
    EXPECT_EQ(outcome.frames_in + outcome.drops.undecoded, 50);
    EXPECT_EQ(outcome.frames_out, outcome.frames_in);
}

TEST_F(Live, max_latency_leaves_out_what_would_be_late) {
    options_.max_latency = 60;
    const Outcome outcome = run([](StageId id, std::int64_t n) {
        if (id == StageId::filter && n >= 10 && n < 40) {
            std::this_thread::sleep_for(70ms);
        }
    });
    EXPECT_EQ(outcome.code, ExitCode::finished) << outcome.message;
    EXPECT_GE(outcome.drops.shed, 5);
    EXPECT_EQ(outcome.frames_out + outcome.drops.shed + outcome.drops.overtaken, 50);
    const LatencyHistogram& ready = stats_->latency[Leg::ready];
    ASSERT_GE(ready.count(), 10);
    EXPECT_LE(ready.percentile(1 - 4.0 / static_cast<double>(ready.count())), 90) << "but for one a second";
    EXPECT_GT(ready.largest(), 60) << "that one is there";
}

TEST_F(Live, a_stop_leaves_a_finished_file) {
    const auto begin = std::chrono::steady_clock::now();
    const Outcome outcome = run([&](StageId id, std::int64_t n) {
        if (id == StageId::write && n == 10) {
            signal_ = SIGTERM;
        }
    });
    EXPECT_EQ(outcome.code, ExitCode::terminated) << outcome.message;
    EXPECT_LT(std::chrono::steady_clock::now() - begin, 1500ms) << "nobody waits for the next picture's time";
    EXPECT_EQ(outcome.frames_in, outcome.frames_out + outcome.drops.total());
    EXPECT_TRUE(std::filesystem::exists(folder_ / "out.mkv"));
}

}  // namespace
}  // namespace vfilter
