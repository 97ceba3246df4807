// What an output was sent, against what its container holds.

#include "io/output/sent_account.h"

#include <gtest/gtest.h>

#include "tests/io/input/scripted_source.h"

namespace vfilter {
namespace {

// Pictures wait there for the order of their times, until the last one has come.
TEST(SentAccount, CountsTheLastPicturesOfARunThatWasBrokenOff) {
    const DescriptionPtr output = testing::make_streams({{}});
    output->oformat = av_guess_format("h264", nullptr, nullptr);
    SentAccount account(*output);
    account.watch_pictures(0, {25, 1}, {1, 1000}, CountedTimes::Places::all_taken, 0);
    for (const std::int64_t pts : {0, 40, 200, 400}) {
        account.add_picture(0, pts);
    }
    EXPECT_EQ(account.displaced_pictures(), 2);
    EXPECT_EQ(account.displaced_pictures(), 2) << "asked once more";
}

}  // namespace
}  // namespace vfilter
