// What --start, --end, --duration and --frames mean, by the clock of an input.

#include "io/input/wanted_part.h"

#include <gtest/gtest.h>

namespace vfilter {
namespace {

constexpr std::int64_t clock_second = AV_TIME_BASE;
constexpr std::int64_t clock_millisecond = AV_TIME_BASE / 1000;

// Sound begins at 10 s, pictures a second later, 25 of them a second.
const InputClock late_pictures{10 * clock_second, 11 * clock_second, {25, 1}, 25};
// Of which two in three are there.
const InputClock variable{0, 0, {30, 1}, 20};

WantedPart part_of(const InputOptions& options, const InputClock& clock = late_pictures) {
    return wanted_part(options, clock, false);
}

TEST(WantedPart, IsAllWhereNothingIsSaid) {
    const WantedPart part = part_of({});
    EXPECT_FALSE(part.takes_part());
    EXPECT_FALSE(part.knows_end);
    EXPECT_EQ(part.shift, 0);
    EXPECT_EQ(part.first_wanted_picture, 11 * clock_second);
    EXPECT_EQ(wanted_part({}, late_pictures, true).shift, 10 * clock_second) << "of live inputs the output begins at 0";
}

TEST(WantedPart, CountsSecondsFromTheInputAndFramesFromThePictures) {
    InputOptions options;
    options.start = Position{2, false};
    options.end = Position{3, false};
    WantedPart part = part_of(options);
    EXPECT_EQ(part.shift, 12 * clock_second);
    EXPECT_EQ(part.start, 12 * clock_second - clock_millisecond);
    EXPECT_EQ(part.exact_end, 13 * clock_second);
    EXPECT_EQ(part.end, 13 * clock_second - clock_millisecond);
    EXPECT_EQ(part.picture_end, part.end);
    EXPECT_TRUE(part.knows_end);
    options.start = Position{50, true};
    options.end = Position{75, true};
    part = part_of(options);
    EXPECT_EQ(part.shift, 13 * clock_second);
    EXPECT_EQ(part.start, 13 * clock_second - clock_second / 50) << "half a picture early";
    EXPECT_EQ(part.exact_end, 14 * clock_second);
    EXPECT_EQ(part.first_wanted_picture, 13 * clock_second);
}

TEST(WantedPart, BeginsWithThePictureThatIsShownThenOrLater) {
    InputOptions options;
    options.start = Position{2.01, false};
    EXPECT_EQ(part_of(options).first_wanted_picture, 12 * clock_second + clock_second / 25);
}

TEST(WantedPart, LastsFromItsStart) {
    InputOptions options;
    options.duration = Position{50, true};
    EXPECT_EQ(part_of(options).exact_end, 13 * clock_second) << "pictures, from the first one";
    options.duration = Position{2, false};
    EXPECT_EQ(part_of(options).exact_end, 12 * clock_second);
    options.start = Position{3, false};
    EXPECT_EQ(part_of(options).exact_end, 15 * clock_second);
    options.duration = Position{1e300, false};
    EXPECT_GT(part_of(options).exact_end, 1000 * clock_second);
}

TEST(WantedPart, OfANumberOfFramesTheEndIsAnEstimateWhereTheRateVaries) {
    InputOptions options;
    options.frames = 50;
    WantedPart part = part_of(options);
    EXPECT_EQ(part.exact_end, 13 * clock_second);
    EXPECT_FALSE(part.picture_end.has_value()) << "the decoder counts";
    EXPECT_TRUE(part.knows_end);
    part = part_of(options, variable);
    EXPECT_EQ(part.exact_end, clock_second * 50 / 20);
    EXPECT_FALSE(part.knows_end);
    options.end = Position{1, false};
    part = part_of(options, variable);
    EXPECT_EQ(part.exact_end, clock_second) << "the earlier one";
    EXPECT_EQ(part.picture_end, clock_second - clock_millisecond);
}

}  // namespace
}  // namespace vfilter
