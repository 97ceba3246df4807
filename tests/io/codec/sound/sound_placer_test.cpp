// Where decoded sound comes to lie: pieces of 1000 samples, 0.1 s each, with times in samples.

#include "io/codec/sound/sound_placer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace vfilter {
namespace {

constexpr int piece_rate = 10000;
constexpr std::int64_t a_second = AV_TIME_BASE;
constexpr double unlimited = std::numeric_limits<double>::infinity();

PlacingRules rules() {
    return {.stream = 1, .clock = {1, piece_rate}};
}

PieceTimes piece(std::int64_t pts) {
    return {.pts = pts, .samples = 1000, .rate = piece_rate};
}

// From where, behind how much silence, how many samples are cut, and how many stay.
using Lies = std::array<std::int64_t, 4>;

Lies lies(const SoundPlace& place) {
    return {place.from, place.silence, place.cut, place.samples};
}

Lies placed(SoundPlacer& placer, const PieceTimes& piece) {
    return lies(placer.place(piece));
}

TEST(SoundPlacer, PutsAPieceWhereItsTimeSays) {
    SoundPlacer placer(rules());
    EXPECT_EQ(placer.next(), std::nullopt);
    EXPECT_EQ(placed(placer, piece(500)), (Lies{500, 0, 0, 1000}));
    EXPECT_EQ(placed(placer, piece(1500)), (Lies{1500, 0, 0, 1000}));
    EXPECT_EQ(placed(placer, piece(AV_NOPTS_VALUE)), (Lies{2500, 0, 0, 1000}));
    EXPECT_EQ(placer.next(), 3500);
    EXPECT_EQ(placer.next_seconds(), 0.35);
}

TEST(SoundPlacer, BelievesNoRoundedTimes) {
    SoundPlacer placer(rules());
    for (std::int64_t k = 0; k < 100; ++k) {
        EXPECT_EQ(placed(placer, piece(1000 * k + (k % 2 == 0 ? 10 : -10))), (Lies{1000 * k + 10, 0, 0, 1000}));
    }
}

TEST(SoundPlacer, BelievesACoarseClockNoMoreThanItKnows) {
    PlacingRules of = rules();
    of.clock = {1, 100};
    SoundPlacer placer(of);
    placer.place(piece(0));
    EXPECT_EQ(placed(placer, piece(12)), (Lies{1000, 0, 0, 1000}));
    EXPECT_EQ(placed(placer, piece(25)), (Lies{2000, 500, 0, 1000}));
}

TEST(SoundPlacer, FillsAHole) {
    SoundPlacer placer(rules());
    placer.place(piece(0));
    EXPECT_EQ(placed(placer, piece(1300)), (Lies{1000, 300, 0, 1000}));
    EXPECT_EQ(placed(placer, piece(2300)), (Lies{2300, 0, 0, 1000}));
    PieceTimes behind = piece(4290);
    behind.packet_samples = 1000;
    EXPECT_EQ(placed(placer, behind), (Lies{3300, 1000, 0, 1000})) << "a packet is missing, and the time is rounded";
    behind.pts = 6250;
    EXPECT_EQ(placed(placer, behind), (Lies{5300, 950, 0, 1000})) << "that is none";
}

TEST(SoundPlacer, CutsWhatOverlaps) {
    SoundPlacer placer(rules());
    placer.place(piece(0));
    EXPECT_EQ(placed(placer, piece(700)), (Lies{1000, 0, 300, 700}));
    EXPECT_EQ(placer.next(), 1700);
    EXPECT_EQ(placer.place(piece(600)).samples, 0);
    EXPECT_EQ(placer.next(), 1700);
}

TEST(SoundPlacer, MendsADriftInLargeSteps) {
    SoundPlacer placer(rules());
    for (std::int64_t k = 0; k < 27; ++k) {
        PieceTimes late = piece(1015 * k);
        late.made_to = 990 * k;
        const SoundPlace place = placer.place(late);
        EXPECT_EQ(lies(place), (Lies{1000 * k, 0, 0, 1000}));
        EXPECT_EQ(place.stretch, std::nullopt) << "a file is not live";
    }
    EXPECT_EQ(placed(placer, piece(1015 * 27)), (Lies{27000, 405, 0, 1000}));
    EXPECT_EQ(placed(placer, piece(1015 * 28)), (Lies{28405, 0, 0, 1000}));
}

TEST(SoundPlacer, HearsTimesThatGoFarBackOrStandStillBehindWhatCameBefore) {
    SoundPlacer placer(rules());
    placer.place(piece(20000));
    EXPECT_EQ(placed(placer, piece(0)), (Lies{21000, 0, 0, 1000}));
    EXPECT_EQ(placed(placer, piece(1000)), (Lies{22000, 0, 0, 1000}));
    EXPECT_EQ(placed(placer, piece(23000)), (Lies{23000, 0, 0, 1000}));
    EXPECT_EQ(placed(placer, piece(23000)), (Lies{24000, 0, 0, 1000}));
    PlacingRules of = rules();
    of.live = true;
    SoundPlacer live(of);
    live.place(piece(20000));
    EXPECT_EQ(live.place(piece(0)).samples, 0) << "what comes late there is late";
}

TEST(SoundPlacer, CutsToTheWantedPart) {
    PlacingRules of = rules();
    of.begin = a_second / 20 - 1;
    of.end = a_second / 4;
    SoundPlacer placer(of);
    EXPECT_EQ(placer.place(piece(-1000)).samples, 0);
    EXPECT_EQ(placed(placer, piece(0)), (Lies{500, 0, 500, 500}));
    EXPECT_EQ(placed(placer, piece(1000)), (Lies{1000, 0, 0, 1000}));
    EXPECT_EQ(placed(placer, piece(2000)), (Lies{2000, 0, 0, 500}));
    EXPECT_EQ(placer.place(piece(3000)).samples, 0);
    EXPECT_EQ(placer.next(), 2500);
    EXPECT_EQ(placer.left_out_before(), 0);
}

TEST(SoundPlacer, FillsFromWhereTheContainerCounts) {
    PlacingRules of = rules();
    of.filled_from = a_second / 20;
    SoundPlacer late(of);
    EXPECT_EQ(placed(late, piece(1000)), (Lies{500, 500, 0, 1000}));
    of.begin = a_second / 50;
    SoundPlacer early(of);
    EXPECT_EQ(placed(early, piece(0)), (Lies{500, 0, 500, 500}));
    EXPECT_DOUBLE_EQ(early.left_out_before(), 0.03) << "nobody misses what is not wanted";
    EXPECT_EQ(placed(early, piece(800)), (Lies{1000, 0, 200, 800}));
    EXPECT_DOUBLE_EQ(early.left_out_before(), 0.03);
}

TEST(SoundPlacer, LeavesTheMiddleOfALongHoleToTheTimes) {
    PlacingRules of = rules();
    of.longest_step = unlimited;
    SoundPlacer placer(of);
    placer.place(piece(0));
    PieceTimes behind = piece(1000 + 100 * piece_rate + 5000);
    behind.bytes = 1000000;
    const SoundPlace place = placer.place(behind);
    EXPECT_EQ(lies(place), (Lies{1000, 2 * piece_rate + 5000, 0, 1000}));
    EXPECT_EQ(place.leap, 98);
    EXPECT_EQ(place.too_late, std::nullopt);
    EXPECT_EQ(placer.next(), 2000 + 100 * piece_rate + 5000);
    of.filtered = true;
    SoundPlacer counted(of);
    counted.place(piece(0));
    EXPECT_EQ(placed(counted, behind), (Lies{1000, 100 * piece_rate + 5000, 0, 1000}));
}

TEST(SoundPlacer, BelievesNoTimeForWhichTheInputHasTooFewBytes) {
    SoundPlacer placer(rules());
    placer.place(piece(0));
    EXPECT_EQ(placed(placer, piece(1000 + 40 * piece_rate)), (Lies{1000, 40 * piece_rate, 0, 1000}));
    const SoundPlace place = placer.place(piece(2000 + 80 * piece_rate));
    EXPECT_EQ(place.too_late, 40) << "60 s are allowed, all in all";
    EXPECT_EQ(lies(place), (Lies{2000 + 40 * piece_rate, 0, 0, 1000}));
    EXPECT_EQ(placed(placer, piece(3000 + 80 * piece_rate)), (Lies{3000 + 40 * piece_rate, 0, 0, 1000}))
        << "all moves with it";
    PieceTimes behind = piece(4000 + 120 * piece_rate);
    behind.bytes = 30000;
    EXPECT_EQ(placed(placer, behind), (Lies{4000 + 40 * piece_rate, 40 * piece_rate, 0, 1000}))
        << "a second for 1000 bytes";
}

TEST(SoundPlacer, BeginsAFileThatFollowsWhereItsTimeSays) {
    SoundPlacer placer(rules());
    placer.place(piece(0));
    PieceTimes first = piece(1015);
    first.begins_clip = true;
    EXPECT_EQ(placed(placer, first), (Lies{1000, 15, 0, 1000}));
    first.pts = 2000;
    EXPECT_EQ(placed(placer, first), (Lies{2015, 0, 0, 1000})) << "a little too much is no overlap";
    first.pts = 2985;
    EXPECT_EQ(placed(placer, first), (Lies{3015, 0, 30, 970}));
    EXPECT_EQ(placed(placer, piece(4000)), (Lies{3985, 0, 0, 1000})) << "rounded";
    first.pts = 4985;
    EXPECT_EQ(placed(placer, first), (Lies{4985, 0, 0, 1000}));
    EXPECT_EQ(placed(placer, piece(5975)), (Lies{5985, 0, 0, 1000})) << "which is of the file before";
}

// What a codec puts before its beginning may have the very time of the last piece before it.
TEST(SoundPlacer, CutsWhatLiesBeforeAFileThatFollows) {
    SoundPlacer placer(rules());
    placer.place(piece(0));
    placer.place(piece(1000));
    PieceTimes first = piece(1000);
    first.begins_clip = true;
    EXPECT_EQ(placer.place(first).samples, 0);
    EXPECT_EQ(placed(placer, piece(2000)), (Lies{2000, 0, 0, 1000}));
}

TEST(SoundPlacer, CountsInTheRateOfThePiece) {
    SoundPlacer placer(rules());
    placer.place(piece(0));
    placer.place(piece(1000 + 100 * piece_rate));  // which is too late, so that all moves
    PieceTimes faster = piece(1500 + 100 * piece_rate);
    faster.rate = 2 * piece_rate;
    EXPECT_EQ(placer.place(faster).samples, 0);
    EXPECT_EQ(placer.next(), 4000);
    faster.pts = 2000 + 100 * piece_rate;
    EXPECT_EQ(placed(placer, faster), (Lies{4000, 0, 0, 1000})) << "also where the first one was cut whole";
    EXPECT_EQ(placed(placer, piece(2500 + 100 * piece_rate)), (Lies{2500, 0, 0, 1000}));
}

TEST(SoundPlacer, StretchesWhatIsLive) {
    PlacingRules of = rules();
    of.live = true;
    SoundPlacer placer(of);
    placer.place(piece(0));
    const auto next = [&](std::int64_t error, std::int64_t made_to) {
        PieceTimes late = piece(made_to + error);
        late.made_to = made_to;
        return placer.place(late);
    };
    for (std::int64_t k = 1; k < 5; ++k) {
        EXPECT_EQ(next(100, 1000 * k).stretch, std::nullopt) << "the mean error is small";
    }
    const SoundPlace place = next(100, 5000);
    ASSERT_TRUE(place.stretch);
    EXPECT_NEAR(place.stretch->share, 0.01 * (1 - std::pow(0.9, 5)) / 3, 1e-9);
    EXPECT_EQ(place.stretch->seconds, 1);
    EXPECT_EQ(lies(next(100, 6007)), (Lies{6007, 0, 0, 1000})) << "the resampler says where it lies";
    const SoundPlace anew = placer.place(piece(7207));
    EXPECT_EQ(lies(anew), (Lies{7007, 0, 0, 1000}));
    EXPECT_EQ(anew.stretch, std::nullopt) << "there is none yet";
    double most = 0;
    for (std::int64_t k = 8; k < 40; ++k) {
        most = std::max(most, next(390, 1000 * k).stretch.value().share);
    }
    EXPECT_EQ(most, 0.005) << "more would be heard";
}

TEST(SoundPlacer, FillsUpBehindTheEnd) {
    PlacingRules of = rules();
    of.filled_to = a_second;
    SoundPlacer placer(of);
    EXPECT_EQ(placer.silence_behind(piece_rate, 0, AV_NOPTS_VALUE), 0) << "no sound at all";
    placer.place(piece(0));
    EXPECT_EQ(placer.silence_behind(piece_rate, 0, AV_NOPTS_VALUE), 9000);
    EXPECT_EQ(placer.silence_behind(piece_rate, 0, -a_second / 2), 4000) << "a second behind the pictures";
    EXPECT_EQ(placer.silence_behind(piece_rate, 0, -2 * a_second), 0);
    EXPECT_EQ(placer.silence_behind(2 * piece_rate, 0, AV_NOPTS_VALUE), 18000);
    of.filled_to = 100 * a_second;
    SoundPlacer far(of);
    far.place(piece(0));
    EXPECT_EQ(far.silence_behind(piece_rate, 0, AV_NOPTS_VALUE), 60 * piece_rate) << "the end may be told wrong";
    EXPECT_EQ(far.silence_behind(piece_rate, 10000, AV_NOPTS_VALUE), 70 * piece_rate);
}

}  // namespace
}  // namespace vfilter
