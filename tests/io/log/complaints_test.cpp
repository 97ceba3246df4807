// What FFmpeg logs, as it is told.

#include "io/log/complaints.h"

#include <gtest/gtest.h>

namespace vfilter {
namespace {

TEST(ComplaintsTest, TellsNoAddresses) {
    Complaints complaints;
    const int object = 0;
    complaints.listen(&object);
    const auto told = [&](const char* text) {
        note_complaint(&object, text);
        return complaints.latest();
    };
    EXPECT_EQ(told("[h264 @ 0x55d0] no frame!"), "no frame!");
    EXPECT_EQ(told("[vp8 @ 0x55d0] [IMGUTILS @ 0x7ffc] Picture size 9x9 is invalid"), "Picture size 9x9 is invalid");
    EXPECT_EQ(told("[1][2] is no tag"), "[1][2] is no tag");
    EXPECT_EQ(told("[avi @ 0x1] [1] is no tag"), "[1] is no tag");
    EXPECT_EQ(complaints.count(), 4);
}

TEST(ComplaintsTest, LeavesOutWhatDoesNoHarm) {
    Complaints complaints;
    const int object = 0;
    complaints.listen(&object);
    note_complaint(&object, "[rm @ 0x1] Invalid stream index 1 for index at pos 726206");
    EXPECT_EQ(complaints.count(), 0);
    note_complaint(&object, "[rm @ 0x1] Invalid stream index");
    EXPECT_EQ(complaints.count(), 1);
}

}  // namespace
}  // namespace vfilter
