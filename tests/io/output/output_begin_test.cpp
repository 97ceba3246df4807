// Pictures that a container counts, from the first one on. (Where whole outputs begin: end_to_end.Times.)

#include "io/output/output_begin.h"

#include <gtest/gtest.h>

#include "tests/io/input/scripted_source.h"

namespace vfilter {
namespace {

std::int64_t moved(const PicturePhases& phases, int stream, std::int64_t time) {
    const PacketPtr packet = testing::make_packet({stream, time});
    phases.move(*packet, stream);
    EXPECT_EQ(packet->pts, packet->dts);
    return packet->pts;
}

// Milliseconds, of 25 pictures a second.
TEST(PicturePhases, PutTheFirstPictureOnAWholeOne) {
    PicturePhases phases;
    phases.begin(1, 1013, {1, 1000}, {1, 25});
    phases.begin(2, 1035, {1, 1000}, {1, 25});
    phases.begin(3, 1040, {1, 1000}, {1, 25});
    EXPECT_EQ(moved(phases, 1, 1013), 1000);
    EXPECT_EQ(moved(phases, 1, 1054), 1041) << "and the others as far";
    EXPECT_EQ(moved(phases, 2, 1035), 1040) << "the nearest";
    EXPECT_EQ(moved(phases, 3, 1040), 1040);
}

TEST(PicturePhases, LeaveOtherVideosWhereTheyAre) {
    PicturePhases phases;
    phases.begin(1, 1013, {1, 1000}, {1, 25});
    EXPECT_EQ(moved(phases, 0, 1013), 1013);
}

}  // namespace
}  // namespace vfilter
