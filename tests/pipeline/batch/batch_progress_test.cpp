// How far a batch is, in words.

#include "pipeline/batch/batch_progress.h"

#include <gtest/gtest.h>

#include "pipeline/report/progress.h"

namespace vfilter {
namespace {

TEST(BatchProgressText, IsAboutBytes) {
    BatchSoFar so_far{.files = 4, .done = 1, .all = 1000, .share = 250, .frames = 300, .seconds = 10};
    EXPECT_EQ(batch_progress_text(so_far), "[ 25.0%]  1/4 files  300 frames  30 fps  ETA 0:30");
    so_far.share = 0;
    EXPECT_EQ(batch_progress_text(so_far), "[  0.0%]  1/4 files  300 frames  30 fps  ETA -");
}

TEST(ClockText, HasHoursWhereThereAreSome) {
    EXPECT_EQ(clock_text(0.4), "0:00");
    EXPECT_EQ(clock_text(59.6), "1:00");
    EXPECT_EQ(clock_text(3599), "59:59");
    EXPECT_EQ(clock_text(3723), "1:02:03");
}

}  // namespace
}  // namespace vfilter
