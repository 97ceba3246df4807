// Chapters as places in an input.

#include "io/input/chapters.h"

#include <gtest/gtest.h>

#include <memory>

#include "config/error.h"
#include "io/input/wanted_part.h"
#include "io/output/output_streams.h"

namespace vfilter {
namespace {

constexpr std::int64_t whole_second = AV_TIME_BASE;
constexpr AVRational thousandths{1, 1000};

struct FreeContext {
    void operator()(AVFormatContext* context) const { avformat_free_context(context); }
};

class Chapters : public ::testing::Test {
protected:
    void add(std::int64_t begin, std::int64_t end, AVRational base = thousandths) {
        AVChapter& chapter = add_chapter(*context_);
        chapter.time_base = base;
        chapter.start = begin;
        chapter.end = end;
    }
    [[nodiscard]] std::vector<ChapterPlace> places(std::int64_t told_end = AV_NOPTS_VALUE) const {
        return chapter_places(*context_, told_end);
    }

private:
    std::unique_ptr<AVFormatContext, FreeContext> context_{avformat_alloc_context()};
};

TEST_F(Chapters, AreInTheOrderOfTheirTimes) {
    add(2000, 3000);
    add(0, 1000);
    add(1000, 2000);
    const std::vector<ChapterPlace> all = places();
    ASSERT_EQ(all.size(), 3U);
    for (std::int64_t i = 0; i < 3; ++i) {
        EXPECT_EQ(all[static_cast<std::size_t>(i)].begin, i * whole_second);
        EXPECT_EQ(all[static_cast<std::size_t>(i)].end, (i + 1) * whole_second);
    }
}

TEST_F(Chapters, EndWhereTheNextOneBeginsOrBefore) {
    add(0, 1500);
    add(1000, AV_NOPTS_VALUE);
    add(2000, 2500);
    add(3000, 3000);
    add(3000, AV_NOPTS_VALUE);
    const std::vector<ChapterPlace> all = places(9 * whole_second);
    ASSERT_EQ(all.size(), 5U);
    EXPECT_EQ(all[0].end, whole_second);
    EXPECT_EQ(all[1].end, 2 * whole_second);
    EXPECT_EQ(all[2].end, 2 * whole_second + whole_second / 2);
    EXPECT_EQ(all[3].end, std::nullopt) << "as FFmpeg says of what it does not know";
    EXPECT_EQ(all[4].end, std::nullopt);
}

TEST_F(Chapters, EndWithTheInput) {
    add(0, 1000);
    add(1000, 5000);
    EXPECT_EQ(places().back().end, 5 * whole_second);
    EXPECT_EQ(places(5 * whole_second).back().end, std::nullopt);
    EXPECT_EQ(places(5 * whole_second + whole_second / 1000).back().end, std::nullopt) << "rounded";
    EXPECT_EQ(places(6 * whole_second).back().end, 5 * whole_second);
}

// What begins there and what ends there have one time.
TEST_F(Chapters, HaveTimesThatAreRoundedOneWay) {
    constexpr AVRational nanoseconds{1, 1'000'000'000};
    add(0, 3'003'003'003, nanoseconds);
    add(3'003'003'003, 9'000'000'000, nanoseconds);
    const std::vector<ChapterPlace> all = places();
    EXPECT_EQ(all[0].end, 3'003'004);
    EXPECT_EQ(all[1].begin, 3'003'004);
    EXPECT_EQ(all[1].margin, 500);
    add(9000, 9600, {1, 600});
    EXPECT_EQ(places().back().margin, 833);
    add(100, 110, {1, 1});
    EXPECT_EQ(places().back().margin, 1000);
}

TEST_F(Chapters, AreLimitsOfAPart) {
    const InputClock begins_late{2 * whole_second, 3 * whole_second, {25, 1}, 25};
    add(0, 4000);
    add(4000, 6000);
    add(6000, 9000);
    InputOptions options;
    options.start = Position{.value = 2, .chapter = true};
    options.end = Position{.value = 2, .chapter = true};
    WantedPart part = wanted_part(options, begins_late, false, places());
    EXPECT_EQ(part.shift, 4 * whole_second) << "of the input's clock, and not from where it begins";
    EXPECT_EQ(part.start, 4 * whole_second - 500);
    EXPECT_EQ(part.exact_end, 6 * whole_second);
    EXPECT_EQ(part.end, 6 * whole_second - 500);
    EXPECT_TRUE(part.knows_end);
    options.start->value = 1;
    EXPECT_EQ(wanted_part(options, begins_late, false, places()).shift, 2 * whole_second) << "nothing is before";
    options.end->value = 3;
    part = wanted_part(options, begins_late, false, places(9 * whole_second));
    EXPECT_EQ(part.end, std::nullopt);
    EXPECT_EQ(part.exact_end, std::nullopt);
    EXPECT_EQ(part.picture_end, std::nullopt);
    options.start = Position{.value = 5};
    options.end->value = 1;
    EXPECT_THROW(wanted_part(options, begins_late, false, places()), Error);
    options.end->value = 4;
    EXPECT_THROW(wanted_part(options, begins_late, false, places()), Error);
    EXPECT_THROW(wanted_part(options, begins_late, false), Error);
}

}  // namespace
}  // namespace vfilter
