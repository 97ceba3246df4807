// The pipe as a whole, in one process, so that the thread sanitizer sees all of it.

#include <gtest/gtest.h>

#include <chrono>
#include <mutex>
#include <random>
#include <set>
#include <thread>

#include "pipeline/report/about.h"
#include "pipeline/session.h"
#include "tests/support/clips.h"

namespace vfilter {
namespace {

using namespace std::chrono_literals;
using testing::Folder;
using testing::make_clip;

class PipelineTest : public ::testing::Test {
protected:
    void SetUp() override {
        connect_ffmpeg_log(false);
#ifdef __SANITIZE_THREAD__
        options_.threads = 1;  // TBB's own threads are not instrumented: what they hand over looks like a race
#endif
        make_clip(folder_ / "in.mp4");
        options_.input.path = folder_ / "in.mp4";
        options_.output.path = folder_ / "out.mkv";
        options_.output.preset = "ultrafast";
        options_.output.overwrite = Overwrite::yes;
        options_.filters = {parse_filter(*find_filter("gaussian"), "5")};
    }

    Outcome run(const StageHook& hook = {}) {
        stats_ = std::make_unique<Stats>();
        return run_session(options_, signal_, *stats_, {{}, hook});
    }

    [[nodiscard]] bool exists(const std::string& name) const {
        return std::filesystem::exists(folder_ / name);
    }
    [[nodiscard]] int parts() const {
        int count = 0;
        for (const std::string& name : folder_.names()) {
            count += name.ends_with(".part") ? 1 : 0;
        }
        return count;
    }

