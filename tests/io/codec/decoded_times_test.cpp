// The times of decoded pictures.

#include "io/codec/decoded_times.h"

#include <gtest/gtest.h>

#include <vector>

namespace vfilter {
namespace {

TEST(DecodedTimes, RiseByAMillisecondWhereTimeGoesBack) {
    DecodedTimes times({1, 90000}, {25, 1});
    std::vector<std::int64_t> made;
    for (const std::int64_t told :
         {std::int64_t{100}, std::int64_t{50}, std::int64_t{60}, std::int64_t{3700}, AV_NOPTS_VALUE}) {
        const FramePtr picture = make_frame();
        picture->best_effort_timestamp = told;
        times.date(*picture);
        made.push_back(picture->pts);
    }
    EXPECT_EQ(made, (std::vector<std::int64_t>{100, 190, 280, 3700, 7300}));
}

}  // namespace
}  // namespace vfilter
