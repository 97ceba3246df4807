// Clocks that are finer than a container's.

#include <string>
#include <vector>

#include "tests/support/end_to_end.h"

namespace vfilter::test {

namespace {

class Clocks : public EndToEnd {};

// In mp4 a picture may last two thousand million ticks, which of nanoseconds are two seconds.
TEST_F(Clocks, OfNanosecondsHaveRoomForSlidesInMovies) {
    ffmpeg(
        "-f lavfi -i testsrc2=s=32x32:r=1/3 -frames:v 3 -vf settb=1/1000000000 -enc_time_base 1:1000000000 -c:v "
        "ffv1 in.nut");
    for (const std::string out : {"out.mp4", "out.mov"}) {
        filter("in.nut " + out + " --identity");
        EXPECT_EQ(picture_times(out), (std::vector<double>{0, 3, 6})) << out;
    }
}

// What a graph gives are its own times, of which none is damaged.
TEST_F(Clocks, OfGraphsMayHaveOneTimeApart) {
    const std::string graph =
        "'lavfi:testsrc2=s=32x32:d=1[out0];sine=d=1,asetpts=if(eq(N\\,20480)\\,PTS+9*SR\\,PTS)[out1]'";
    const Result result = vfilter(graph + " out.mkv --box 3 --audio flac");
    EXPECT_EQ(result.code, 0) << result;
    EXPECT_EQ(count_pictures("out.mkv"), 25);
}

}  // namespace

}  // namespace vfilter::test