    Folder folder_;
    Options options_;
    std::atomic<int> signal_{0};
    std::unique_ptr<Stats> stats_;
};

TEST_F(PipelineTest, carries_every_frame) {
    const Outcome outcome = run();
    EXPECT_EQ(outcome.code, ExitCode::finished) << outcome.message;
    EXPECT_EQ(outcome.frames_in, 50);
    EXPECT_EQ(outcome.frames_out, 50);
    EXPECT_EQ(outcome.frames_expected, 50);
    EXPECT_TRUE(exists("out.mkv"));
    EXPECT_EQ(parts(), 0);
    for (const StageStats& stage : stats_->stages) {
        EXPECT_GE(stage.items(), 50);
    }
}

TEST_F(PipelineTest, allocates_no_more_pictures_for_a_longer_video) {
    const std::int64_t shorter = run().pictures_allocated;
    make_clip(folder_ / "long.mp4", 12);
    options_.input.path = folder_ / "long.mp4";
    const Outcome longer = run();
    EXPECT_EQ(longer.frames_out, 300);
    // How many are in flight at once depends on the scheduler, within the channels and the codecs' delays.
    EXPECT_LE(longer.pictures_allocated, shorter + 8);
    EXPECT_GT(longer.pictures_allocated, 0);
}

class FailingStage : public PipelineTest, public ::testing::WithParamInterface<std::tuple<StageId, std::int64_t>> {};

TEST_P(FailingStage, ends_the_run_with_its_name_and_harms_no_file) {
    const auto [stage, item] = GetParam();
    ASSERT_EQ(run().code, ExitCode::finished);
    const auto before = std::filesystem::file_size(folder_ / "out.mkv");
    const auto begin = std::chrono::steady_clock::now();
    const Outcome outcome = run([&, stage = stage, item = item](StageId id, std::int64_t n) {
        if (id == stage && n == item) {
            throw std::runtime_error("made to fail");
        }
    });
    EXPECT_EQ(outcome.code, ExitCode::internal);
    EXPECT_EQ(outcome.message, std::string(stage_names[static_cast<std::size_t>(stage)]) + ": made to fail");
    EXPECT_LT(std::chrono::steady_clock::now() - begin, 5s);
    EXPECT_EQ(std::filesystem::file_size(folder_ / "out.mkv"), before) << "the old output was touched";
    EXPECT_EQ(parts(), outcome.kept_part.empty() ? 0 : 1);
}

INSTANTIATE_TEST_SUITE_P(each, FailingStage,
                         ::testing::Combine(::testing::Values(StageId::read, StageId::decode, StageId::filter,
                                                              StageId::encode, StageId::write),
                                            ::testing::Values(0, 7, 49)),
                         [](const auto& made) {
                             return std::string(stage_names[static_cast<std::size_t>(std::get<0>(made.param))]) + "_" +
                                    std::to_string(std::get<1>(made.param));
                         });

TEST_F(PipelineTest, an_encoder_that_dies_is_exit_code_8) {
    const Outcome outcome = run([](StageId id, std::int64_t n) {
        if (id == StageId::encode && n == 20) {
            throw Error(ExitCode::encoder, "the encoder gave up");
        }
    });
    EXPECT_EQ(outcome.code, ExitCode::encoder);
    EXPECT_EQ(outcome.message, "encode: the encoder gave up");
    EXPECT_FALSE(exists("out.mkv"));
}

TEST_F(PipelineTest, the_first_of_two_errors_wins) {
    const Outcome outcome = run([](StageId id, std::int64_t n) {
        if (id == StageId::filter && n == 5) {
            throw std::runtime_error("first");
        }
        if (id == StageId::write && n >= 0) {
            std::this_thread::sleep_for(100ms);
            throw std::runtime_error("second");
        }
    });
    EXPECT_EQ(outcome.message, "filter: first");
}

TEST_F(PipelineTest, out_of_memory_is_told_as_such) {
    const Outcome outcome = run([](StageId id, std::int64_t) {
        if (id == StageId::filter) {
            throw std::bad_alloc();
        }
    });
    EXPECT_EQ(outcome.code, ExitCode::internal);
    EXPECT_EQ(outcome.message, "filter: out of memory");
}

TEST_F(PipelineTest, a_stop_at_any_time_leaves_a_finished_file) {
    std::mt19937 random(3);
    for (int round = 0; round < 12; ++round) {
        signal_ = 0;
        const auto stop = static_cast<std::int64_t>(random() % 50);
        const auto where = static_cast<StageId>(random() % 5);
        const Outcome outcome = run([&](StageId id, std::int64_t n) {
            if (id == where && n == stop) {
                signal_ = SIGINT;
            }
        });
        EXPECT_EQ(outcome.code, ExitCode::interrupted) << outcome.message;
        EXPECT_EQ(outcome.frames_in, outcome.frames_out);
        EXPECT_GE(outcome.frames_out, 1);
        EXPECT_TRUE(exists("out.mkv"));
        EXPECT_EQ(parts(), 0);
    }
}

TEST_F(PipelineTest, a_slow_stage_is_what_bound_the_run) {
    run([](StageId id, std::int64_t) {
        if (id == StageId::filter) {
            std::this_thread::sleep_for(10ms);
        }
    });
    EXPECT_EQ(stats_->bound(), StageId::filter);
}

TEST_F(PipelineTest, keeps_no_more_frames_between_the_stages_than_the_channels_hold) {
    std::mutex mutex;
    std::int64_t decoded = 0;
    std::int64_t filtered = 0;
    std::int64_t most = 0;
    run([&](StageId id, std::int64_t n) {
        if (id == StageId::filter) {
            std::this_thread::sleep_for(2ms);
        }
        const std::lock_guard lock(mutex);
        decoded = id == StageId::decode ? n : decoded;
        filtered = id == StageId::filter ? n : filtered;
        most = std::max(most, decoded - filtered);
    });
    EXPECT_LE(most, static_cast<std::int64_t>(Pipeline::frames_ahead) + 2);
    EXPECT_GE(most, 2) << "nothing ran ahead: the stages do not overlap";
}

TEST_F(PipelineTest, verify_counts_what_it_checked) {
    options_.verify = true;
    const Outcome outcome = run();
    ASSERT_TRUE(outcome.verified.has_value()) << outcome.message;
    EXPECT_EQ(outcome.verified->frames, 1);
    EXPECT_EQ(outcome.verified->samples, 160 * 120 * 3 / 2);
}

}  // namespace
}  // namespace vfilter
