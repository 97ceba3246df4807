// A graph of libavfilter's between channels: times, durations, numbers, and what is left of the pictures before it.

#include "pipeline/stages/foreign_stage.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "io/compat.h"

namespace vfilter {
namespace {

class ForeignStageTest : public ::testing::Test {
protected:
    static constexpr AVRational milliseconds_base{1, 1000};

    static Frame picture_at(std::int64_t time) {
        Frame frame{make_frame(), 0};
        frame.picture->format = AV_PIX_FMT_GRAY8;
        frame.picture->width = 16;
        frame.picture->height = 16;
        av_check(av_frame_get_buffer(frame.picture.get(), 0), "av_frame_get_buffer");
        frame.picture->pts = time;
        set_frame_duration(*frame.picture, 40);
        return frame;
    }
    // What comes from one channel through the graph to the other.
    void run(const std::string& text, ForeignPlace place, Channel<Frame>& from, Channel<Frame>& to) {
        FilterGraph graph(text, {.pictures = {.format = AV_PIX_FMT_GRAY8,
                                              .width = 16,
                                              .height = 16,
                                              .time_base = milliseconds_base,
                                              .frame_rate = {25, 1},
                                              .sample_aspect = {1, 1}},
                                 .threads = 1});
        place.time_base = milliseconds_base;
        place.frame_rate = {25, 1};
        place.sample_aspect = {1, 1};
        made_base_ = time_base_after(place, graph.made().time_base);
        const DescriptionPtr input(avformat_alloc_context());
        VideoRoute route(0, *avformat_new_stream(input.get(), nullptr), 0, {25, 1}, false);
        ForeignStage(run_, route, step_, graph, place, from, to).run();
        to.close();
    }
    // All pictures at these times through the graph.
    std::vector<Frame> through(const std::string& text, const std::vector<std::int64_t>& times, ForeignPlace place) {
        Channel<Frame> from(16);
        Channel<Frame> to(64);
        for (const std::int64_t time : times) {
            from.send(picture_at(time));
        }
        from.close();
        run(text, place, from, to);
        std::vector<Frame> made;
        while (std::optional<Frame> frame = to.receive()) {
            made.push_back(std::move(*frame));
        }
        return made;
    }
    std::vector<std::int64_t> times_of(const std::vector<Frame>& frames) const {
        std::vector<std::int64_t> times;
        for (const Frame& frame : frames) {
            times.push_back(av_rescale_q(frame.picture->pts, made_base_, milliseconds_base));
        }
        return times;
    }

    Stats stats_;
    StageRun run_{.stats = stats_, .trace = nullptr, .hook = {}, .live = false};
    StepStats step_;

private:
    AVRational made_base_{};
};

using PictureTimes = std::vector<std::int64_t>;

TEST_F(ForeignStageTest, PicturesKeepTheirTimesAndAreNumbered) {
    const std::vector<Frame> made = through("null", {100, 140, 180}, {});
    EXPECT_EQ(times_of(made), (PictureTimes{100, 140, 180}));
    for (std::size_t i = 0; i < made.size(); ++i) {
        EXPECT_EQ(made[i].index, static_cast<std::int64_t>(i));
        EXPECT_EQ(frame_duration(*made[i].picture), 40);
        EXPECT_EQ(made[i].picture->opaque, nullptr);
    }
    EXPECT_EQ(step_.taken.load(), 3);
    EXPECT_EQ(step_.stage.items(), 3);
}

// Time begins with 0 for the graph, and goes on as it was behind it.
TEST_F(ForeignStageTest, TimeBeginsWithThePart) {
    const ForeignPlace place{.begin = 5'000'000};
    EXPECT_EQ(times_of(through("select=lt(t\\,0.05)", {5000, 5040, 5080}, place)), (PictureTimes{5000, 5040}));
}

TEST_F(ForeignStageTest, AChangedRateChangesTimesAndDurations) {
    const std::vector<Frame> made = through("fps=50", {0, 40}, {});
    EXPECT_EQ(times_of(made), (PictureTimes{0, 20, 40, 60}));
    EXPECT_EQ(step_.taken.load(), 2);
    EXPECT_EQ(step_.stage.items(), 4);
}

TEST_F(ForeignStageTest, TimesThatDoNotRiseAreMovedUp) {
    const ForeignPlace place{.retimed = true};
    EXPECT_EQ(times_of(through("setpts=100,settb=intb", {0, 40, 80}, place)), (PictureTimes{100, 101, 102}));
}

// Nobody wants a video of pictures that are a tick long each.
TEST_F(ForeignStageTest, TimesOfWhichNearlyNoneRisesAreAMistake) {
    PictureTimes times;
    for (int i = 0; i < 16; ++i) {
        times.push_back(40 * i);
    }
    const ForeignPlace place{.retimed = true};
    try {
        through("setpts=100", times, place);
        ADD_FAILURE() << "accepted";
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ExitCode::usage);
        EXPECT_NE(std::string(error.what()).find("of its first 13 pictures 12 are not after the one before"),
                  std::string::npos)
            << error.what();
    }
    // One that jumps back goes on from there.
    EXPECT_EQ(through("setpts='if(lt(N,10),PTS,PTS-200/(1000*TB))'", times, place).size(), 16U);
}

TEST_F(ForeignStageTest, OriginalsGoAlong) {
    const ForeignPlace place{.keeps_originals = true};
    const std::vector<Frame> made = through("scale=8:8", {0, 40}, place);
    ASSERT_EQ(made.size(), 2U);
    for (const Frame& frame : made) {
        EXPECT_EQ(frame.picture->width, 8);
        ASSERT_NE(frame.original, nullptr);
        EXPECT_EQ(frame.original->width, 16);
    }
}

// With the originals of pictures that a graph leaves out nothing may grow.
TEST_F(ForeignStageTest, WhatAGraphLeavesOutIsGone) {
    std::atomic<int> living{0};
    Channel<Frame> from(2);
    Channel<Frame> to(64);
    std::thread stage([&] { run("select=eq(n\\,0)", {.keeps_originals = true}, from, to); });
    for (int i = 0; i < 100; ++i) {
        Frame frame = picture_at(40 * i);
        ++living;
        AVBufferRef* const own = std::exchange(frame.picture->buf[0], nullptr);
        const auto gone = [](void* count, std::uint8_t* held) {
            --*static_cast<std::atomic<int>*>(count);
            auto* buffer = reinterpret_cast<AVBufferRef*>(held);
            av_buffer_unref(&buffer);
        };
        frame.picture->buf[0] = av_buffer_create(reinterpret_cast<std::uint8_t*>(own), own->size, gone, &living, 0);
        EXPECT_TRUE(from.send(std::move(frame)));
        EXPECT_LE(living.load(), 8) << i;
    }
    from.close();
    stage.join();
    EXPECT_NE(to.receive(), std::nullopt);
    EXPECT_EQ(to.receive(), std::nullopt);
}

// Ticks in which both the graph's times and the beginning are whole.
TEST_F(ForeignStageTest, TheClockIsFineEnoughForTheBeginning) {
    const ForeignPlace at_a_third{.time_base = {1, 90000}, .begin = 20};
    EXPECT_EQ(av_cmp_q(time_base_after({.time_base = {1, 90000}}, {1, 25}), {1, 25}), 0);
    EXPECT_EQ(time_base_after(at_a_third, {1, 25}).den % 90000, 0);
    EXPECT_EQ(av_cmp_q(time_base_after({.time_base = {1, 90000}, .begin = 2'000'000}, {1, 25}), {1, 25}), 0);
}

}  // namespace
}  // namespace vfilter
