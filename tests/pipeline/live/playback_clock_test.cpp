#include "pipeline/live/playback_clock.h"

#include <gtest/gtest.h>

#include <chrono>

namespace vfilter {
namespace {

using namespace std::chrono_literals;

constexpr PlaybackClock::Time start = PlaybackClock::Time() + 1000h;

TEST(PlaybackClock, BeginsWithTheFirstPictureAndGoesOn) {
    PlaybackClock clock;
    EXPECT_EQ(clock.due(7s, start), start) << "at once, wherever the video begins";
    EXPECT_EQ(clock.due(7040ms, start + 1ms), start + 40ms);
    EXPECT_EQ(clock.due(10s, start + 5s), start + 3s) << "late is late";
}

TEST(PlaybackClock, StandsStillWhileItIsPaused) {
    PlaybackClock clock;
    clock.due(0s, start);
    clock.pause(start + 1s);
    clock.pause(start + 2s);
    EXPECT_EQ(clock.due(3s, start + 5s), start + 7s);
    clock.resume(start + 11s);
    clock.resume(start + 12s);
    EXPECT_EQ(clock.due(1s, start + 11s), start + 11s) << "what was due when it was paused";
    EXPECT_EQ(clock.due(3s, start + 11s), start + 13s);
}

TEST(PlaybackClock, GoesOnFromASingleStep) {
    PlaybackClock clock;
    clock.due(0s, start);
    clock.pause(start + 1s);
    clock.set(5s, start + 20s);
    EXPECT_EQ(clock.due(5s, start + 20s), start + 20s);
    EXPECT_EQ(clock.due(6s, start + 25s), start + 26s) << "still paused";
    clock.resume(start + 30s);
    EXPECT_EQ(clock.due(6s, start + 30s), start + 31s);
}

TEST(PlaybackClock, MayBePausedBeforeItBegins) {
    PlaybackClock clock;
    clock.pause(start);
    clock.resume(start + 5s);
    EXPECT_EQ(clock.due(2s, start + 6s), start + 6s);
}

}  // namespace
}  // namespace vfilter
