#include "pipeline/live/playback_clock.h"

#include <gtest/gtest.h>

#include <chrono>

namespace vfilter {
namespace {

using namespace std::chrono_literals;

constexpr PlaybackClock::Time noon = PlaybackClock::Time() + 1000h;

TEST(PlaybackClock, BeginsWithTheFirstPictureAndGoesOn) {
    PlaybackClock clock;
    EXPECT_EQ(clock.due(7s, noon), noon) << "at once, wherever the video begins";
    EXPECT_EQ(clock.due(7040ms, noon + 1ms), noon + 40ms);
    EXPECT_EQ(clock.due(10s, noon + 5s), noon + 3s) << "late is late";
}

TEST(PlaybackClock, StandsStillWhileItIsPaused) {
    PlaybackClock clock;
    clock.due(0s, noon);
    clock.pause(noon + 1s);
    clock.pause(noon + 2s);
    EXPECT_EQ(clock.due(3s, noon + 5s), noon + 7s);
    clock.resume(noon + 11s);
    clock.resume(noon + 12s);
    EXPECT_EQ(clock.due(1s, noon + 11s), noon + 11s) << "what was due when it was paused";
    EXPECT_EQ(clock.due(3s, noon + 11s), noon + 13s);
}

TEST(PlaybackClock, GoesOnFromASingleStep) {
    PlaybackClock clock;
    clock.due(0s, noon);
    clock.pause(noon + 1s);
    clock.set(5s, noon + 20s);
    EXPECT_EQ(clock.due(5s, noon + 20s), noon + 20s);
    EXPECT_EQ(clock.due(6s, noon + 25s), noon + 26s) << "still paused";
    clock.resume(noon + 30s);
    EXPECT_EQ(clock.due(6s, noon + 30s), noon + 31s);
}

TEST(PlaybackClock, MayBePausedBeforeItBegins) {
    PlaybackClock clock;
    clock.pause(noon);
    clock.resume(noon + 5s);
    EXPECT_EQ(clock.due(2s, noon + 6s), noon + 6s);
}

}  // namespace
}  // namespace vfilter
