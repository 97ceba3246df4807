// Times of a sound device on the clock of the system and of the pictures.

#include "io/input/sound_device.h"

#include <gtest/gtest.h>

#include "io/input/layers/with_sound.h"

namespace vfilter {
namespace {

constexpr std::int64_t second = 1'000'000;
constexpr std::int64_t wall = 1'700'000'000 * second;  // when the monotonic clock begins

TEST(MonotonicTimes, FollowTheDevice) {
    MonotonicTimes times;
    EXPECT_EQ(times.of(wall + 100, 50, wall + 200, 200), 100);
    EXPECT_EQ(times.of(wall + 153, 50, wall + 260, 260), 153);
    // Sound was lost: it goes on where it is.
    EXPECT_EQ(times.of(wall + second, 50, wall + second + 100, second + 100), second);
}

// libavdevice's filter of times needs a moment to follow.
TEST(MonotonicTimes, GoOnWhereTheWallClockIsSet) {
    constexpr std::int64_t length = 20'000;
    MonotonicTimes times;
    EXPECT_EQ(times.of(wall, length, wall + length, length), 0);
    const std::int64_t set = wall - 3600 * second;
    std::int64_t now = 2 * length;
    for (; now < 2 * second; now += length) {
        EXPECT_EQ(times.of(wall, length, set + now, now), now - length);
    }
    now += second;
    EXPECT_EQ(times.of(set + now - length + 7, length, set + now, now), now - length + 7) << "it has followed";
}

TEST(ClockRelation, KnowsTheClocksOfTheSystem) {
    ClockRelation camera;
    EXPECT_FALSE(camera.known());
    camera.picture_came(500, 30'500, wall + 30'500);
    EXPECT_TRUE(camera.known());
    camera.picture_came(40'500, 90'000, wall + 90'000);
    EXPECT_EQ(camera.by_video(70'000), 70'000);
    ClockRelation screen;
    screen.picture_came(wall + 500, 30'500, wall + 30'500);
    EXPECT_EQ(screen.by_video(70'000), wall + 70'000);
    screen.picture_came(wall + second, second, wall + second + 5);
    EXPECT_EQ(screen.by_video(70'000), wall + 70'005) << "it was adjusted";
}

TEST(ClockRelation, FollowsAClockOfItsOwn) {
    ClockRelation relation;
    constexpr std::int64_t began = 77 * second;
    std::int64_t now = 0;
    for (; now < 60 * second; now += 40'000) {
        relation.picture_came(began + now + now / 1000, now, wall + now);
    }
    EXPECT_NEAR(static_cast<double>(relation.by_video(now) - began - now), static_cast<double>(now) / 1000, 5000);
    relation.picture_came(second, now, wall + now);
    EXPECT_EQ(relation.by_video(now), second) << "the camera has begun anew";
}

}  // namespace
}  // namespace vfilter
