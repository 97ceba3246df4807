#include "pipeline/stages/stage.h"

#include <gtest/gtest.h>

#include <chrono>
#include <stdexcept>
#include <vector>

extern "C" {
#include <libavformat/avformat.h>
}

namespace vfilter {
namespace {

using namespace std::chrono_literals;

TEST(StageMeter, CountsForItsStageAndLatenciesOfTheFirstVideoAlone) {
    Stats stats;
    stats.set_videos(2);
    const StageRun run{.stats = stats, .trace = nullptr, .hook = {}, .live = false};
    const StageMeter first(run, StageId::decode, 0);
    const StageMeter second(run, StageId::decode, 1);
    first.count();
    second.count();
    second.count();
    first.took(Leg::decode, 1ms);
    second.took(Leg::decode, 1ms);
    EXPECT_EQ(first.items(), 1);
    EXPECT_EQ(second.items(), 2);
    EXPECT_EQ(stats.items(StageId::decode), 3);
    EXPECT_EQ(stats.latency[Leg::decode].count(), 1);
}

TEST(StageMeter, CallsTheHook) {
    Stats stats;
    std::vector<std::int64_t> items;
    const StageRun run{.stats = stats,
                       .trace = nullptr,
                       .hook =
                           [&](StageId stage, std::int64_t item) {
                               EXPECT_EQ(stage, StageId::write);
                               items.push_back(item);
                               if (item == 2) {
                                   throw std::runtime_error("made to fail");
                               }
                           },
                       .live = false};
    const StageMeter meter(run, StageId::write, 0);
    meter.reached(1);
    EXPECT_THROW(meter.reached(2), std::runtime_error);
    EXPECT_EQ(items, (std::vector<std::int64_t>{1, 2}));
}

TEST(VideoRoute, KnowsWhenTheNextPictureIsDue) {
    AVFormatContext* const input = avformat_alloc_context();
    const AVStream& stream = *avformat_new_stream(input, nullptr);
    const VideoRoute route(0, stream, 0, AVRational{10, 1}, true);
    Frame frame{make_frame()};
    frame.stamps.captured = Stamps::Clock::now();
    EXPECT_GT(route.time_to_next(frame), 50ms);
    EXPECT_LE(route.time_to_next(frame), 100ms);
    frame.stamps.captured -= 1s;
    EXPECT_EQ(route.time_to_next(frame), 0us) << "it is late";
    avformat_free_context(input);
}

}  // namespace
}  // namespace vfilter
