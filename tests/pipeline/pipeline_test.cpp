// The pipe as a whole, in one process, so that the thread sanitizer sees all of it.

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <memory>
#include <mutex>
#include <random>
#include <stdexcept>
#include <thread>

#include "tests/pipeline/run_test.h"
#include "tests/support/stopwatch.h"

namespace vfilter {
namespace {

using namespace std::chrono_literals;
using testing::make_clip;

class PipelineTest : public testing::RunTest {
protected:
    void SetUp() override {
        RunTest::SetUp();
        options_.output.preset = "ultrafast";
    }

    [[nodiscard]] int parts() const {
        int count = 0;
        for (const std::string& name : folder_.names()) {
            count += name.ends_with(".part") ? 1 : 0;
        }
        return count;
    }
};

TEST_F(PipelineTest, CarriesEveryFrame) {
    const Outcome outcome = run();
    EXPECT_EQ(outcome.end.code, ExitCode::finished) << outcome.end.message;
    EXPECT_EQ(outcome.counts.frames_in, 50);
    EXPECT_EQ(outcome.counts.frames_out, 50);
    EXPECT_EQ(outcome.counts.frames_expected, 50);
    EXPECT_TRUE(exists("out.mkv"));
    EXPECT_EQ(parts(), 0);
    for (const StageId id : {StageId::read, StageId::decode, StageId::filter, StageId::encode, StageId::write}) {
        EXPECT_GE((*stats_)[id].items(), 50) << name_of(id);
    }
    EXPECT_EQ((*stats_)[StageId::sound].items(), 0);
}

TEST_F(PipelineTest, AllocatesNoMorePicturesForALongerVideo) {
    const std::int64_t shorter = run().memory.pictures_allocated;
    make_clip(folder_ / "long.mp4", 12);
    options_.input.path = folder_ / "long.mp4";
    const Outcome longer = run();
    EXPECT_EQ(longer.counts.frames_out, 300);
    // How many are in flight at once depends on the scheduler, within the channels and the codecs' delays.
    EXPECT_LE(longer.memory.pictures_allocated, shorter + 8);
    EXPECT_GT(longer.memory.pictures_allocated, 0);
}

class FailingStage : public PipelineTest, public ::testing::WithParamInterface<std::tuple<StageId, std::int64_t>> {};

TEST_P(FailingStage, EndsTheRunWithItsNameAndHarmsNoFile) {
    const auto [stage, item] = GetParam();
    ASSERT_EQ(run().end.code, ExitCode::finished);
    const auto before = std::filesystem::file_size(folder_ / "out.mkv");
    const test::Stopwatch watch;
    const Outcome outcome = run([&, stage = stage, item = item](StageId id, std::int64_t n) {
        if (id == stage && n == item) {
            throw std::runtime_error("made to fail");
        }
    });
    EXPECT_EQ(outcome.end.code, ExitCode::internal);
    EXPECT_EQ(outcome.end.message, std::string(name_of(stage)) + ": made to fail");
    EXPECT_LT(watch.seconds(), 5);
    EXPECT_EQ(std::filesystem::file_size(folder_ / "out.mkv"), before) << "the old output was touched";
    EXPECT_EQ(parts(), outcome.end.kept_part.empty() ? 0 : 1);
}

INSTANTIATE_TEST_SUITE_P(each, FailingStage,
                         ::testing::Combine(::testing::Values(StageId::read, StageId::decode, StageId::filter,
                                                              StageId::encode, StageId::write),
                                            ::testing::Values(0, 7, 49)),
                         [](const auto& made) {
                             return std::string(name_of(std::get<0>(made.param))) + "_" +
                                    std::to_string(std::get<1>(made.param));
                         });

TEST_F(PipelineTest, AnEncoderThatDiesIsExitCode8) {
    const Outcome outcome = run([](StageId id, std::int64_t n) {
        if (id == StageId::encode && n == 20) {
            throw Error(ExitCode::encoder, "the encoder gave up");
        }
    });
    EXPECT_EQ(outcome.end.code, ExitCode::encoder);
    EXPECT_EQ(outcome.end.message, "encode: the encoder gave up");
    EXPECT_FALSE(exists("out.mkv"));
}

TEST_F(PipelineTest, TheFirstOfTwoErrorsWins) {
    // What is thrown is there until the run has kept it.
    struct First : std::runtime_error {
        explicit First(std::shared_ptr<int> held) : std::runtime_error("first"), alive(std::move(held)) {}
        std::shared_ptr<int> alive;
    };
    const auto alive = std::make_shared<int>();
    std::atomic<bool> thrown{false};
    const Outcome outcome = run([&](StageId id, std::int64_t n) {
        if (id == StageId::filter && n == 5) {
            First first(alive);
            thrown = true;
            throw first;
        }
        if (id == StageId::write) {
            while (!thrown || alive.use_count() > 1) {
                std::this_thread::sleep_for(1ms);
            }
            throw std::runtime_error("second");
        }
    });
    EXPECT_EQ(outcome.end.message, "filter: first");
}

TEST_F(PipelineTest, OutOfMemoryIsToldAsSuch) {
    const Outcome outcome = run([](StageId id, std::int64_t) {
        if (id == StageId::filter) {
            throw std::bad_alloc();
        }
    });
    EXPECT_EQ(outcome.end.code, ExitCode::internal);
    EXPECT_EQ(outcome.end.message, "filter: out of memory");
}

TEST_F(PipelineTest, AStopAtAnyTimeLeavesAFinishedFile) {
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
        EXPECT_EQ(outcome.end.code, ExitCode::interrupted) << outcome.end.message;
        EXPECT_EQ(outcome.counts.frames_in, outcome.counts.frames_out);
        EXPECT_GE(outcome.counts.frames_out, 1);
        EXPECT_TRUE(exists("out.mkv"));
        EXPECT_EQ(parts(), 0);
    }
}

TEST_F(PipelineTest, ASlowStageIsWhatBoundTheRun) {
    run([](StageId id, std::int64_t) {
        if (id == StageId::filter) {
            std::this_thread::sleep_for(10ms);
        }
    });
    EXPECT_EQ(stats_->bound(), "filter");
}

TEST_F(PipelineTest, KeepsNoMoreFramesBetweenTheStagesThanTheChannelsHold) {
    std::mutex mutex;
    std::int64_t decoded = 0;
    std::int64_t filtered = 0;
    std::int64_t max_ahead = 0;
    run([&](StageId id, std::int64_t n) {
        if (id == StageId::filter) {
            std::this_thread::sleep_for(2ms);
        }
        const std::lock_guard lock(mutex);
        decoded = id == StageId::decode ? n : decoded;
        filtered = id == StageId::filter ? n : filtered;
        max_ahead = std::max(max_ahead, decoded - filtered);
    });
    EXPECT_LE(max_ahead, static_cast<std::int64_t>(frames_ahead) + 2);
    EXPECT_GE(max_ahead, 2) << "nothing ran ahead: the stages do not overlap";
}

TEST_F(PipelineTest, VerifyCountsWhatItChecked) {
    options_.verify = true;
    const Outcome outcome = run();
    ASSERT_TRUE(outcome.verified.has_value()) << outcome.end.message;
    EXPECT_EQ(outcome.verified->frames, 1);
    EXPECT_EQ(outcome.verified->samples, 160 * 120 * 3 / 2);
}

}  // namespace
}  // namespace vfilter
