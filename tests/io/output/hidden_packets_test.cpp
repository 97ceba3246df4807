// Packets that an edit list hides.

#include "io/output/hidden_packets.h"

#include <gtest/gtest.h>

#include "tests/io/input/scripted_source.h"

namespace vfilter {
namespace {

TEST(HiddenPackets, AreThoseRightBeforeTheFirstThatIsShown) {
    HiddenPackets hidden;
    for (const std::int64_t time : {0, 40, 80, 120}) {
        hidden.add(testing::make_packet({1, time, 40, AV_PKT_FLAG_DISCARD}), {1, 1000}, 0.1);
    }
    EXPECT_FALSE(hidden.is_shown(1));
    const std::deque<PacketPtr> taken = hidden.take(1);
    ASSERT_EQ(taken.size(), 3U);
    EXPECT_EQ(taken.front()->dts, 40);
    EXPECT_EQ(taken.front()->flags, 0);
    EXPECT_TRUE(hidden.take(1).empty());
    EXPECT_TRUE(hidden.is_shown(1));
    EXPECT_FALSE(hidden.is_shown(0));
}

}  // namespace
}  // namespace vfilter
